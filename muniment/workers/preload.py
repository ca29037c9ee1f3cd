"""Imported by the fork server, and by nothing else: importing it makes a process the fork server of the readers."""

from __future__ import annotations

from muniment.workers.preloading import prepare

prepare(hook="muniment.extraction.preload")
