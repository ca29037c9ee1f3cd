"""Who asks. Until access views exist the operator of the home is the only principal."""

from __future__ import annotations

#: The principal that sees everything.
OPERATOR = "operator"


class AccessDenied(PermissionError):
    """The principal may not read this home."""


def check_principal(principal: str) -> str:
    """Return the principal, or raise AccessDenied: nobody but the operator may read a home."""
    if principal != OPERATOR:
        raise AccessDenied(
            f"principal {principal!r}: only {OPERATOR!r} may read this home; views for other principals are not built"
        )
    return principal
