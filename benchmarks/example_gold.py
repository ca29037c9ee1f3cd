"""How well the example corpus is read: claims and conflicts of a home against `examples/gold.json`.

Usage: python benchmarks/example_gold.py [HOME] [--misses]
Without HOME the corpus is made and ingested in a folder of its own. Claims of the published generation are compared
with `statements`, and conflicts with `conflicts`, both written by hand from the texts.

A claim is looked for among those whose evidence overlaps the statement's sentence (a register's row likewise).
It is matched by subject, predicate (the schema's name or the raw words) and object or value. Names match by an alias
of the gold entity; other nouns by their head word (head match). Values match by number and unit. Recall is over all
claims of the gold. Precision is over sentences that the gold covers whole (`complete`): a claim there that matches
nothing is false, but for bare prepositions between nouns ("X of Y") and co-occurrence, which assert nothing that the
gold could deny; they are counted apart. Qualifiers are compared on the matched claims; the predicate where the schema
has the one that the gold names.

A conflict is found where one row has claims of both sides on different sides; its class is right where the kind is
that of the gold or one of `also`. Kind `none` must not be listed. The false conflict rate is the share of listed
conflicts that no gold conflict has.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from muniment.claims.values import read_value
from muniment.domain.loading import load_domain
from muniment.home import Home
from muniment.nlp.names import normalise
from muniment.publication.reader import GenerationReader
from muniment.settings import DomainSettings, load_settings
from muniment.store.rows import Rows

ROOT = Path(__file__).resolve().parents[1]
GOLD = ROOT / "examples" / "gold.json"

Row = dict[str, Any]

_PREPOSITIONS = frozenset(
    [
        "of",
        "for",
        "in",
        "from",
        "on",
        "to",
        "at",
        "by",
        "with",
        "under",
        "between",
        "within",
        "without",
        "during",
        "after",
        "before",
        "about",
        "per",
        "via",
        "over",
    ]
)
_ENDS_HEAD = re.compile(r"\s(?:of|for|in|from|on|to|at|by|with|under|that|which|who|and|between)\s", re.I)

_CLAIMS = """
SELECT c.*, f.path, s.text AS subject_text, s.acronym_of AS subject_long, o.text AS object_text,
       o.acronym_of AS object_long, sm.entity_id AS subject_id, om.entity_id AS object_id
FROM claims c
JOIN generation_versions g ON g.version_id = c.version_id AND g.held
JOIN manifest f ON f.version_id = c.version_id AND f.held
JOIN mentions s ON s.mention_id = c.subject_mention_id
LEFT JOIN mentions o ON o.mention_id = c.object_mention_id
LEFT JOIN entity_mentions sm ON sm.mention_id = c.subject_mention_id
LEFT JOIN entity_mentions om ON om.mention_id = c.object_mention_id
ORDER BY c.claim_id
"""


@dataclass
class Found:
    """What a home says, by path."""

    claims: dict[str, list[Row]]
    texts: dict[str, str]
    evidence: dict[str, list[tuple[int, int]]]
    aliases: dict[str, set[str]]
    conflicts: dict[str, Row]
    sides: dict[str, dict[str, str]]
    names: dict[str, str]


@dataclass
class Score:
    """Counts of claims: wanted by the gold, matched, false and unjudged in complete sentences."""

    wanted: int = 0
    matched: int = 0
    right: int = 0
    false: int = 0
    unjudged: int = 0
    qualifiers: Counter[str] = field(default_factory=Counter)
    misses: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    by_rule: Counter[str] = field(default_factory=Counter)

    @property
    def precision(self) -> float:
        """Share of the judged claims that the gold has."""
        return self.right / max(1, self.right + self.false)

    @property
    def recall(self) -> float:
        """Share of the gold's claims that were found."""
        return self.matched / max(1, self.wanted)

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.precision * self.recall / max(1e-9, self.precision + self.recall)


def load(rows: Rows) -> Found:
    """Claims with names, evidence and conflicts of the published state."""
    claims: dict[str, list[Row]] = defaultdict(list)
    for row in rows.read(_CLAIMS).iter_rows(named=True):
        claims[row["path"]].append(row)
    evidence: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for claim_id, start, end in rows.table("claim_evidence", ["claim_id", "start", "end"]).iter_rows():
        evidence[claim_id].append((start, end))
    aliases: dict[str, set[str]] = defaultdict(set)
    for entity_id, alias in rows.table("aliases", ["entity_id", "alias"]).iter_rows():
        aliases[entity_id].add(alias)
    sides: dict[str, dict[str, str]] = defaultdict(dict)
    for conflict_id, claim_id, side in rows.table("conflict_claims", ["conflict_id", "claim_id", "side"]).iter_rows():
        sides[conflict_id][claim_id] = side
    texts = rows.read(
        "SELECT f.path, t.text FROM canonical_texts t JOIN generation_versions g "
        "ON g.extraction_id = t.extraction_id AND g.held JOIN manifest f ON f.version_id = g.version_id AND f.held"
    )
    return Found(
        claims=claims,
        texts=dict(texts.iter_rows()),
        evidence=evidence,
        aliases=aliases,
        conflicts={row["conflict_id"]: row for row in rows.table("conflicts").iter_rows(named=True)},
        sides=sides,
        names=dict(rows.table("canonical_entities", ["entity_id", "name"]).iter_rows()),
    )


def place(found: Found, statement: Row) -> tuple[int, int] | None:
    """Where the sentence or row stands in the file's text; None where it does not."""
    text = found.texts.get(statement["file"], "")
    if "sentence" in statement:
        words = [re.escape(word) for word in statement["sentence"].split()]
        pattern = r"\s+".join(words)
    else:
        pattern = r"[^\n]*?" + r"[^\n]*?".join(re.escape(cell) for cell in statement["row"]) + r"[^\n]*"
    match = re.search(pattern, text.replace("“", '"').replace("”", '"'))
    return (match.start(), match.end()) if match else None


def claims_at(found: Found, path: str, span: tuple[int, int]) -> list[Row]:
    """Claims of the file whose evidence stands within the span or holds it."""
    start, end = span
    return [
        claim
        for claim in found.claims.get(path, [])
        if any(
            first >= 0 and min(last, end) - max(first, start) >= 0.6 * min(last - first, end - start)
            for first, last in found.evidence[claim["claim_id"]]
        )
    ]


class Names:
    """Whether a mention names what the gold names."""

    def __init__(self, gold: Row, found: Found) -> None:
        self._known = {
            normalise(entity["name"]): {normalise(entity["name"]), *(normalise(alias) for alias in entity["aliases"])}
            for entity in gold["entities"]
        }
        self._found = found

    def same(self, wanted: str, text: str | None, long_form: str | None, entity_id: str | None) -> bool:
        """Known entities by an alias of either side, other nouns by their head word."""
        if text is None:
            return False
        said = {normalise(text), normalise(_head_phrase(text)), long_form or ""}
        known = self._known.get(normalise(wanted))
        if known is not None:
            return bool(known & (said | self._found.aliases.get(entity_id or "", set())))
        return normalise(wanted) in said or _head(wanted) == _head(text)


def _head_phrase(text: str) -> str:
    return _ENDS_HEAD.split(f"{text} ")[0].strip()


def _head(text: str) -> str:
    words = normalise(_head_phrase(text)).split()
    return re.sub(r"(?<=[^s])s$", "", words[-1]) if words else ""


def _same_value(wanted: str, claim: Row) -> bool:
    said = claim["value"] if claim["value"] is not None else claim["object_text"]
    if said is None:
        return False
    if normalise(wanted).replace(" ", "") == normalise(said).replace(" ", ""):
        return True
    for kind in ("date", "number", "money", "percent"):
        value = read_value(0, len(wanted), wanted, kind)
        if value.day is not None and claim["value_date"] is not None:
            return value.day == claim["value_date"] and value.precision == claim["value_precision"]
        if value.number is not None and claim["value_number"] is not None:
            return value.number == claim["value_number"] and (value.unit or "") == (claim["value_unit"] or "")
    return _bare_measure(wanted) == _bare_measure(said)


def _bare_measure(text: str) -> str:
    return re.sub(r"^(?:at )?(?:most|least) ", "", normalise(text)).replace(" ", "")


def _plain(predicate: str) -> str:
    return predicate.replace(" ", "_").replace("-", "_").lower()


def matches(wanted: Row, claim: Row, names: Names) -> bool:
    """Subject, predicate and object or value are those of the gold."""
    raw = {_plain(one) for one in wanted.get("raw", ())}
    of_schema = _plain(claim["predicate"]) == wanted["predicate"]
    if not of_schema and not {_plain(claim["predicate_raw"]), _plain(claim["predicate"])} & raw:
        return False
    straight = _ends(wanted["subject"], wanted, claim, names)
    if straight or of_schema or "object" not in wanted:
        return straight
    # the text's own direction, or another relation of the schema that turns it
    return _ends(wanted["object"], {"object": wanted["subject"]}, claim, names)


def _ends(subject: str, wanted: Row, claim: Row, names: Names) -> bool:
    if not names.same(subject, claim["subject_text"], claim["subject_long"], claim["subject_id"]):
        return False
    if "value" in wanted:
        return _same_value(wanted["value"], claim)
    text = claim["object_text"] if claim["object_text"] is not None else claim["value"]
    return names.same(wanted["object"], text, claim["object_long"], claim["object_id"])


def _judged(claim: Row) -> bool:
    return claim["rule"] != "R12" and _plain(claim["predicate_raw"]) not in _PREPOSITIONS


def score_claims(gold: Row, found: Found) -> Score:
    """Claims of the home against the statements of the gold."""
    names, score = Names(gold, found), Score()
    domain = load_domain(DomainSettings())
    known = frozenset({*domain.relations, *domain.attributes})
    for statement in gold["statements"]:
        span = place(found, statement)
        near = claims_at(found, statement["file"], span) if span else []
        label = statement.get("sentence") or " | ".join(statement["row"])
        for wanted in statement["claims"]:
            score.wanted += 1
            fitting = [claim for claim in near if matches(wanted, claim, names)]
            if not fitting:
                score.misses[_why_missed(wanted, near, span, names)].append(f"{label} :: {_brief(wanted)}")
                continue
            score.matched += 1
            best = min(fitting, key=lambda claim: (-claim["confidence"], claim["claim_id"]))
            _compare(score, wanted, best, gold["files"][statement["file"]], label, known)
        if statement.get("complete"):
            _precision(score, statement, near, names, label)
    return score


def _precision(score: Score, statement: Row, near: list[Row], names: Names, label: str) -> None:
    for claim in near:
        if any(matches(wanted, claim, names) for wanted in statement["claims"]):
            score.right += 1
        elif not _judged(claim):
            score.unjudged += 1
        else:
            score.false += 1
            score.by_rule[claim["rule"]] += 1
            said = claim["object_text"] or claim["value"]
            score.misses["false claim"].append(
                f"{label} :: {claim['rule']} {claim['subject_text']} | {claim['predicate_raw']} | {said}"
            )


def _why_missed(wanted: Row, near: list[Row], span: tuple[int, int] | None, names: Names) -> str:
    if span is None:
        return "sentence not in the text"
    if not near:
        return "no claim from the sentence"
    raw = {_plain(one) for one in wanted.get("raw", ())} | {wanted["predicate"]}
    predicate = [claim for claim in near if {_plain(claim["predicate"]), _plain(claim["predicate_raw"])} & raw]
    if not predicate:
        ends = any(_ends(wanted["subject"], wanted, claim, names) for claim in near)
        return "other predicate" if ends else "predicate not found"
    ends = {wanted["subject"], wanted.get("object", "")}
    if any(
        names.same(end, claim["subject_text"], claim["subject_long"], claim["subject_id"])
        for claim in predicate
        for end in ends
    ):
        return "value not found" if "value" in wanted else "object not found"
    return "subject not found"


def _brief(wanted: Row) -> str:
    return f"{wanted['subject']} | {wanted['predicate']} | {wanted.get('object', wanted.get('value'))}"


def _compare(score: Score, wanted: Row, claim: Row, file: Row, label: str, known: frozenset[str]) -> None:
    day = {name: wanted.get(name, file.get(name)) for name in ("valid_from", "valid_to")}
    right = {
        "predicate": wanted["predicate"] not in known or _plain(claim["predicate"]) == wanted["predicate"],
        "polarity": claim["polarity"] == wanted.get("polarity", "positive"),
        "modality": claim["modality"] == wanted.get("modality", "is"),
        "condition": _same_condition(wanted.get("condition"), claim["condition_text"]),
        "validity": all((str(claim[name]) if claim[name] else None) == value for name, value in day.items()),
    }
    for name, fits in right.items():
        score.qualifiers[name] += fits
        if not fits:
            said = {"condition": claim["condition_text"], "validity": (claim["valid_from"], claim["valid_to"])}
            score.misses[f"wrong {name}"].append(f"{label} :: {_brief(wanted)} :: {said.get(name, claim.get(name))}")


def _same_condition(wanted: str | None, said: str | None) -> bool:
    if wanted is None or said is None:
        return wanted is said
    return normalise(wanted) in normalise(said) or normalise(said) in normalise(wanted)


def score_conflicts(gold: Row, found: Found) -> tuple[dict[str, Counter[str]], list[str], list[str]]:
    """By kind: wanted, found, right class; the listed conflicts that the gold lacks; what was missed."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    expected: set[str] = set()
    missed: list[str] = []
    names = Names(gold, found)
    for conflict in gold["conflicts"]:
        sides = [_side_claims(found, side) for side in conflict["sides"]]
        rows = _with_both(found, conflict, sides, names)
        kind, counts = conflict["kind"], table[conflict["kind"]]
        counts["wanted"] += 1
        if kind == "none":
            listed = [row for row in rows if row["listed"]]
            counts["kept apart"] += not listed
            missed += [f"listed, and none: {conflict['subject']} | {conflict['predicate']}"] if listed else []
            continue
        expected |= {row["conflict_id"] for row in rows}
        counts["found"] += bool(rows)
        fits = {kind, *conflict.get("also", ())}
        counts["right class"] += any(row["kind"] in fits for row in rows)
        if not rows:
            missed.append(f"{kind}: {conflict['subject']} | {conflict['predicate']}")
    false = [
        _shown(found, row) for key, row in sorted(found.conflicts.items()) if row["listed"] and key not in expected
    ]
    return table, false, missed


def _side_claims(found: Found, side: Row) -> set[str]:
    claims: set[str] = set()
    for evidence in side["evidence"]:
        span = place(found, evidence)
        claims |= {claim["claim_id"] for claim in claims_at(found, evidence["file"], span)} if span else set()
    return claims


def _with_both(found: Found, conflict: Row, sides: list[set[str]], names: Names) -> list[Row]:
    """Conflict rows of the gold's subject with claims from the evidence of both sides on different sides."""
    rows = []
    for key, row in found.conflicts.items():
        labels = [{side for claim, side in found.sides[key].items() if claim in claims} for claims in sides]
        apart = labels[0] and labels[1] and (labels[0] != labels[1] or row["kind"] == "duplicate")
        subject = found.names.get(row["subject_id"])
        wanted = conflict["subject"].split(", ")
        if apart and any(names.same(one, subject, None, row["subject_id"]) for one in [*wanted, *_members(conflict)]):
            rows.append(row)
    return rows


def _members(conflict: Row) -> list[str]:
    return ["Brightwell Systems Limited"] if conflict["subject"] == "Suppliers" else []


def _shown(found: Found, row: Row) -> str:
    name = found.names.get(row["subject_id"], row["subject_id"])
    sides = sorted({found.names.get(side, side) for side in found.sides[row["conflict_id"]].values()})
    target = f" ({found.names.get(row['target'], row['target'])})" if row["target"] else ""
    return f"{row['kind']}: {name} | {row['predicate']}{target} | {' / '.join(sides)}"


def make_home(folder: Path) -> Path:
    """The example corpus ingested in `folder`."""
    corpus, home = folder / "corpus", folder / "home"
    subprocess.run([sys.executable, ROOT / "examples" / "make_corpus.py", corpus], check=True, capture_output=True)
    command = [Path(sys.executable).with_name("muniment"), "--home", home, "ingest", corpus, "--source", "example"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 3, 4):  # losses to review are expected
        sys.exit(f"ingest ended with {done.returncode}: {done.stderr[-2000:]}")
    return home


def report(score: Score, conflicts: tuple[dict[str, Counter[str]], list[str], list[str]], *, misses: bool) -> str:
    """What is printed."""
    table, false, missed = conflicts
    lines = [
        f"claims: {score.wanted} in the gold, {score.matched} found; in complete sentences {score.right} right, "
        f"{score.false} false, {score.unjudged} not judged",
        f"precision {score.precision:.3f}  recall {score.recall:.3f}  F1 {score.f1:.3f}",
        "on the matched: "
        + "  ".join(
            f"{name} {score.qualifiers[name] / max(1, score.matched):.3f}"
            for name in ("predicate", "polarity", "modality", "condition", "validity")
        ),
        f"false by rule: {dict(sorted(score.by_rule.items()))}",
        "missed or wrong: " + ", ".join(f"{kind} {len(items)}" for kind, items in sorted(score.misses.items())),
        "conflicts: "
        + "; ".join(
            f"{kind} " + ", ".join(f"{name} {number}" for name, number in counts.items())
            for kind, counts in sorted(table.items())
        ),
    ]
    wanted = sum(counts["wanted"] for kind, counts in table.items() if kind != "none")
    found = sum(counts["found"] for kind, counts in table.items() if kind != "none")
    listed = len(false) + sum(counts["found"] for kind, counts in table.items() if kind == "contradiction")
    lines.append(
        f"conflict recall {found}/{wanted}, right class "
        f"{sum(counts['right class'] for counts in table.values())}/{wanted}; "
        f"false conflicts {len(false)} of {listed} listed ({len(false) / max(1, listed):.2f})"
    )
    lines += [f"  not in the gold: {item}" for item in false] + [f"  missed: {item}" for item in missed]
    if misses:
        lines += [f"  {kind}: {item}" for kind, items in sorted(score.misses.items()) for item in items]
    return "\n".join(lines)


def evaluate(home: Path) -> tuple[Score, tuple[dict[str, Counter[str]], list[str], list[str]]]:
    """Scores of a home's published generation."""
    gold = json.loads(GOLD.read_text("utf-8"))
    reader = GenerationReader(Home(home), load_settings({"home": home}))
    try:
        found = reader.with_generation(lambda generation: load(generation.rows))
    finally:
        reader.close()
    return score_claims(gold, found), score_conflicts(gold, found)


def main() -> None:
    """Print the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("home", nargs="?", type=Path)
    parser.add_argument("--misses", action="store_true", help="print each miss by kind")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        score, conflicts = evaluate(options.home or make_home(Path(folder)))
    print(report(score, conflicts, misses=options.misses))


if __name__ == "__main__":
    main()
