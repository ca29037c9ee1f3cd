"""The types of a schema as names in a text show them: labels of language pipelines, last words of a phrase."""

from __future__ import annotations

import re
from functools import cached_property

from muniment.domain.model import GENERIC_TYPE, DomainSchema, Name

#: "owner of the system", "système de facturation": the head is before the preposition.
_COMPLEMENT = re.compile(r"\s(?:(?:of|for|on|de|du|des)\s|d['’])", re.IGNORECASE)


class TypeCues:
    """Labels and head words of one schema; `cues_of` keeps one per schema."""

    def __init__(self, schema: DomainSchema) -> None:
        self.labels: dict[str, Name] = {}
        self._heads: dict[str, Name] = {}
        self._name_heads: dict[str, Name] = {}
        for name in sorted(schema.types):
            item = schema.types[name]
            self.labels.update(dict.fromkeys(item.labels, name))
            self._heads.update(dict.fromkeys((head.casefold() for head in item.heads), name))
            self._name_heads.update(dict.fromkeys((head.casefold() for head in item.name_heads), name))
        self.values = schema.value_types

    @cached_property
    def _longest(self) -> int:
        """Words of the longest head."""
        return max((len(head.split()) for head in (*self._heads, *self._name_heads)), default=1)

    def of_label(self, label: str | None) -> Name:
        """The type that a pipeline's label means; the generic one without."""
        return self.labels.get(label or "", GENERIC_TYPE)

    def of_head(self, text: str) -> Name | None:
        """The type that the last words of a name show, the longest first; None where they show none.

        Heads of names want a capital and go before the others: "Trade Board", "the Act".
        """
        words = _COMPLEMENT.split(text, maxsplit=1)[0].split()
        for count in range(min(self._longest, len(words)), 0, -1):
            phrase = words[-count:]
            for form in _singulars(" ".join(phrase).casefold()):
                named = self._name_heads.get(form) if phrase[-1][:1].isupper() else None
                found = named or self._heads.get(form)
                if found is not None:
                    return found
        return None


def head_of(text: str) -> str | None:
    """The last word of a name before its complement, lower case and without a plural s; None where it is no word."""
    words = _COMPLEMENT.split(text, maxsplit=1)[0].split()
    word = words[-1].casefold() if words else ""
    if not word.isalpha() or len(word) < 3:
        return None
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def _singulars(words: str) -> tuple[str, ...]:
    """The words, and what they may be the plural of."""
    if not words.endswith(("s", "x")):
        return (words,)
    forms = [words, words[:-1]]
    if words.endswith("ies"):
        forms.append(words[:-3] + "y")
    elif words.endswith("es"):
        forms.append(words[:-2])
    return tuple(forms)


_kept: dict[str, TypeCues] = {}


def cues_of(schema: DomainSchema) -> TypeCues:
    """The cues of a schema, made once per process for equal schemas."""
    known = _kept.get(schema.digest)
    if known is None:
        known = _kept[schema.digest] = TypeCues(schema)
    return known
