"""Conditions (R11): which words make a sentence's claims conditional, and which verbs stand inside a condition.

A claim whose sentence has a condition carries it; nothing inside a condition is asserted. Where the parse
attaches a condition to no verb, its words are found by rule and hold for the whole sentence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from muniment.claims.modality import modality, negated, negated_noun
from muniment.claims.trees import Tree

_STRONG = (
    r"(?:unless|if|except|provided\sthat|providing\sthat|subject\sto|save\s(?:where|as|for|that)|in\scase\s(?:of|that)?"
    r"|in\sthe\sevent\s(?:of|that)|on\s(?:the\s)?condition\sthat|as\slong\sas|so\slong\sas|insofar\sas"
    r"|to\sthe\sextent\s(?:that)?|without\sprejudice\sto|notwithstanding|assuming\sthat|only\s(?:if|when|where)"
    r"|sauf|à\smoins\sque|sous\sréserve|à\scondition|s['’]ils?|si)\b"
)
_WEAK = r"(?:provided|when|where|whenever|wherever|once|until|lorsque|lorsqu['’]|quand)\b"
_LEAD = r"^[\s,;(]*(?:(?:and|or|but|even|only|et|ou|mais)\s)?"
_STRONG_START = re.compile(_LEAD + _STRONG, re.IGNORECASE)
_WEAK_START = re.compile(_LEAD + _WEAK, re.IGNORECASE)
_STRONG_ANYWHERE = re.compile(r"(?<![\w-])" + _STRONG, re.IGNORECASE)
_WITHOUT = re.compile(_LEAD + r"without\b", re.IGNORECASE)
_ENGLISH_SI = re.compile(r"^[\s,;(]*SI\b")  # the unit system, not French "si"

_CARRIERS = frozenset(
    {"advcl", "prep", "advmod", "npadvmod", "pcomp", "acl", "relcl", "dep", "intj", "mark", "nmod", "amod", "obl:mod",
     "obl:arg", "acomp", "ROOT"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Condition:
    """Tokens first..last (half-open) and the verb they hang on; verb None: the whole sentence."""

    first: int
    last: int
    verb: int | None


def conditions(tree: Tree) -> list[Condition]:
    """Conditions of a sentence in order, without overlap (the outermost of nested ones)."""
    text = tree.sentence.text
    if not (_STRONG_ANYWHERE.search(text) or re.search(r"(?<!\w)(?:without\b|" + _WEAK + ")", text, re.IGNORECASE)):
        return []
    found = [condition for index in range(tree.size) if (condition := _attached(tree, index)) is not None]
    kept: list[Condition] = []
    for condition in sorted(found, key=lambda item: (item.first - item.last, item.first)):
        if all(condition.last <= other.first or condition.first >= other.last for other in kept):
            kept.append(condition)
    kept += _unattached(tree, kept)
    return sorted(kept, key=lambda item: item.first)


def is_question_clause(tree: Tree, verb: int) -> bool:
    """asked if …, determines whether …: nothing in it is asserted."""
    return tree.dep(verb) == "ccomp" and any(
        tree.words[mark] in ("if", "whether") for mark in tree.child(verb, ("mark", "advmod"))
    )


def _attached(tree: Tree, index: int) -> Condition | None:
    if tree.dep(index) not in _CARRIERS or tree.head(index) == index:
        return None
    first, last = tree.subtree(index)
    start = _trimmed(tree, first, last)
    opening = tree.sentence.slice(start, last)
    strong = _STRONG_START.match(opening) and not _ENGLISH_SI.match(opening)
    weak = _WEAK_START.match(opening) and _hypothetical(tree, index)
    if not (strong or weak or (_WITHOUT.match(opening) and _under_negation(tree, index))):
        return None
    if tree.dep(index) == "mark" and last - start == 1:
        return None  # the clause that the mark opens is the carrier
    verb = next((above for above in tree.ancestors(index) if tree.pos(above) in ("VERB", "AUX")), None)
    if verb is not None and start <= verb < last:
        return None
    return Condition(start, _end_trimmed(tree, start, last), verb)


def _hypothetical(tree: Tree, index: int) -> bool:
    """when and where are conditions of rules ("shall … where"), of what happened they tell the time."""
    if tree.dep(index) == "relcl":  # "delete the data where the contract ends" hangs on the noun
        governing = next((above for above in tree.ancestors(index) if tree.pos(above) in ("VERB", "AUX")), None)
        return governing is not None and modality(tree, governing) is not None
    if tree.dep(index) not in ("advcl", "prep"):
        return False
    if tree.words[_trimmed(tree, *tree.subtree(index))] == "until" and tree.pos(index) not in ("VERB", "AUX"):
        return False  # until 31 December: a date
    verbs = [index, *tree.child(index, ("aux", "auxpass", "ccomp", "aux:tense", "cop"))]
    return not any(tree.tag(verb) == "VBD" for verb in verbs)


def _under_negation(tree: Tree, index: int) -> bool:
    """shall not disclose it without the bank's consent: what is done with consent is not denied."""
    verbs = [above for above in tree.ancestors(index) if tree.pos(above) in ("VERB", "AUX")]
    subjects = [subject for verb in verbs for subject in tree.child(verb, ("nsubj", "nsubjpass"))]
    return any(negated(tree, verb) for verb in verbs) or any(negated_noun(tree, subject) for subject in subjects)


def _trimmed(tree: Tree, first: int, last: int) -> int:
    while first < last - 1 and tree.pos(first) == "PUNCT":
        first += 1
    return first


def _end_trimmed(tree: Tree, first: int, last: int) -> int:
    while last - 1 > first and tree.words[last - 1] in (",", ".", ";", ":"):
        last -= 1
    return last


def _unattached(tree: Tree, known: list[Condition]) -> list[Condition]:
    """Strong openers outside every attached condition: up to the comma at the sentence's start, else to its end."""
    sentence = tree.sentence
    found: list[Condition] = []
    for match in _STRONG_ANYWHERE.finditer(sentence.text):
        place = sentence.start + match.start()
        first = next((index for index, start in enumerate(sentence.token_starts) if start >= place), None)
        if first is None or sentence.token_starts[first] != place or match.group() == "SI":
            continue
        if any(condition.first <= first < condition.last for condition in [*known, *found]):
            continue
        if any(is_question_clause(tree, verb) for verb in [first, *tree.ancestors(first)]):
            continue
        stop = next((index for index in range(first + 1, tree.size) if tree.words[index] in (",", ";")), tree.size)
        last = stop if first == 0 else _before_next(tree, first, known)
        found.append(Condition(first, _end_trimmed(tree, first, last), None))
    return found


def _before_next(tree: Tree, first: int, known: list[Condition]) -> int:
    following = [condition.first for condition in known if condition.first > first]
    bracketed = first > 0 and tree.words[first - 1] == "("
    ends = [index for index in range(first + 1, tree.size) if tree.words[index] == ";" or _ends(tree, index, bracketed)]
    return min([*following, *ends, tree.size])


def _ends(tree: Tree, index: int, bracketed: bool) -> bool:
    """The bracket's end, or the start of the next cell of a row."""
    between = tree.sentence.token_ends[index - 1] - tree.sentence.start
    gap = tree.sentence.text[between : tree.sentence.token_starts[index] - tree.sentence.start]
    return "\t" in gap or (bracketed and tree.words[index] == ")")
