"""Errors of the store, each with what to do about it."""

from __future__ import annotations


class WarehouseError(RuntimeError):
    """The warehouse is absent, of another schema, or cannot be used; the message names it and the remedy."""


class SnapshotGone(WarehouseError):
    """The snapshot was expired: resolve CURRENT again and repeat the query once."""


class DuplicateKeyError(WarehouseError):
    """Rows to be added have a key that the table already holds; nothing was written."""
