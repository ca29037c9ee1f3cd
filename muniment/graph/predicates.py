"""What predicates mean to the graph, as data: which have one value, and which way dependence runs.

Predicates are lemmas with particle and preposition ("depend on", "be locate in"); underscores count as spaces.
"""

from __future__ import annotations

import polars as pl

#: One object or value per subject at a time. Places are not among them: a thing is in a town and in a country.
FUNCTIONAL = (
    "apply from", "be due by", "be due on", "be govern by", "be keep for", "be manage by", "be operate by",
    "be own by", "be retain for", "be store for", "be succeed by", "be valid until", "be version",
    "come into effect on", "come into force on", "cost", "deadline", "end on", "enter into force on", "expire in",
    "expire on", "have deadline", "have owner", "have retention period", "have retention", "have version", "owner",
    "report to", "retain for", "retention", "start on", "take effect on", "terminate on", "version",
)  # fmt: skip

#: One subject per object at a time: the passive "X is owned by Y" is stored as Y own X.
INVERSE_FUNCTIONAL = ("own", "operate", "be owner of", "be the owner of", "be successor of")

#: Copulas whose value is one number, date or amount when the subject is a named thing.
COPULAS = ("be",)
SINGLE_VALUE_TYPES = ("date", "money", "number", "percent")

#: subject → object: the subject depends on the object.
DEPENDS_ON_OBJECT = (
    "be base on", "be build on", "be compose of", "be connect to", "be deploy on", "be deploy to", "be derive from",
    "be host by", "be host in", "be host on", "be part of", "be store in", "be store on", "belong to", "build on",
    "call", "connect to", "consist of", "consume", "contain", "depend from", "depend on", "depend upon", "deploy on",
    "deploy to", "derive from", "get from", "host on", "import from", "import", "include", "inherit from",
    "integrate with", "invoke", "need", "obtain from", "pull from", "query", "read from", "read", "receive from",
    "rely on", "rely upon", "request from", "require", "run in", "run on", "store in", "subscribe to", "sync with",
    "synchronise with", "synchronize with", "use", "utilise", "utilize", "write to",
)  # fmt: skip

#: subject → object: the object depends on the subject. Who owns, operates or manages a thing is
#: responsible for it; that is ownership, not a dependency.
OBJECT_DEPENDS = (
    "deliver to", "deliver", "export to", "feed into", "feed", "host", "power", "provide to", "provide", "publish to",
    "run", "send to", "serve", "store", "supply to", "supply", "support",
)  # fmt: skip


def plain(column: str = "predicate") -> pl.Expr:
    """A predicate as the lists above write it."""
    return pl.col(column).str.to_lowercase().str.replace_all("_", " ").str.strip_chars()
