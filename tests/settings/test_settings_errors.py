"""Settings that cannot be used are told in words: which one, what is wrong, what was perhaps meant."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment.settings import SettingsError, load_settings


def _refused(options: dict[str, object] | None = None) -> str:
    with pytest.raises(SettingsError) as refused:
        load_settings(options)
    return str(refused.value)


def test_an_unknown_key_of_a_section_names_its_section_and_what_is_known_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "own.toml"
    file.write_text("[chunking]\ntarget = 3\n", encoding="utf-8")
    monkeypatch.setenv("MUNIMENT_CONFIG", str(file))
    message = _refused()
    assert str(file) in message
    assert "chunking.target: no such setting (did you mean target_tokens?)" in message
    assert "max_tokens, strategy, target_tokens" in message


def test_an_unknown_section_lists_the_sections() -> None:
    message = _refused({"chunkin": {}})
    assert "chunkin: no such setting (did you mean chunking?)" in message and "workers" in message


def test_a_value_out_of_bounds_keeps_its_bounds() -> None:
    assert "chunking.max_tokens: input should be less than or equal to 254" in _refused(
        {"chunking": {"max_tokens": 9999}}
    )


@pytest.mark.parametrize(
    ("variable", "meant"),
    [
        ("MUNIMENT_WORKERS_PROCESSES", "MUNIMENT_WORKERS__PROCESSES"),
        ("MUNIMENT_SERCH__LIMIT", "MUNIMENT_SEARCH__LIMIT"),
        ("muniment_chunking_max_tokens", "MUNIMENT_CHUNKING__MAX_TOKENS"),
    ],
)
def test_a_variable_that_sets_nothing_is_an_error(variable: str, meant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "1")
    message = _refused()
    assert variable in message and meant in message


def test_variables_of_settings_sections_and_mappings_are_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MUNIMENT_HOME", str(tmp_path))
    monkeypatch.setenv("MUNIMENT_SEARCH", '{"limit": 3}')
    monkeypatch.setenv("MUNIMENT_WORKERS__PROCESSES", "1")
    monkeypatch.setenv("MUNIMENT_NLP__PIPELINES", '{"en": ["en_core_web_sm"]}')
    settings = load_settings()
    assert (settings.search.limit, settings.workers.processes) == (3, 1)
    assert settings.nlp.pipelines == {"en": ("en_core_web_sm",)}
