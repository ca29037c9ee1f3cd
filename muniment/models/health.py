"""What is to be said of the endpoint before it is used: is it configured, does it answer, may text leave for it."""

from __future__ import annotations

from dataclasses import dataclass

from muniment.models.egress import is_loopback
from muniment.models.endpoint import Endpoint, EndpointFailure
from muniment.reason_codes import reason
from muniment.settings import Settings

#: Seconds that an endpoint has to list its models.
PROBE_SECONDS = 5.0


@dataclass(frozen=True)
class Finding:
    """One thing found; `good`: nothing to do."""

    good: bool
    detail: str


def endpoint_findings(settings: Settings) -> list[Finding]:
    """State of the endpoint with advice. Only its list of models is asked for; no text is sent."""
    endpoint = settings.endpoint
    if not endpoint.base_url:
        return [Finding(True, "none configured: rules alone; set endpoint.base_url, endpoint.model and models.claims")]
    if not endpoint.model:
        return [Finding(False, f"{endpoint.base_url}: no model named; set endpoint.model")]
    return [_probe(settings), *_use(settings)]


def _probe(settings: Settings) -> Finding:
    wanted = settings.endpoint
    short = min(PROBE_SECONDS, wanted.timeout_seconds)
    endpoint = Endpoint(wanted.model_copy(update={"timeout_seconds": short}))
    where = f"{wanted.name} at {wanted.base_url}"
    try:
        listed = endpoint.models()
    except EndpointFailure as failure:
        known = reason(failure.reason_code)
        status = f" (status {failure.status})" if failure.status else ""
        return Finding(False, f"{where}: {known.description}{status}; {known.advice}")
    finally:
        endpoint.close()
    if wanted.model not in listed:
        offered = ", ".join(listed[:8]) or "nothing"
        return Finding(False, f"{where} does not list {wanted.model}; it lists {offered}; correct endpoint.model")
    return Finding(True, f"{where} lists {wanted.model}")


def _use(settings: Settings) -> list[Finding]:
    if not (settings.models.claims or settings.models.reports):
        return [Finding(True, "not used: models.claims is off, and so is models.reports")]
    allowed = any(rule.allow for rule in settings.egress.rules)
    if settings.egress.allow_loopback and is_loopback(settings.endpoint.base_url):
        allowed = True
    if not allowed:
        return [
            Finding(
                False,
                "no rule lets text leave for it, so nothing is sent; add [[egress.rules]], or for a server on this "
                "machine egress.allow_loopback",
            )
        ]
    return []
