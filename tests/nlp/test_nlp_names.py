"""Normalised names, written days, references and defined short forms."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from muniment.nlp.acronyms import find_acronyms
from muniment.nlp.dates import parse_day
from muniment.nlp.names import display, normalise
from muniment.nlp.protect import protected_spans
from muniment.nlp.references import unit_references


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("The Acme  “Core” Group", 'acme "core" group'),
        ("the Agency,", "agency"),
        ("L'Agence", "agence"),
        ("die Bank", "bank"),
        ("ＡＣＭＥ Ltd.", "acme ltd"),
        ("state‑of‑the–art", "state-of-the-art"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("Article 5(2)", "article 5(2)"),
        ("(ENISA)", "enisa"),
        ("Газпром нефть", "газпром нефть"),
        ("Ελληνική Δημοκρατία", "ελληνική δημοκρατία"),
        ("الاتحاد الأوروبي", "الاتحاد الأوروبي"),
        ("中华人民共和国", "中华人民共和国"),
        ("Η Ελληνική Δημοκρατία", "ελληνική δημοκρατία"),
        ("משרד האוצר", "משרד האוצר"),
        ("भारतीय रिज़र्व बैंक", "भारतीय रिज़र्व बैंक"),
        ("한국은행", "한국은행"),
        ("กรุงเทพมหานคร", "กรุงเทพมหานคร"),
        # one letter or a letter with a combining mark, half-width and full-width, marks of direction, stretched letters
        ("Cafe\u0301 Lumie\u0300re", "café lumière"),
        ("Ｄｅｌｔａ　１２", "delta 12"),
        ("ﾃﾞﾙﾀ", "デルタ"),
        ("\u200fמשרד האוצר\u200f", "משרד האוצר"),
        ("\u2067Acme\u2069 Ltd", "acme ltd"),
        ("الاتحـــاد الأوروبي", "الاتحاد الأوروبي"),
        ("ﬁnance", "finance"),
        ("C++", "c++"),
        ("The", "the"),
    ],
)
def test_names_have_one_spelling_in_every_script(written: str, name: str) -> None:
    assert normalise(written) == name


@given(st.text(max_size=40))
def test_normalising_twice_changes_nothing_and_letters_survive(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    if any(char.isalnum() for char in text):
        assert once


def test_joiners_that_spell_are_kept_and_different_names_stay_different() -> None:
    names = ["میخواهم", "می\u200cخواهم", "Газпром", "Газпром нефть", "ΑΒΓ", "ABΓ", "中国银行", "中國銀行"]
    assert len({normalise(name) for name in names}) == len(names)


def test_display_keeps_case_and_drops_article_and_line_break() -> None:
    assert display("the Board of\n  Directors,") == "Board of Directors"


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2026-07-01", date(2026, 7, 1)),
        ("1 July 2026", date(2026, 7, 1)),
        ("1st of July 2026", date(2026, 7, 1)),
        ("July 1, 2026", date(2026, 7, 1)),
        ("1er juillet 2026", date(2026, 7, 1)),
        ("31 June 2026", None),
        ("July 2026", None),
        ("05/06/2026", None),
        ("30 days", None),
    ],
)
def test_only_written_days_are_dates(text: str, day: date | None) -> None:
    assert parse_day(text) == day


def test_references_with_their_labels() -> None:
    text = (
        "See Article 5(2), Art. 6, section 3.1, § 12, Annex II, clause 4.2(a), paragraph 3, Schedule 1, "
        "Articles 5 to 7, paragraphs (a) and (b), l'article 9, paragraphe 2, and Rule 10b. "
        "Part of it, as article I wrote, is gone."
    )
    assert [(item.kind, item.label) for item in unit_references(text)] == [
        ("article", "5(2)"),
        ("article", "6"),
        ("section", "3.1"),
        ("section", "12"),
        ("annex", "II"),
        ("clause", "4.2(a)"),
        ("paragraph", "3"),
        ("schedule", "1"),
        ("article", "5"),
        ("article", "7"),
        ("paragraph", "a"),
        ("paragraph", "b"),
        ("article", "9"),
        ("paragraph", "2"),
        ("rule", "10b"),
    ]


def test_protected_spans_are_whole_and_do_not_overlap() -> None:
    text = (
        "Policy P-12 under Commission Delegated Regulation (EU) No 648/2012: 3.5 % of EUR 1,000,000.50 by 2026-07-01."
    )
    assert [(text[item.start : item.end], item.label) for item in protected_spans(text)] == [
        ("P-12", "IDENTIFIER"),
        ("Commission Delegated Regulation (EU) No 648/2012", "LAW"),
        ("3.5 %", "PERCENT"),
        ("EUR 1,000,000.50", "MONEY"),
        ("2026-07-01", "DATE"),
    ]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("The Reserve Bank of India (RBI) acts.", [("RBI", "Reserve Bank of India")]),
        ("the European Union Agency for Cybersecurity (ENISA)", [("ENISA", "European Union Agency for Cybersecurity")]),
        ("General Data Protection Regulation (hereinafter 'GDPR')", [("GDPR", "General Data Protection Regulation")]),
        ('Acme Holdings Limited (the "Company")', [("Company", "Acme Holdings Limited")]),
        ("in Coordinated Universal Time (UTC)", [("UTC", "Coordinated Universal Time")]),
        ("Delta Bank plc (the “Bank”)", [("Bank", "Delta Bank plc")]),
        ("l'Autorité des Marchés Financiers (AMF)", [("AMF", "Autorité des Marchés Financiers")]),
        ('Beta Ltd met Bobby. Alice Ltd (the "Buyer") paid', [("Buyer", "Alice Ltd")]),
        ("the Payment Services Directive, known as PSD2", [("PSD2", "Payment Services Directive")]),
        ("Digital Operational Resilience Act (DORA applies", []),
        ("Digital Operational Resilience Act (DORA", [("DORA", "Digital Operational Resilience Act")]),
        ("HTTP (Hypertext Transfer Protocol) is used", [("HTTP", "Hypertext Transfer Protocol")]),
        ("It was published (in 2020) by Regulation (EU) 2019/881.", []),
        ('the Commission (hereinafter "the Commission")', []),
    ],
)
def test_short_forms_that_a_document_defines(text: str, pairs: list[tuple[str, str]]) -> None:
    found = find_acronyms(text)
    assert [(pair.short, pair.long) for pair in found] == pairs
    for pair in found:
        assert text[pair.short_start : pair.short_end] == pair.short
        assert text[pair.long_start : pair.long_end] == pair.long


def test_a_definition_does_not_reach_over_lines_and_the_first_one_holds() -> None:
    text = "Reserve Bank of\nIndia\n(RBI)\nRisk Board Index (RBI)\nRare Bird Inventory (RBI)"
    assert [(pair.short, pair.long) for pair in find_acronyms(text)] == [("RBI", "Risk Board Index")]
