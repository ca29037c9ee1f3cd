"""A fork server without readers, quick to start: for mock documents and for `doctor`'s look at the isolation."""

from __future__ import annotations

from muniment.workers.preloading import prepare

prepare(hook="muniment.workers.mockdoc")
