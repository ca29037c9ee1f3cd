"""Reading windows with a language pipeline: runs in worker processes, knows nothing of tables or versions.

Prose is parsed element by element. Of a table each row is one sentence: a cell of MIN_CELL_WORDS words or
more is read as prose, a shorter one gets tokens and protected spans only (a parser makes up grammar for
"Owner" or "12"). Code is tokens by line. Without a pipeline a rule finds the sentences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from muniment.nlp import pipelines
from muniment.nlp.model import Sentence, Span
from muniment.nlp.protect import protected_spans
from muniment.nlp.segments import Piece, Window

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

#: Longer sentences are cut: quadratic rules and dependency errors grow with them.
MAX_SENTENCE_TOKENS = 1_200
#: Cells of a table with fewer words are not parsed.
MIN_CELL_WORDS = 4
#: Brackets of at most this many tokens hold no sentence of their own.
MAX_BRACKET_TOKENS = 16


@dataclass(slots=True)
class WindowReading:
    """Sentences of a window (ordinals from 0) and how many cuts were made inside sentences."""

    sentences: list[Sentence]
    forced_cuts: int


@dataclass(slots=True)
class _Part:
    """A stretch that one Doc holds; parts of one `group` are one sentence, without group it is prose."""

    start: int
    doc: Doc
    parse: bool
    group: tuple[int, int] | None = None


def annotate_windows(windows: tuple[Window, ...]) -> list[WindowReading]:
    """Readings of the windows in order. Each window is one batch, so grouping changes nothing."""
    return [_read(window) for window in windows]


def _read(window: Window) -> WindowReading:
    language = pipelines.load(window.package) if window.package else pipelines.load_blank(window.language)
    with_pipeline = window.package is not None
    parts = [
        part for index, piece in enumerate(window.pieces) for part in _parts(language, index, piece, with_pipeline)
    ]
    to_parse = [part for part in parts if part.parse]
    for part, doc in zip(to_parse, language.pipe([part.doc for part in to_parse], batch_size=256), strict=True):
        part.doc = doc
    sentences: list[Sentence] = []
    for sentence in _sentences(parts, parsed=with_pipeline):
        sentences += _limited(sentence)
    whole = sum(1 for sentence in sentences if sentence.ordinal >= 0)
    cuts = len(sentences) - whole + sum(piece.cut for piece in window.pieces)
    for ordinal, sentence in enumerate(sentences):
        sentence.ordinal = ordinal
    return WindowReading(sentences, cuts)


def _parts(language: Language, index: int, piece: Piece, with_pipeline: bool) -> Iterator[_Part]:
    if piece.mode == "prose":
        yield _Part(piece.start, _doc(language, piece.text), parse=True)
        return
    position = piece.start
    for number, line in enumerate(piece.text.split("\n")):
        for cell in line.split("\t") if piece.mode == "rows" else [line]:
            parse = with_pipeline and piece.mode == "rows" and len(cell.split()) >= MIN_CELL_WORDS
            if cell and not cell.isspace():
                doc = _doc(language, cell) if piece.mode == "rows" else language.make_doc(cell)
                yield _Part(position, doc, parse, (index, number))
            position += len(cell) + 1


def _doc(language: Language, text: str) -> Doc:
    """Tokens of a text in which each protected span is one token (a company name: its own tokens), labelled.

    The recogniser keeps these labels and extents.
    """
    from spacy.tokens import Doc, Span

    spans = [span for span in protected_spans(text) if "\n" not in text[span.start : span.end]]
    if not spans:
        return _bracketed(language.make_doc(text))
    words: list[str] = []
    spaces: list[bool] = []
    places: list[tuple[int, int]] = []
    position = 0
    for span in spans:
        _tokenize(language, text[position : span.start], words, spaces)
        first = len(words)
        if span.label == "ORG":  # the parser knows names of several words; only their extent is ours
            _tokenize(language, text[span.start : span.end], words, spaces)
        else:
            words.append(text[span.start : span.end])
            spaces.append(False)
        places.append((first, len(words)))
        spaces[-1] = text[span.end : span.end + 1] == " "
        position = span.end + spaces[-1]
    _tokenize(language, text[position:], words, spaces)
    doc = Doc(language.vocab, words=words, spaces=spaces)
    doc.set_ents([Span(doc, *place, label=span.label) for place, span in zip(places, spans, strict=True)])
    return _bracketed(doc)


def _bracketed(doc: Doc) -> Doc:
    """No sentence starts inside a short bracket: Acme SAS (ci-après « le Prestataire ») fournit …"""
    opened: int | None = None
    for token in doc:
        if token.text == "(":
            opened = token.i
        elif token.text == ")" and opened is not None:
            if token.i - opened <= MAX_BRACKET_TOKENS:
                for inside in range(opened + 1, token.i + 1):
                    doc[inside].is_sent_start = False
            opened = None
    return doc


def _tokenize(language: Language, text: str, words: list[str], spaces: list[bool]) -> None:
    for token in language.make_doc(text) if text else ():
        words.append(token.text)
        spaces.append(bool(token.whitespace_))


def _sentences(parts: list[_Part], *, parsed: bool) -> Iterator[Sentence]:
    waiting: list[_Part] = []
    for part in parts:
        if waiting and part.group != waiting[0].group:
            yield _row(waiting)
            waiting = []
        if part.group is None:
            yield from _prose(part, parsed=parsed)
        else:
            waiting.append(part)
    if waiting:
        yield _row(waiting)


def _prose(part: _Part, *, parsed: bool) -> Iterator[Sentence]:
    for span in part.doc.sents:
        tokens = [token for token in span if not token.is_space]
        if tokens:
            yield _sentence(part, tokens, parsed=parsed)


def _row(parts: list[_Part]) -> Sentence:
    """One sentence of the cells of a row; cells without parse have empty tags and are their own heads."""
    cells = [_sentence(part, [token for token in part.doc if not token.is_space], parsed=part.parse) for part in parts]
    any_parsed = any(cell.deps for cell in cells)
    row = Sentence(0, cells[0].start, cells[-1].end, "", [], [])
    for cell in cells:
        shift, count = len(row.token_starts), len(cell.token_starts)
        row.token_starts += cell.token_starts
        row.token_ends += cell.token_ends
        row.entities += [Span(span.start + shift, span.end + shift, span.label) for span in cell.entities]
        row.noun_chunks += [Span(span.start + shift, span.end + shift) for span in cell.noun_chunks]
        if any_parsed:
            row.lemmas += cell.lemmas or [""] * count
            row.pos += cell.pos or [""] * count
            row.tags += cell.tags or [""] * count
            row.deps += cell.deps or [""] * count
            row.heads += [head + shift for head in cell.heads or range(count)]
    return row


def _sentence(part: _Part, tokens: list[Token], *, parsed: bool) -> Sentence:
    places = {token.i: index for index, token in enumerate(tokens)}
    starts = [part.start + token.idx for token in tokens]
    ends = [start + len(token.text) for start, token in zip(starts, tokens, strict=True)]
    sentence = Sentence(0, starts[0], ends[-1], "", starts, ends)
    sentence.entities = list(_spans(part.doc.ents, places))
    if parsed:
        sentence.lemmas = [token.lemma_ for token in tokens]
        sentence.pos = [token.pos_ for token in tokens]
        sentence.tags = [token.tag_ for token in tokens]
        sentence.deps = [token.dep_ for token in tokens]
        sentence.heads = [_head(token, places) for token in tokens]
        sentence.noun_chunks = list(_spans(part.doc.noun_chunks, places))
    return sentence


def _head(token: Token, places: dict[int, int]) -> int:
    """Index of the nearest ancestor that the sentence keeps; its own index at the root."""
    own, head = token.i, token.head
    while head.i not in places and head.head.i != head.i:
        head = head.head
    return places.get(head.i, places[own])


def _spans(spans: object, places: dict[int, int]) -> Iterator[Span]:
    """Spans that start in the sentence, cut at its end and at white space."""
    for span in spans:  # type: ignore[attr-defined]
        kept = [places[token.i] for token in span if token.i in places]
        if kept:
            yield Span(kept[0], kept[-1] + 1, span.label_)


def _limited(sentence: Sentence) -> list[Sentence]:
    """The sentence, or its parts of at most MAX_SENTENCE_TOKENS; a part cut off has ordinal -1."""
    count = len(sentence.token_starts)
    if count <= MAX_SENTENCE_TOKENS:
        return [sentence]
    return [
        _part_of(sentence, first, min(first + MAX_SENTENCE_TOKENS, count), -1 if first else 0)
        for first in range(0, count, MAX_SENTENCE_TOKENS)
    ]


def _part_of(sentence: Sentence, first: int, last: int, ordinal: int) -> Sentence:
    def inside(spans: list[Span]) -> list[Span]:
        return [
            Span(max(span.start, first) - first, min(span.end, last) - first, span.label)
            for span in spans
            if span.start < last and span.end > first
        ]

    return Sentence(
        ordinal=ordinal,
        start=sentence.token_starts[first],
        end=sentence.token_ends[last - 1],
        text="",
        token_starts=sentence.token_starts[first:last],
        token_ends=sentence.token_ends[first:last],
        lemmas=sentence.lemmas[first:last],
        pos=sentence.pos[first:last],
        tags=sentence.tags[first:last],
        deps=sentence.deps[first:last],
        heads=[
            (head if first <= head < last else index) - first
            for index, head in enumerate(sentence.heads[first:last], start=first)
        ],
        entities=inside(sentence.entities),
        noun_chunks=inside(sentence.noun_chunks),
    )
