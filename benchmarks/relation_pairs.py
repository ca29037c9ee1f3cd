"""Pairs and typed relations of RE-DocRED and WebNLG. Used by relations.py."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl
from relation_maps import RE_DOCRED, WEBNLG, mapped, properties
from relation_reading import Record, ratio, read, records, scored

from muniment.nlp.names import normalise
from muniment.settings import Settings

_GRAMMAR = re.compile(r"^(?:of|in|to|for|from|at|on|with|by|between|under|as|about|into|like|have|related_to|be)$")
_WORD = re.compile(r"[^\W_]+")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")


def docred(data: Path, limit: int, settings: Settings, misses: bool) -> list[str]:
    """Pairs and typed relations between gold entities."""
    chosen = records(data, "re_docred", limit)
    texts, places = {}, {}
    for item in chosen:
        texts[item["id"]], places[item["id"]] = _detokenised(item)
    claims, _ = read(texts, settings)
    gold = {
        ((item["id"], one["head"]), one["type"], (item["id"], one["tail"]))
        for item in chosen
        for one in item["relations"]
    }
    found = {
        (subject, row["predicate"], target, row["rule"] == "R12")
        for row in claims.filter(pl.col("polarity") == "positive").iter_rows(named=True)
        for subject in _at(places[row["document_id"]], row["subject_start"], row["subject_end"], row["document_id"])
        for target in _object_at(places[row["document_id"]], row, texts)
        if subject != target
    }
    stated = {item[:3] for item in found if not item[3]}
    typed_gold = {triple for triple in gold if triple[1] in properties(RE_DOCRED)}
    typed = mapped(stated, RE_DOCRED, gold)
    if misses:
        print("\n".join(f"    missed {triple}" for triple in sorted(typed_gold - typed)[:30]))
    gold_pairs = {frozenset((one, other)) for one, _, other in gold}
    return [
        f"re_docred: {len(chosen)} documents, {len(gold)} triples, {len(typed_gold)} of properties of the schema",
        scored("pairs (rules)", {frozenset((one, other)) for one, _, other in stated}, gold_pairs),
        scored("pairs (with co-occurrence)", {frozenset((one, other)) for one, _, other, _ in found}, gold_pairs),
        scored("typed, properties of the schema", typed, typed_gold),
        scored("typed, all properties", typed, gold),
    ]


def _detokenised(item: Record) -> tuple[str, list[tuple[int, int, int]]]:
    """Text of tokens, and (start, end, entity) of every gold mention."""
    text, starts = "", []
    for token in item["tokens"]:
        glued = not text or re.match(r"[,.;:!?)\]'’%]", token) or text[-1] in "([" or token == "n't"
        text += "" if glued else " "
        starts.append(len(text))
        text += token
    spans = [
        (starts[one["start"]], starts[one["end"] - 1] + len(item["tokens"][one["end"] - 1]), number)
        for number, entity in enumerate(item["entities"])
        for one in entity["mentions"]
    ]
    return text, spans


def _at(
    spans: Sequence[tuple[int, int, int]], start: int | None, end: int | None, document: str
) -> set[tuple[str, int]]:
    """The gold entity whose mention shares most with the span, and at least half of the shorter of both."""
    if start is None or end is None:
        return set()
    shared = [
        (min(end, last) - max(start, first), -abs(last - first - end + start), number, first, last)
        for first, last, number in spans
    ]
    best = max((one for one in shared if one[0] > 0), default=None)
    if best is None or 2 * best[0] < min(end - start, best[4] - best[3]):
        return set()
    return {(document, best[2])}


def _object_at(spans: Sequence[tuple[int, int, int]], row: Record, texts: dict[str, str]) -> set[tuple[str, int]]:
    """The gold entity that a claim's object, or its value as written, is."""
    document = row["document_id"]
    if row["object_start"] is not None:
        return _at(spans, row["object_start"], row["object_end"], document)
    said = normalise(row["value"] or "")
    return {
        (document, number) for first, last, number in spans if said and normalise(texts[document][first:last]) == said
    }


def webnlg(data: Path, limit: int, settings: Settings, misses: bool) -> list[str]:
    """Pairs and typed triples of sentences."""
    chosen = records(data, "edc_webnlg", limit)
    claims, _ = read({item["id"]: item["text"] for item in chosen}, settings)
    stated: dict[str, list[Record]] = {}
    for row in claims.filter((pl.col("polarity") == "positive") & (pl.col("rule") != "R12")).iter_rows(named=True):
        stated.setdefault(row["document_id"], []).append(row)
    gold, found, typed_gold, typed, pairs, hits = set(), set(), set(), set(), 0, 0
    for item in chosen:
        triples = {(item["id"], index, tuple(triple)) for index, triple in enumerate(item["triples"])}
        gold |= triples
        typed_gold |= {one for one in triples if one[2][1] in properties(WEBNLG)}
        for row in stated.get(item["id"], []):
            said = row["object"] or row["value"] or ""
            joined = [
                one for one in triples if _joins(one[2], row["subject"], said) or _joins(one[2], said, row["subject"])
            ]
            found.update(joined)
            counts = not _GRAMMAR.match(row["predicate"])
            pairs, hits = pairs + counts, hits + (counts and bool(joined))
            named = WEBNLG.get(row["predicate"], ())
            right = [one for one in joined if one[2][1] in named and _joins(one[2], row["subject"], said)]
            right += [one for one in joined if f"-{one[2][1]}" in named and _joins(one[2], said, row["subject"])]
            typed.update(right)
            if named and not right:
                typed.add((item["id"], row["claim_id"], ()))
    if misses:
        print("\n".join(f"    missed {one[2]}" for one in sorted(typed_gold - typed)[:40]))
    return [
        f"edc_webnlg: {len(chosen)} texts, {len(gold)} triples, {len(typed_gold)} with a predicate that the schema has",
        f"  {'pairs':<34} P {ratio(hits, pairs):.3f}  R {ratio(len(found), len(gold)):.3f}"
        f"  (claims {pairs}, gold {len(gold)})",
        scored("typed, predicates of the schema", typed, typed_gold),
        scored("typed, all predicates", typed, gold),
    ]


def _joins(triple: Sequence[str], subject: str, target: str) -> bool:
    return _same(triple[0], subject) and _same(triple[2], target)


def _same(gold: str, written: str) -> bool:
    """Head match: equal numbers, the same last word, or one name within the other."""
    left = re.sub(r"\([^)]*\)", "", gold.replace("_", " ")).strip(' "')
    numbers = [float(item.replace(",", "")) for item in _NUMBER.findall(left)]
    if numbers and not re.search(r"[^\W\d_]", left.replace("-", "")):
        return set(numbers) & {float(item.replace(",", "")) for item in _NUMBER.findall(written)} == set(numbers) or (
            re.match(r"\d{4}-\d\d-\d\d", left) is not None and left[:4] in written and str(int(left[8:10])) in written
        )
    ours, theirs = _WORD.findall(normalise(written)), _WORD.findall(normalise(left.partition(",")[0]))
    if not ours or not theirs:
        return False
    return ours[-1] == theirs[-1] or set(theirs) <= set(ours) or (len(ours) > 1 and set(ours) <= set(theirs))
