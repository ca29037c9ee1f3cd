"""From a model's words to a JSON object: reasoning removed, fences and chatter around the object passed over."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from muniment.models.request import Reply

#: Says why an answer's JSON cannot be used, or None.
Check = Callable[[Mapping[str, Any]], str | None]

_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"^.*</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_THOUGHT_START = re.compile(r"<(?:think|thinking|reasoning)>.*$", re.DOTALL | re.IGNORECASE)


def judge(reply: Reply, check: Check) -> tuple[Mapping[str, Any] | None, str | None]:
    """(JSON object, None) of a usable answer, else (None, reason code)."""
    if reply.declined or reply.finish == "content_filter":
        return None, "model_answer_declined"
    data, code = read_object(reply.text)
    if data is None:
        cut = reply.finish == "length" and code != "model_answer_empty"
        return None, "model_answer_truncated" if cut else code
    return (None, code) if (code := check(data)) else (data, None)


def read_object(text: str) -> tuple[Mapping[str, Any] | None, str | None]:
    """The JSON object of an answer: the whole text, else the first object after what is not one."""
    if not text.strip():
        return None, "model_answer_empty"
    for candidate in (text, without_reasoning(text)):
        try:
            whole = json.loads(candidate)
        except ValueError:
            continue
        return (whole, None) if isinstance(whole, dict) else (None, "model_answer_invalid")
    visible = without_reasoning(text)
    if not visible.strip():
        return None, "model_answer_empty"
    found = _first_object(visible)
    return (found, None) if found is not None else (None, "model_answer_not_json")


def without_reasoning(text: str) -> str:
    """Without <think> blocks: closed ones, one whose start the server kept back, and one that never ends."""
    return _THOUGHT_START.sub("", _THOUGHT_END.sub("", _THOUGHT.sub("", text)))


def _first_object(text: str) -> dict[str, Any] | None:
    decoder = json.JSONDecoder()
    place = text.find("{")
    while place >= 0:
        try:
            found, _ = decoder.raw_decode(text, place)
        except ValueError:
            place = text.find("{", place + 1)
            continue
        return found
    return None
