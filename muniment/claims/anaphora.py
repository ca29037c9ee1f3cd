"""Pronouns and short forms ("the company") that one name before them in the same section must mean.

Conservative by design (methods, section 1.2): an antecedent is taken only where exactly one is compatible in type
and number; where two compete, or where nothing fits, the word stays unresolved and is counted. Rules:

- A subject pronoun (it, they, he, she; il, elle, ils, elles) means the subject of an earlier clause of its sentence,
  else that of the sentence before (of the one before that, where it has no subject), else what the section's
  heading names. A competing subject or object of that sentence, a competing name of the same type, or an
  unresolved pronoun in between leaves it unresolved. "It is required that …" means nothing and is not counted.
- A possessive (its, their, his, her) means the only compatible subject before it in its own sentence.
- "the company", "the system", "this agreement" means the only name of the section so far that ends in that word,
  or, for words that stand for any name of a type, the only one of that type. A term that the document defines is
  left to its definition, and capitalised ones ("the Gateway") to `short_forms`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from muniment.claims.drafts import Scope
from muniment.claims.mentions import Mention
from muniment.claims.rules_verbs import named
from muniment.claims.trees import Clause, Tree
from muniment.nlp.names import normalise

#: Pronoun → (plural, whether it may mean a person, whether it may mean a thing).
_PRONOUNS: dict[str, tuple[bool, bool, bool]] = {
    "it": (False, False, True), "its": (False, False, True),
    "they": (True, True, True), "their": (True, True, True),
    "he": (False, True, False), "his": (False, True, False),
    "she": (False, True, False), "her": (False, True, False),
    "il": (False, True, True), "elle": (False, True, True),
    "ils": (True, True, True), "elles": (True, True, True),
}  # fmt: skip
_POSSESSIVE = frozenset({"its", "their", "his", "her"})
#: Words that stand for any name of a type.
_TYPE_WORDS: dict[str, str] = {
    "company": "organisation", "firm": "organisation", "corporation": "organisation", "organisation": "organisation",
    "organization": "organisation", "undertaking": "organisation", "entreprise": "organisation",
    "société": "organisation", "system": "system", "platform": "system", "application": "system",
    "système": "system", "agreement": "contract", "contract": "contract", "contrat": "contract",
    "regulation": "law", "directive": "law", "règlement": "law", "policy": "policy", "politique": "policy",
}  # fmt: skip
_DEFINITE = frozenset({"the", "this", "that", "said", "le", "la", "l'", "l’", "ce", "cette", "cet"})
_PLURAL_DETERMINERS = frozenset({"les", "des", "ces", "ses", "leurs", "plusieurs", "certains", "certaines"})
_SUBJECTS = ("nsubj", "nsubjpass", "nsubj:pass")
_CLAUSAL = ("ccomp", "xcomp", "csubj", "csubj:pass", "csubjpass")
_IMPERSONAL = frozenset({"falloir", "agir", "rain", "snow", "seem", "appear"})
_PERSONS = frozenset({"person"})
_NO_ANTECEDENT = frozenset({"group", "language", "date", "money", "percent", "quantity"})
_COMPLEMENT = re.compile(r"\s(?:of|for|on|de|du|des|pour)\s")
#: Dependents that leave a short form what it is: its place in coordination, and clauses that say something of it.
_OWN = frozenset({"conj", "cc", "relcl", "appos", "cop", "nsubj", "obl:mod", "advmod"})
#: Sentences back that a pronoun may reach.
_REACH = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A mention that may be meant. `core`: a subject, object or agent, no adjunct."""

    mention: Mention
    name: str  # normalised
    kind: str
    plural: bool
    core: bool
    named: bool


@dataclass(slots=True)
class _Said:
    """What a sentence offers to the next. `open`: it has a subject pronoun that was left unresolved."""

    subjects: list[Candidate]
    everything: list[Candidate]
    open: bool


@dataclass(slots=True)
class Anaphora:
    """Antecedents of one document, told sentence by sentence; a new section forgets all but its heading."""

    defined: frozenset[str] = frozenset()  # normalised short forms that the document defines
    resolved: int = 0
    unresolved: int = 0
    _section: int = -1
    _before: list[_Said] = field(default_factory=list)
    _names: list[Candidate] = field(default_factory=list)
    _heading: list[Candidate] = field(default_factory=list)
    _known: dict[tuple[int, int], Candidate] = field(default_factory=dict)  # by place of the mention

    def read(self, scope: Scope, clauses: list[Clause], section: int, *, heading: bool) -> None:
        """Resolve the sentence's pronouns and short forms into `scope.borrowed`, and remember what it names.

        Sentences come in order; `section` is any number that changes with the section.
        """
        if section != self._section:
            self._section, self._before, self._names, self._heading = section, [], [], []
        everything = self._everything(scope, clauses)
        if heading:
            self._heading += [item for item in everything if item.mention.source == "subject"]
            self._names += self._heading
            return
        waiting = False
        for token in range(scope.tree.size):
            waiting = self._resolve(scope, clauses, token, everything) or waiting
        if clauses or everything:
            subjects = list(self._subjects(scope, clauses))
            self._before.append(_Said(subjects, self._everything(scope, clauses), waiting))
        self._names += [item for item in everything if item.named]

    def _resolve(self, scope: Scope, clauses: list[Clause], token: int, everything: list[Candidate]) -> bool:
        """Resolve one token; true for a subject pronoun that stays unresolved."""
        tree, word = scope.tree, scope.tree.words[token]
        subject, found, expected = False, None, False
        if word in _PRONOUNS and tree.pos(token) in ("PRON", "DET"):
            if word in _POSSESSIVE and tree.dep(token) == "poss":
                found, expected = self._possessor(scope, clauses, token, everything), True
            elif word not in _POSSESSIVE and tree.dep(token) in _SUBJECTS and not _empty(tree, token):
                found, expected, subject = self._subject(scope, clauses, token), True, True
        elif tree.pos(token) == "NOUN" and _is_short(tree, token) and word not in self.defined:
            names = self._named(tree.lemma(token), token, everything)
            found, expected = (names[0].mention if len(names) == 1 else None), bool(names)
        if found is not None:
            scope.borrowed[token] = found
        self.resolved += found is not None
        self.unresolved += expected and found is None
        return subject and found is None

    def _subject(self, scope: Scope, clauses: list[Clause], token: int) -> Mention | None:
        word = scope.tree.words[token]
        own = [item for item in self._subjects(scope, clauses) if item.mention.ordinal == scope.sentence.ordinal]
        earlier = _distinct(item for item in own if item.mention.first < token and _fits(word, item))
        if earlier:
            return earlier[0].mention if len(earlier) == 1 else None
        for said in reversed(self._before[-_REACH:]):
            if said.subjects or said.open:
                return _only(word, said)
        if self._before[-_REACH:]:
            return None
        titled = _distinct(item for item in self._heading if _fits(word, item))
        return titled[0].mention if len(titled) == 1 else None

    def _possessor(
        self, scope: Scope, clauses: list[Clause], token: int, everything: list[Candidate]
    ) -> Mention | None:
        word = scope.tree.words[token]
        fitting = [item for item in everything if item.core and item.mention.first < token and _fits(word, item)]
        subjects = [item.mention for item in self._subjects(scope, clauses)]
        pronouns = [index for index in range(token) if subject_pronoun(scope.tree, index)]
        if pronouns:  # it publishes its report: both mean the same, where they agree
            means = {id(found): found for index in pronouns if (found := scope.borrowed.get(index)) is not None}
            same = all(_PRONOUNS[scope.tree.words[index]][0] == _PRONOUNS[word][0] for index in pronouns)
            return next(iter(means.values())) if len(means) == 1 and same and not fitting else None
        chosen = _distinct(fitting)
        return chosen[0].mention if len(chosen) == 1 and chosen[0].mention in subjects else None

    def _named(self, word: str, token: int, everything: list[Candidate]) -> list[Candidate]:
        """The names of the section before the short form that it can stand for."""
        before = [item for item in everything if item.named and item.mention.last <= token]
        names = [item for item in [*self._names, *before] if not item.plural]
        ending = _distinct(item for item in names if _head_word(item.name) == word and item.name != word)
        kind = _TYPE_WORDS.get(word)
        return ending or _distinct(item for item in names if kind is not None and item.kind == kind)

    def _subjects(self, scope: Scope, clauses: list[Clause]) -> Iterator[Candidate]:
        """Subjects of the sentence's own clauses (no participles, no relative clauses); resolved pronouns too."""
        for clause in clauses:
            for subject in clause.subjects if clause.origin == "main" else ():
                mention = scope.subject(subject.head)
                if mention is not None and not subject.inferred:
                    yield self._candidate(scope, mention, subject.head, core=True)

    def _everything(self, scope: Scope, clauses: list[Clause]) -> list[Candidate]:
        """Every mention of the sentence that may be meant, in order."""
        core: dict[int, int] = {}
        for clause in clauses:
            said = [*clause.subjects, *(item for item in clause.arguments if item.relation in ("object", "agent"))]
            for item in said:
                mention = scope.found.covering(item.head)
                if mention is not None:
                    core.setdefault(id(mention), item.head)
        return [
            self._candidate(scope, mention, core.get(id(mention), mention.last - 1), core=id(mention) in core)
            for mention in sorted(scope.found.mentions, key=lambda item: item.first)
        ]

    def _candidate(self, scope: Scope, mention: Mention, head: int, *, core: bool) -> Candidate:
        """A mention as candidate; of a resolved word the candidate that it means."""
        place = (mention.start, mention.end)
        if mention.ordinal != scope.sentence.ordinal or head in scope.borrowed:
            return self._known[(scope.borrowed.get(head) or mention).start, (scope.borrowed.get(head) or mention).end]
        text = scope.sentence.text[mention.start - scope.sentence.start : mention.end - scope.sentence.start]
        plural = _is_plural(scope.tree, head)
        found = Candidate(mention, normalise(text), scope.kind(mention), plural, core, named(scope, mention))
        self._known[place] = found
        return found


def _only(word: str, said: _Said) -> Mention | None:
    """The only fitting subject of a sentence, if no object, agent or name of the same type competes with it."""
    subjects = _distinct(item for item in said.subjects if _fits(word, item))
    if said.open or len(subjects) != 1:
        return None
    chosen = subjects[0]
    rivals = [
        item
        for item in said.everything
        if item.name != chosen.name and _fits(word, item) and (item.core or (item.named and item.kind == chosen.kind))
    ]
    return chosen.mention if not rivals else None


def _fits(word: str, item: Candidate) -> bool:
    plural, person, thing = _PRONOUNS[word]
    if item.plural != plural or item.kind in _NO_ANTECEDENT:
        return False
    return person if item.kind in _PERSONS else thing


def _distinct(items: Iterable[Candidate]) -> list[Candidate]:
    """The last candidate of each name."""
    return list({item.name: item for item in items}.values())


def _is_plural(tree: Tree, head: int) -> bool:
    if tree.tag(head) in ("NNS", "NNPS"):
        return True
    return any(tree.words[child] in _PLURAL_DETERMINERS for child in tree.children[head])


def _is_short(tree: Tree, token: int) -> bool:
    """the company: a definite article and a noun, nothing else. "The Company" is a term or a name."""
    if not tree.sentence.token(token).islower():
        return False
    rest = [child for child in tree.children[token] if tree.dep(child) not in ("punct", "case", "preconj", "mark")]
    determiners = [child for child in rest if tree.words[child] in _DEFINITE and child < token]
    modified = [child for child in rest if child not in determiners and tree.dep(child) not in _OWN]
    return len(determiners) == 1 and not modified


def _head_word(name: str) -> str:
    """Last word of a name before of, for, de: european union agency for cybersecurity → agency."""
    return _COMPLEMENT.split(name, maxsplit=1)[0].split()[-1:][0] if name.split() else ""


def subject_pronoun(tree: Tree, token: int) -> bool:
    """Whether the token is a subject pronoun that means something: no "it is required that …"."""
    return tree.words[token] in _PRONOUNS and tree.dep(token) in _SUBJECTS and not _empty(tree, token)


def _empty(tree: Tree, token: int) -> bool:
    """It is required that …, il faut que …: the word stands for the clause that follows."""
    word, verb = tree.words[token], tree.head(token)
    if word not in ("it", "il"):
        return False
    following = [child for child in tree.child(verb, _CLAUSAL) if child > verb]
    if tree.lemma(verb) in _IMPERSONAL or (word == "il" and "y" in tree.words[token + 1 : verb]):
        return True
    if word == "il":
        return bool(following) and tree.has(verb, ("cop",))
    said = [child for part in tree.child(verb, ("acomp", "attr")) for child in tree.children[part]]
    if tree.lemma(verb) == "be" and any(tree.dep(child) in (*_CLAUSAL, "advcl", "relcl", "acl") for child in said):
        return True
    return bool(following) and (tree.dep(token) == "nsubjpass" or tree.lemma(verb) in ("be", "become"))
