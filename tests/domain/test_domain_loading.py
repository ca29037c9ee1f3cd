"""A user's own file overrides the shipped packs, and what is wrong with it is said with file, line and advice."""

from __future__ import annotations

from pathlib import Path

import pytest
from domain_packs import SMALL, own_file, shipped, small

from muniment.domain.loading import DomainError, read_pack, shipped_packs
from muniment.domain.predicates import predicates_of
from muniment.settings import load_settings


def _error(*lines: str) -> str:
    with pytest.raises(DomainError) as caught:
        small(*lines)
    return str(caught.value)


def test_an_own_definition_replaces_the_shipped_one_whole_and_adds_what_is_new(tmp_path: Path) -> None:
    own = own_file(
        tmp_path,
        "types:",
        "  - {name: pump, parent: system, heads: [pump]}",
        "relations:",
        "  - {name: owned_by, verbs: [be_keep_by]}",
    )
    schema = shipped(own)
    assert schema.relations["owned_by"].verbs == ("be_keep_by",)
    assert not schema.relations["owned_by"].functional  # nothing of the shipped definition is left
    assert schema.is_a("pump", "system")
    assert schema.packs[-1] == "own 7"
    assert predicates_of(schema).of_verb("own", has_value=False).kind == "raw"


def test_the_file_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    own = own_file(tmp_path, "types:", "  - {name: pump}")
    assert "pump" in shipped(own).types
    own_file(tmp_path, "types:", "  - {name: turbine}")
    assert "turbine" in shipped(own).types
    assert "pump" not in shipped(own).types


def test_a_relative_file_is_looked_for_beside_the_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own_file(tmp_path, "types:", "  - {name: pump}")
    (tmp_path / "muniment.toml").write_text('[domain]\nfile = "own.yaml"\n', "utf-8")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert load_settings({"home": tmp_path}).domain.file == tmp_path / "own.yaml"


def test_a_pack_that_is_not_shipped_and_a_file_that_is_not_there_are_named(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match=r"'medical'.*not shipped; choose among default, legal, technical"):
        shipped(None, "default", "medical")
    with pytest.raises(DomainError, match=r"none\.yaml: no such file; correct domain\.file"):
        shipped(tmp_path / "none.yaml")
    (tmp_path / "latin.yaml").write_bytes("name: sch\xe9ma".encode("latin-1"))
    with pytest.raises(DomainError, match=r"latin\.yaml: not UTF-8 text.*save it as UTF-8"):
        shipped(tmp_path / "latin.yaml")


def test_a_pack_that_needs_another_says_which_types_are_missing() -> None:
    with pytest.raises(
        DomainError, match=r"pack legal, line \d+: types\.provision\.parent names the unknown type 'law'"
    ):
        shipped(None, "legal")


def test_no_yaml_and_no_mapping_are_refused_with_the_line() -> None:
    with pytest.raises(DomainError, match=r"x\.yaml: not valid YAML \(line 3: "):
        read_pack("name: x\ntypes:\n  - {name: [}\n", "x.yaml")
    with pytest.raises(DomainError, match=r"x\.yaml: a pack is a mapping with name"):
        read_pack("- a\n- b\n", "x.yaml")


def test_a_key_given_twice_is_refused_though_yaml_would_keep_the_last() -> None:
    text = SMALL + "relations:\n  - name: feeds\n    verbs: [feed]\n    verbs: [nourish]\n"
    with pytest.raises(DomainError, match=r"x\.yaml, line 15: 'verbs' is given twice; keep one"):
        read_pack(text, "x.yaml")


def test_a_misspelt_key_and_a_bad_name_are_shown_with_line_and_place() -> None:
    text = _error("relations:", "  - {name: feeds, domian: [system]}", "  - {name: Fed By}")
    assert text.splitlines() == [
        "small.yaml, line 13: relations.feeds.domian is no key of this place: correct the spelling or take it out",
        "small.yaml, line 14: relations.Fed By.name must be lower case, with words joined by underscores",
    ]


def test_a_name_defined_twice_in_one_pack_is_refused() -> None:
    assert _error("relations:", "  - {name: feeds}", "  - {name: heats}", "  - {name: feeds}") == (
        "small.yaml: relations.feeds is defined on lines 13 and 15; keep one"
    )


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["relations:", "  - {name: feeds, domain: [pump]}"], "line 13: relations.feeds.domain names the unknown"),
        (["relations:", "  - {name: feeds, range: [pump]}"], "line 13: relations.feeds.range names the unknown"),
        (["attributes:", "  - {name: colour, domain: [pump]}"], "line 13: attributes.colour.domain names the unknown"),
        (["patterns:", "  - {name: tag, type: pump, regex: 'T\\d+'}"], "line 13: patterns.tag.type names the unknown"),
        (["patterns:", "  - {name: tag, type: system, regex: 'T('}"], "line 13: patterns.tag.regex does not compile"),
        (["patterns:", "  - {name: tag, type: system, regex: 'T*'}"], "can match the empty string"),
        (["patterns:", "  - {name: tag, type: system, regex: '(T+)+x'}"], "nests a repeat in a repeat"),
        (["patterns:", "  - {name: tag, type: system, regex: 'T\\d', examples: [U1]}"], "'U1' is not found by"),
        (["relations:", "  - {name: a, inverse: b}", "  - {name: b}"], "'b' is a relation itself: keep one of them"),
        (["relations:", "  - {name: a, symmetric: true, dependency: object}"], "has a direction, which a symmetric"),
        (["relations:", "  - {name: a, weak_verbs: [in]}"], "weak_verbs need domain or range: say which types"),
        (["relations:", "  - {name: a}", "attributes:", "  - {name: a}"], "names an attribute too: rename one"),
    ],
)  # fmt: skip
def test_what_leads_nowhere_or_fails_is_refused_with_its_line(lines: list[str], said: str) -> None:
    assert said in _error(*lines)


def test_parents_in_a_circle_are_refused_with_the_way_round(tmp_path: Path) -> None:
    own = own_file(tmp_path, "types:", "  - {name: pump, parent: valve}", "  - {name: valve, parent: pump}")
    with pytest.raises(
        DomainError, match=r"own\.yaml, line 4: types\.pump\.parent goes in a circle \(pump → valve → pump\)"
    ):
        shipped(own)


def test_a_value_is_no_kind_of_entity(tmp_path: Path) -> None:
    with pytest.raises(DomainError, match=r"types\.price\.parent makes a value a kind of entity"):
        shipped(own_file(tmp_path, "types:", "  - {name: price, parent: system, value: true}"))


def test_a_verb_of_two_relations_is_refused_unless_types_tell_them_apart() -> None:
    text = _error("relations:", "  - {name: feeds, verbs: [supply]}", "  - {name: sells, verbs: [supply]}")
    assert "line 14: relations.sells.verbs 'supply' is claimed by relations.feeds too" in text
    assert "let domain or range tell them apart" in text
    apart = small(
        "relations:",
        "  - {name: feeds, domain: [system], verbs: [supply]}",
        "  - {name: sells, domain: [agent], verbs: [supply]}",
    )
    assert set(apart.relations) == {"feeds", "sells"}
    narrower = _error(
        "relations:",
        "  - {name: feeds, domain: [system], verbs: [supply]}",
        "  - {name: cools, domain: [server], verbs: [supply]}",  # a server is a system
    )
    assert "'supply' is claimed by relations.cools too" in narrower


def test_one_verb_read_both_ways_by_one_relation_is_refused() -> None:
    assert "'own' is in verbs too: keep it in one" in _error(
        "relations:", "  - {name: owned_by, verbs: [own], inverse_verbs: [own]}"
    )


def test_opposite_verbs_of_two_relations_meet_in_one_claim_and_are_refused() -> None:
    assert "'host' is claimed by relations.a too" in _error(
        "relations:",
        "  - {name: a, domain: [system], range: [server], verbs: [host]}",
        "  - {name: b, domain: [server], range: [system], inverse_verbs: [host]}",
    )


def test_a_label_or_head_of_two_types_is_refused(tmp_path: Path) -> None:
    own = own_file(tmp_path, "types:", "  - {name: rig, heads: [platform]}", "  - {name: firm, labels: [ORG]}")
    with pytest.raises(DomainError) as caught:
        shipped(own)
    assert "types.system.heads 'platform' shows types.rig too" in str(caught.value)
    assert "types.organisation.labels 'ORG' shows types.firm too" in str(caught.value)


def test_all_problems_are_told_at_once() -> None:
    text = _error("relations:", "  - {name: a, domain: [x]}", "patterns:", "  - {name: p, type: y, regex: '('}")
    assert len(text.splitlines()) == 3


def test_the_shipped_packs_are_three_and_load_in_any_order() -> None:
    assert shipped_packs() == ("default", "legal", "technical")
    assert shipped(None, "technical", "legal", "default").graph_digest == shipped().graph_digest
