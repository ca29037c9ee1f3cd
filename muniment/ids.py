"""Deterministic identifiers: UUIDv5 over named parts, and digests of content.

Nothing random, positional or time-based enters an id (DESIGN section 4).
"""

from __future__ import annotations

import hashlib
import json
import uuid

#: Namespace of every identifier that Muniment mints.
NAMESPACE = uuid.UUID("6d756e69-6d65-5e74-8000-000000000001")


def make_id(kind: str, *parts: object) -> str:
    """UUIDv5 of a kind and its parts.

    Parts are encoded as JSON, so ("a", "bc") and ("ab", "c") differ.
    """
    return str(uuid.uuid5(NAMESPACE, json.dumps([kind, *parts], ensure_ascii=False, default=str)))


def digest(*parts: object) -> str:
    """sha256 hex digest of JSON-encoded parts; mappings are sorted by key."""
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


def text_digest(text: str) -> str:
    """sha256 hex digest of a text in UTF-8; lone surrogates are kept apart, not refused."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
