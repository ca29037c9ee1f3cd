"""The items of a model's answer as it gave them: well formed, or refused. The text is asked later."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from muniment.claims.model_spans import Refused

_ITEM = ConfigDict(extra="ignore", frozen=True, str_strip_whitespace=True)


class EntityItem(BaseModel):
    """An entity of an answer."""

    model_config = _ITEM
    name: str
    type: str = ""


class ClaimItem(BaseModel):
    """A claim of an answer; what is empty is not said."""

    model_config = _ITEM
    quote: str
    subject: str
    predicate: str
    object: str | None = None
    value: str | None = None
    polarity: Literal["positive", "negative"] = "positive"
    modality: Literal["is", "shall", "must", "may", "should", "will", "can", "need_not"] = "is"
    condition: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None

    @field_validator("object", "value", "condition", "valid_from", "valid_to", mode="after")
    @classmethod
    def _said(cls, words: str | None) -> str | None:
        return words or None

    def whole(self) -> bool:
        """Whether it says something: all names, and either an object or a value."""
        return bool(self.quote and self.subject and self.predicate) and (self.object is None) != (self.value is None)


def entity_item(raw: Any) -> EntityItem:
    """An entity as listed. Raises Refused."""
    try:
        return EntityItem.model_validate(raw)
    except ValidationError as error:
        raise Refused("model_item_malformed") from error


def claim_item(raw: Any) -> ClaimItem:
    """A claim as listed. Raises Refused."""
    try:
        item = ClaimItem.model_validate(raw)
    except ValidationError as error:
        raise Refused("model_item_malformed") from error
    if not item.whole():
        raise Refused("model_item_malformed")
    return item
