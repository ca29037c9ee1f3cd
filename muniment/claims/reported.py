"""What somebody is said to say: less certain than what a text says itself, and no claim at all where it is denied.

Reported are complements of verbs (said that …), what stands in quotation marks, and what is "according to" someone.
"""

from __future__ import annotations

from muniment.claims.conditions import is_question_clause
from muniment.claims.modality import negated
from muniment.claims.trees import Tree

_NOT_FACTIVE = frozenset(
    {"deny", "doubt", "dispute", "refuse", "want", "wish", "hope", "suggest", "propose", "ask", "wonder", "pretend"}
)
_SAYING = frozenset(
    {"acknowledge", "add", "admit", "agree", "announce", "argue", "assert", "assume", "believe", "claim", "conclude",
     "confirm", "consider", "contend", "declare", "estimate", "expect", "explain", "feel", "find", "hope", "insist",
     "know", "maintain", "mention", "note", "observe", "point", "predict", "recall", "recommend", "remark", "repeat",
     "reply", "report", "reveal", "say", "see", "show", "state", "stress", "suggest", "tell", "think", "understand",
     "warn", "write", "deny", "doubt", "ask", "wonder"}
)  # fmt: skip
#: Verbs whose infinitive complement with a subject of its own is true where they are: lets users read.
_CAUSING = frozenset({"cause", "force", "help", "let", "make", "see", "watch"})
_SUBJECTS = ("nsubj", "nsubjpass", "expl")


def reported(tree: Tree, verb: int) -> bool:
    """Whether the clause of the verb is what somebody says."""
    if tree.dep(verb) == "ccomp" and tree.head(verb) != verb:
        return not independent(tree, verb)
    if verb in tree.quoted:
        return True
    return any(tree.words[child] == "according" for child in tree.child(verb, ("prep",)))


def independent(tree: Tree, verb: int) -> bool:
    """A main clause that the parser hangs on the next as its complement: no verb of saying, or a semicolon, follows."""
    above = tree.head(verb)
    return (
        tree.dep(verb) == "ccomp"
        and verb < above
        and tree.has(verb, _SUBJECTS)
        and (tree.lemma(above) not in _SAYING or any(tree.words[index] == ";" for index in range(verb + 1, above)))
    )


def assertable(tree: Tree, verb: int) -> bool:
    """What is denied, doubted, asked or conditional is not asserted."""
    above = tree.head(verb)
    return not (
        negated(tree, above)
        or tree.lemma(above) in _NOT_FACTIVE
        or is_question_clause(tree, verb)
        or tree.words[above] in ("provided", "providing", "assuming")
        or (_infinitive(tree, verb) and tree.lemma(above) not in _CAUSING)
    )


def _infinitive(tree: Tree, verb: int) -> bool:
    """wants Acme to pay."""
    return any(tree.words[child] == "to" for child in tree.child(verb, ("aux",)))
