"""Small packs for tests: YAML as a user writes it, and the schema made of it."""

from __future__ import annotations

from pathlib import Path

from muniment.domain.loading import join, load_domain, read_pack
from muniment.domain.model import DomainSchema
from muniment.settings import DomainSettings

SMALL = """\
name: small
version: "1"
types:
  - {name: concept}
  - {name: agent}
  - {name: person, parent: agent, labels: [PERSON]}
  - {name: organisation, parent: agent, labels: [ORG]}
  - {name: system, heads: [system]}
  - {name: server, parent: system}
  - {name: document}
  - {name: amount, value: true, labels: [MONEY]}
"""


def small(*lines: str) -> DomainSchema:
    """The schema of SMALL with more lines (whole sections)."""
    return join([read_pack(SMALL + "\n".join(lines) + "\n", "small.yaml")])


def shipped(own: Path | None = None, *packs: str) -> DomainSchema:
    """The shipped packs, with an own file."""
    return load_domain(DomainSettings(file=own) if not packs else DomainSettings(packs=packs, file=own))


def own_file(folder: Path, *lines: str) -> Path:
    """A user's own file with a header and these lines."""
    path = folder / "own.yaml"
    path.write_text("\n".join(["name: own", 'version: "7"', *lines]) + "\n", "utf-8")
    return path
