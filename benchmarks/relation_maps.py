"""Which predicates of public sets the relations and attributes of the shipped schema cover. Used by relations.py."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Triple = tuple[Any, str, Any]

#: Wikidata properties that a relation or attribute of the schema covers; "-": read from object to subject.
RE_DOCRED: dict[str, tuple[str, ...]] = {
    "located_in": ("P131", "P17", "P276", "P706", "P159", "P30", "P495", "P740", "-P150", "-P36"),
    "born_in": ("P19",), "died_in": ("P20",), "birth_date": ("P569",), "death_date": ("P570",),
    "created_date": ("P571",), "publication_date": ("P577",), "start_date": ("P580",), "expiry_date": ("P582",),
    "member_of": ("P463", "P54", "P102"), "employed_by": ("P108",), "founded_by": ("P112",),
    "part_of": ("P361", "-P527", "P463"), "spouse_of": ("P26", "-P26"), "child_of": ("P22", "P25", "-P40"),
    "sibling_of": ("P3373", "-P3373"), "educated_at": ("P69",), "received_award": ("P166",),
    "created_by": ("P50", "P170", "P86", "P58", "P57", "P178"), "performed_by": ("P175",),
    "produced_by": ("P162", "P176", "P272"), "participates_in": ("P1344", "-P710", "P607", "P161"),
    "subsidiary_of": ("P749", "-P355"), "owned_by": ("P127",), "issued_by": ("P123", "P264"), "is_a": ("P31", "P279"),
    "managed_by": ("P6", "P35", "P488"), "borders": ("P47", "-P47"), "replaces": ("P1365", "-P1366"),
    "has_role": ("P39", "P106"), "operated_by": ("P137",), "citizen_of": ("P27",),
    "discovered_by": ("P61",),
}  # fmt: skip
#: Predicates of WebNLG likewise.
WEBNLG: dict[str, tuple[str, ...]] = {
    "located_in": ("location", "country", "city", "state", "region", "campus", "municipality", "ground", "address",
                   "isPartOf", "origin", "foundationPlace", "cityServed"),
    "part_of": ("isPartOf", "category", "location", "-runwayName"), "born_in": ("birthPlace", "origin"),
    "died_in": ("deathPlace",), "birth_date": ("birthDate",), "death_date": ("deathDate",),
    "created_date": ("established", "foundingDate", "completionDate", "buildDate", "foundingYear"),
    "start_date": ("buildingStartDate", "productionStartYear", "activeYearsStartYear"),
    "publication_date": ("releaseDate", "firstAired"), "is_a": ("type", "occupation", "category", "genre", "industry"),
    "has_role": ("occupation", "leaderTitle", "professionalField"),
    "member_of": ("club", "youthclub", "currentclub", "affiliation", "mission", "league", "debutTeam", "party"),
    "employed_by": ("club", "selectedByNasa", "affiliation"), "owned_by": ("owner",),
    "spouse_of": ("spouse", "-spouse"), "citizen_of": ("nationality",), "affiliated_with": ("affiliation",),
    "discovered_by": ("discoverer",),
    "operated_by": ("operatingOrganisation", "owner"), "managed_by": ("leader", "manager", "keyPerson", "president"),
    "created_by": ("author", "architect", "creator", "designer", "builder", "discoverer"),
    "founded_by": ("founder", "foundedBy"),
    "produced_by": ("manufacturer", "builder"), "issued_by": ("publisher",), "provides": ("product",),
    "participates_in": ("mission", "-starring", "season", "league"), "educated_at": ("almaMater",),
    "borders": ("hasToItsNorth", "hasToItsSoutheast", "hasToItsWest", "hasToItsSouthwest"),
    "subsidiary_of": ("parentCompany", "-subsidiary"), "succeeded_by": ("followedBy", "-precededBy", "successor"),
    "replaces": ("precededBy", "-followedBy"),
    "count": ("numberOfMembers", "staff", "numberOfStudents", "numberOfEmployees"),
    "size": ("length", "runwayLength", "height", "elevationAboveTheSeaLevel", "areaTotal", "weight"),
    "population": ("populationTotal", "populationDensity"), "alias": ("longName", "fullName", "nickname", "demonym"),
    "uses": ("powerType", "engine", "instrument", "currency"), "received_award": ("award",),
}  # fmt: skip


def mapped(triples: Iterable[Triple], mapping: dict[str, tuple[str, ...]], gold: set[Triple]) -> set[Triple]:
    """Claims as gold triples: the mapped property that the gold has for the pair, else the relation's first one."""
    made = set()
    for subject, relation, target in triples:
        options = [
            (target, name[1:], subject) if name.startswith("-") else (subject, name, target)
            for name in mapping.get(relation, ())
        ]
        right = [option for option in options if option in gold]
        made.update(right or options[:1])
    return made


def properties(mapping: dict[str, tuple[str, ...]]) -> set[str]:
    """Gold predicates that some relation of the schema covers."""
    return {name.removeprefix("-") for names in mapping.values() for name in names}
