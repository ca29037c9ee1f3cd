"""What the documentation shows can be used as it stands."""

from __future__ import annotations

import re
from pathlib import Path

from muniment.domain.loading import load_domain
from muniment.settings import DomainSettings

DOCS = Path(__file__).parents[2] / "docs" / "entities.md"


def test_the_schema_of_the_documentation_is_sound_and_adds_to_the_shipped_packs(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```yaml\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
    own = tmp_path / "ours.yaml"
    own.write_text(shown, encoding="utf-8")
    schema = load_domain(DomainSettings(file=own))
    assert "ours 1" in schema.packs and {"pump", "person"} <= set(schema.types)
    assert "pump_tag" in schema.patterns and schema.attributes["flow_rate"].functional
