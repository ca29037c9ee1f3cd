"""Whether a document's text may leave for the endpoint: by its policy, type and stated classification.

The first rule that fits decides; where none does, nothing leaves. What a document states can only keep it back.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import urlsplit

from muniment.settings import EgressRule, EgressSettings, EndpointSettings

#: Fields of a document's metadata that state its classification.
CLASSIFICATION_FIELDS = ("classification", "confidentiality", "data_classification", "sensitivity")


@dataclass(frozen=True, slots=True)
class DocumentClass:
    """What rules see of a version."""

    version_id: str
    access_policy_id: str | None
    doc_type: str
    classification: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether the version's text may leave, and the name of the rule that says so."""

    document: DocumentClass
    allowed: bool
    rule: str


def decide(document: DocumentClass, purpose: str, endpoint: EndpointSettings, egress: EgressSettings) -> Decision:
    """The decision for one version and purpose."""
    stated = " ".join((document.classification or "").casefold().split())
    if stated and stated in {word.casefold() for word in egress.withhold}:
        return Decision(document, False, "withheld")
    for rule in egress.rules:
        if _fits(rule, document, purpose, endpoint):
            return Decision(document, rule.allow, rule.name)
    if egress.allow_loopback and is_loopback(endpoint.base_url):
        return Decision(document, True, "loopback")
    return Decision(document, False, "no rule")


def is_loopback(base_url: str | None) -> bool:
    """Whether the address is this machine's own, as written: no name is looked up."""
    host = urlsplit(base_url or "").hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _fits(rule: EgressRule, document: DocumentClass, purpose: str, endpoint: EndpointSettings) -> bool:
    fits = (
        _among(document.access_policy_id or "none", rule.policies)
        and _among(document.doc_type, rule.doc_types)
        and _among(purpose, rule.purposes)
        and _among(endpoint.name, rule.endpoints)
    )
    if not rule.allow:
        return fits  # a refusal holds whatever the endpoint declares
    kept = endpoint.retention_days
    short = rule.max_retention_days is None or (kept is not None and kept <= rule.max_retention_days)
    return fits and short and _among(endpoint.region or "", rule.regions)


def _among(value: str, listed: Iterable[str]) -> bool:
    return any(item in ("*", value) for item in listed)
