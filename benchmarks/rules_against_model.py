"""What a language model adds to the rules, on the example corpus: claims, refusals, precision, recall, tokens, seconds.

Usage: python benchmarks/rules_against_model.py [--small-model CALLS] [--base-url URL --model NAME [--api-key-env NAME]]

Compared on the same documents by `example_gold`: the rules alone; with a scripted model that states exactly what the
gold states (the upper bound of the path: what it loses is lost by the path's own checks); with the tiny real model of
the tests (`--small-model` limits its calls: the rest is then refused by the budget, and counted); and with any
endpoint. Each model has two lines: its own claims, and all claims together.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "benchmarks")]

from example_gold import GOLD, Found, Score, load, score_claims  # noqa: E402
from home_lab import HomeLab  # noqa: E402
from model_server import Body, Script, Sent, answers, gleaning, scripted, shown, small_model  # noqa: E402

from muniment.nlp.dates import find_dates  # noqa: E402

Row = dict[str, Any]


class PerfectModel:
    """Answers with the gold's claims whose sentence or row is in the text shown, named as written there."""

    def __init__(self, gold: Row) -> None:
        self._statements = gold["statements"]
        self._names = {item["name"]: [item["name"], *item["aliases"]] for item in gold["entities"]}

    def script(self) -> Script:
        """For the scripted endpoint."""

        def answer(body: Body, number: int) -> Sent:
            sent = answers() if gleaning(body) else answers(list(self._claims(shown(body))))
            # without a count of its own the gateway estimates the tokens that a model would be paid for
            uncounted = {name: part for name, part in json.loads(sent.body).items() if name != "usage"}
            return replace(sent, body=json.dumps(uncounted).encode())

        return answer

    def _claims(self, text: str) -> Iterator[Row]:
        plain = text.replace("“", '"').replace("”", '"')
        for statement in self._statements:
            for place in re.finditer(_pattern(statement), plain):
                quote = text[place.start() : place.end()]
                if "row" in statement and "\t" not in quote:
                    continue  # a paragraph that happens to have the same words
                yield from (self._item(wanted, quote) for wanted in statement["claims"])

    def _item(self, wanted: Row, quote: str) -> Row:
        subject = self._written(wanted["subject"], quote)
        dates = {str(found.day): quote[found.start : found.end] for found in find_dates(quote)}
        return {
            "quote": quote,
            "subject": subject,
            "predicate": wanted["predicate"],
            "object": self._written(wanted["object"], quote, subject) if "object" in wanted else None,
            "value": wanted.get("value"),
            "polarity": wanted.get("polarity", "positive"),
            "modality": wanted.get("modality", "is"),
            "condition": wanted.get("condition"),
            "valid_from": dates.get(wanted.get("valid_from", "")),
            "valid_to": None,
        }

    def _written(self, name: str, quote: str, other: str = "") -> str:
        """The entity's name or alias that the quote has, the longest first, not the other one; else the name."""
        known = sorted(self._names.get(name, [name]), key=len, reverse=True)
        written = (one for one in known if re.search(rf"(?<!\w){re.escape(one)}(?!\w)", quote, re.I))
        return next((one for one in written if one != other), name)


def _pattern(statement: Row) -> str:
    if "sentence" in statement:
        return r"\s+".join(re.escape(word) for word in statement["sentence"].split())
    return r"[^\n]*?" + r"[^\n]*?".join(re.escape(cell) for cell in statement["row"]) + r"[^\n]*"


@contextmanager
def example_home(corpus: Path, endpoint: Row | None, **models: Any) -> Iterator[tuple[HomeLab, float]]:
    """The corpus in a home, read with or without a model; and the seconds of the stage that asks it."""
    options: Row = {"workers": {"backend": "forkserver", "processes": 2}}
    if endpoint is not None:
        options |= {
            "endpoint": endpoint,
            "models": {"claims": True, **models},
            "egress": {"rules": [{"name": "benchmark"}]},
        }
    with tempfile.TemporaryDirectory() as folder:
        lab = HomeLab(Path(folder) / "home", options)
        try:
            lab.scan(corpus, "example")
            start = time.monotonic()
            lab.process()
            seconds = time.monotonic() - start
            lab.publish()
            yield lab, seconds
        finally:
            lab.close()


def only(found: Found, *, model: bool) -> Found:
    """Claims of the model, or of all but the model."""
    return replace(
        found,
        claims={path: [row for row in rows if (row["rule"] == "L") == model] for path, rows in found.claims.items()},
    )


def line(name: str, score: Score, claims: int, rest: Sequence[object] = ()) -> str:
    """One line of the table."""
    figures = f"{claims:7d} {score.precision:10.3f} {score.recall:7.3f} {score.f1:7.3f}"
    return f"{name:40s} {figures} " + " ".join(f"{value:>9}" for value in rest)


def measure(name: str, lab: HomeLab, seconds: float, gold: Row, *, model: bool) -> None:
    """Print the lines of one way of reading."""
    rows = lab.warehouse.latest()
    found = load(rows)
    count = {own: sum(map(len, only(found, model=own).claims.values())) for own in (True, False)}
    if not model:
        print(line(name, score_claims(gold, found), count[False], ("", "", "", "", f"{seconds:.0f}")))
        return
    listed, kept = rows.read(
        "SELECT sum(expected)::BIGINT, sum(actual)::BIGINT FROM stage_books WHERE unit = 'model_claims'"
    ).row(0)
    tokens = rows.read("SELECT sum(prompt_tokens)::BIGINT, sum(answer_tokens)::BIGINT FROM model_answers").row(0)
    rest = (listed or 0, (listed or 0) - (kept or 0), tokens[0] or 0, tokens[1] or 0, f"{seconds:.0f}")
    print(line(f"{name}: its own claims", score_claims(gold, only(found, model=True)), count[True], rest))
    print(line(f"{name}: with the rules", score_claims(gold, found), sum(count.values())))
    refused = rows.read(
        "SELECT unit, reason_code, sum(amount)::BIGINT FROM losses WHERE unit LIKE 'model_%' "
        "GROUP BY 1, 2 ORDER BY 1, 2"
    )
    for unit, code, amount in refused.iter_rows():
        print(f"    {unit}: {code} {amount}")
    asked = rows.read("SELECT state, count(*) FROM model_requests GROUP BY 1 ORDER BY 1").rows()
    print("    requests: " + ", ".join(f"{number} {state}" for state, number in asked))


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small-model", type=int, default=0, metavar="CALLS", help="also the tiny real model")
    parser.add_argument("--base-url", help="also this endpoint")
    parser.add_argument("--model", help="its model")
    parser.add_argument("--api-key-env", default="", help="name of the variable that holds its key")
    options = parser.parse_args()
    if bool(options.base_url) != bool(options.model):
        parser.error("--base-url and --model go together")
    gold = json.loads(GOLD.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder) / "corpus"
        subprocess.run([sys.executable, ROOT / "examples" / "make_corpus.py", corpus], check=True, capture_output=True)
        print(f"{'':40s} {'claims':>7} {'precision':>10} {'recall':>7} {'F1':>7} ", end="")
        print(" ".join(f"{name:>9}" for name in ("listed", "refused", "in tok", "out tok", "seconds")))
        with example_home(corpus, None) as (lab, seconds):
            measure("rules alone", lab, seconds, gold, model=False)
        script = PerfectModel(gold).script()
        with scripted(script) as served:
            endpoint = {"base_url": served.base_url, "model": "perfect"}
            with example_home(corpus, endpoint, gleaning_rounds=0) as (lab, seconds):
                measure("scripted perfect model", lab, seconds, gold, model=True)
        with small_model(threads=2) if options.small_model else nullcontext() as base_url:
            if base_url is not None:
                endpoint = {
                    "base_url": base_url, "model": "smollm2", "structured_output": "json_schema_bounded",
                    "bounded_items": 3, "max_output_tokens": 1200, "concurrency": 1, "timeout_seconds": 600,
                    "max_calls_per_run": options.small_model,
                }  # fmt: skip
                with example_home(corpus, endpoint, gleaning_rounds=0) as (lab, seconds):
                    measure("SmolLM2-135M", lab, seconds, gold, model=True)
        if options.base_url:
            endpoint = {"base_url": options.base_url, "model": options.model}
            if options.api_key_env:
                endpoint["api_key"] = os.environ[options.api_key_env]
            with example_home(corpus, endpoint) as (lab, seconds):
                measure(options.model, lab, seconds, gold, model=True)


if __name__ == "__main__":
    main()
