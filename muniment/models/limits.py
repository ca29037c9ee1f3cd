"""What bounds a run's use of an endpoint: its budget, how long to wait between attempts, and when to give up on it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from muniment.settings import EndpointSettings

#: So many requests in a row without any answer, each after all its attempts, and the run asks no more.
GIVE_UP_AFTER = 4
#: Characters of a token, for estimates where an endpoint counts none.
CHARACTERS_A_TOKEN = 4


class Budget:
    """Calls and tokens of one run; safe to use from several threads."""

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self.calls = 0
        self.tokens = 0
        self._reserved = 0

    def reserve(self, characters: int) -> int | None:
        """Tokens set aside for a request of this length and its answer; None when the budget does not hold them."""
        wanted = -(-characters // CHARACTERS_A_TOKEN) + self._settings.max_output_tokens
        with self._lock:
            spent = self.calls >= self._settings.max_calls_per_run
            # the first call of a run is always made, so that every run gets on
            if spent or (self.calls and self.tokens + self._reserved + wanted > self._settings.max_tokens_per_run):
                return None
            self.calls += 1
            self._reserved += wanted
            return wanted

    def settle(self, reserved: int, used: int) -> None:
        """Give back what was set aside and count what was used."""
        with self._lock:
            self._reserved -= reserved
            self.tokens += used


class Patience:
    """Gives an endpoint up after some requests in a row without an answer; safe to use from several threads."""

    def __init__(self, limit: int = GIVE_UP_AFTER) -> None:
        self._lock = threading.Lock()
        self._limit = limit
        self._failures = 0
        self.reason: str | None = None

    def answered(self) -> None:
        """An answer came."""
        with self._lock:
            self._failures = 0

    def failed(self, reason_code: str) -> None:
        """A request ended without an answer; the last such reason is that of all that is then not asked."""
        with self._lock:
            self._failures += 1
            if self._failures >= self._limit:
                self.reason = reason_code


def wait_seconds(
    attempt: int, stated: str | None, settings: EndpointSettings, clock: Callable[[], datetime]
) -> float | None:
    """Seconds before the attempt after number `attempt` (from 1); None when the endpoint asks for too long a wait.

    A Retry-After of the endpoint holds: seconds, or a date by `clock`. Else the wait doubles with each attempt.
    """
    backoff = min(settings.backoff_seconds * 2 ** (attempt - 1), settings.max_wait_seconds)
    asked = _retry_after(stated, clock)
    if asked is None:
        return backoff
    return asked if asked <= settings.max_wait_seconds else None


def _retry_after(stated: str | None, clock: Callable[[], datetime]) -> float | None:
    if stated is None:
        return None
    words = stated.strip()
    if words.isascii() and words.replace(".", "", 1).isdigit():
        return float(words)
    try:
        moment = parsedate_to_datetime(words)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - clock()).total_seconds())
