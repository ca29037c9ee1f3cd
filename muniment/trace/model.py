"""A trace: the steps from a thing back to the original's bytes, and what depends on it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

#: exact: the text stands in the original; normalised: after the declared normalisation; not_found;
#: not_checked: the thing has no text of its own, or its format cannot be re-opened.
Verification = Literal["exact", "normalised", "not_found", "not_checked"]


class Step(BaseModel):
    """One step: a row of a table, with the columns that matter."""

    model_config = ConfigDict(frozen=True)

    table: str
    id: str
    facts: dict[str, Any]


class Trace(BaseModel):
    """Back to the source and forward to what would vanish with it."""

    model_config = ConfigDict(frozen=True)

    id: str
    kind: str
    back: list[Step]
    forward: dict[str, int]
    text: str | None = None
    locator: dict[str, Any] | None = None
    verification: Verification | None = None
    verified_by: str | None = None

    def __str__(self) -> str:
        lines = [f"{self.kind} {self.id}"]
        for step in self.back:
            facts = ", ".join(f"{name} {value}" for name, value in step.facts.items() if value not in (None, "", []))
            lines.append(f"  <- {step.table} {step.id}: {facts}")
        if self.forward:
            lines.append("  -> " + ", ".join(f"{count} {name}" for name, count in sorted(self.forward.items())))
        if self.text is not None:
            lines.append(f"  text: {self.text[:300]!r}")
        if self.verification is not None:
            lines.append(
                f"  in the original: {self.verification.replace('_', ' ')} ({self.verified_by or 'not opened'})"
            )
        return "\n".join(lines)
