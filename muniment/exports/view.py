"""One HTML file about an entity's neighbourhood or a community: a drawing, and every edge with its wording.

The file holds all that it needs (no script, no address of elsewhere). Everything that a document says is escaped.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import polars as pl

from muniment.exports.content import GraphContent
from muniment.exports.layout import MAX_NODES, spring_layout

WIDTH, HEIGHT, MARGIN = 1100, 640, 90
#: Quotes shown for one relationship.
QUOTES = 3

_COLOURS = {
    "system": "#2f6f9f", "component": "#2f6f9f", "product": "#2f6f9f", "organisation": "#7a4b8f", "person": "#b0603a",
    "role": "#b0603a", "policy": "#3b7a57", "control": "#3b7a57", "law": "#3b7a57", "contract": "#3b7a57",
    "place": "#8a7a2b", "event": "#a33a5c",
}  # fmt: skip


@dataclass(frozen=True)
class _Node:
    entity_id: str
    name: str
    entity_type: str
    x: float
    y: float
    focus: bool

    @property
    def colour(self) -> str:
        return _COLOURS.get(self.entity_type, "#5b6470")

    @property
    def anchor(self) -> str:
        return "end" if self.x > WIDTH - 220 else "start"

    @property
    def label(self) -> str:
        return self.name if len(self.name) <= 34 else f"{self.name[:33]}…"


@dataclass(frozen=True)
class _Edge:
    x0: float
    y0: float
    x1: float
    y1: float
    label: str
    negative: bool

    @property
    def middle(self) -> tuple[float, float]:
        return ((self.x0 + self.x1) / 2, (self.y0 + self.y1) / 2)


def neighbourhood_html(content: GraphContent, entity_id: str) -> str:
    """The entity, what it is related to, and how its neighbours relate. Raises KeyError for an unknown entity."""
    found = content.entities.filter(entity_id=entity_id)
    if found.is_empty():
        raise KeyError(f"{entity_id}: no entity of this export")
    entity = found.row(0, named=True)
    touching = content.relationships.filter((pl.col("subject_id") == entity_id) | (pl.col("object_id") == entity_id))
    near = touching.sort("weight", "relationship_id", descending=[True, False])
    ends = pl.concat([near["subject_id"], near["object_id"]]).unique(maintain_order=True).to_list()
    chosen = [entity_id, *(end for end in ends if end != entity_id)]
    others = [alias for alias in entity["aliases"] if alias != entity["name"]]
    also = f"also called {', '.join(others)}; " if others else ""
    about = f"{entity['entity_type']}; {also}mentions: {entity['mentions']}, documents: {entity['documents']}"
    return _page(content, entity["name"], about, chosen, entity_id)


def community_html(content: GraphContent, title: str, member_ids: list[str]) -> str:
    """The members of a community and what relates them, the most connected first."""
    inside = content.relationships.filter(
        pl.col("subject_id").is_in(member_ids) & pl.col("object_id").is_in(member_ids)
    )
    degree = (
        pl.concat([inside["subject_id"], inside["object_id"]])
        .value_counts(name="degree")
        .rename({"subject_id": "entity_id"})
        .sort("degree", "entity_id", descending=[True, False])
    )
    ordered = [*degree["entity_id"], *sorted(set(member_ids) - set(degree["entity_id"]))]
    return _page(content, title, f"community of {len(member_ids)} entities", ordered, None)


def _page(content: GraphContent, title: str, about: str, chosen: list[str], focus: str | None) -> str:
    from jinja2 import Environment

    shown = chosen[:MAX_NODES]
    touches = (pl.col("subject_id") == (focus or "")) | (pl.col("object_id") == (focus or ""))
    edges = content.relationships.filter(pl.col("subject_id").is_in(shown) & pl.col("object_id").is_in(shown)).sort(
        touches, "weight", "relationship_id", descending=[True, True, False]
    )
    nodes = _nodes(content.entities, edges, shown, focus)
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(_TEMPLATE).render(
        title=title,
        about=about,
        generation_id=content.generation_id,
        hidden=len(chosen) - len(shown),
        width=WIDTH,
        height=HEIGHT,
        nodes=nodes,
        edges=_edges(edges, nodes),
        rows=_rows(content, edges),
    )


def _nodes(entities: pl.DataFrame, edges: pl.DataFrame, shown: list[str], focus: str | None) -> list[_Node]:
    index = {entity_id: position for position, entity_id in enumerate(shown)}
    known = {row["entity_id"]: row for row in entities.filter(pl.col("entity_id").is_in(shown)).iter_rows(named=True)}
    pairs = [(index[subject], index[target]) for subject, target in edges.select("subject_id", "object_id").iter_rows()]
    places = spring_layout(len(shown), pairs)
    return [
        _Node(
            entity_id,
            known[entity_id]["name"],
            known[entity_id]["entity_type"],
            round(MARGIN + places[position, 0] * (WIDTH - 3 * MARGIN), 1),
            round(MARGIN / 2 + places[position, 1] * (HEIGHT - MARGIN), 1),
            entity_id == focus,
        )
        for position, entity_id in enumerate(shown)
    ]


def _edges(edges: pl.DataFrame, nodes: list[_Node]) -> list[_Edge]:
    """One line a pair of ends and polarity; several predicates share it."""
    places = {node.entity_id: node for node in nodes}
    lines = edges.group_by("subject_id", "object_id", "polarity", maintain_order=True).agg(
        pl.col("predicate").str.replace_all("_", " ", literal=True).unique(maintain_order=True)
    )
    drawn = []
    for row in lines.iter_rows(named=True):
        start, end = places[row["subject_id"]], places[row["object_id"]]
        label = ", ".join(row["predicate"][:2]) + ("…" if len(row["predicate"]) > 2 else "")
        drawn.append(_Edge(start.x, start.y, end.x, end.y, label, row["polarity"] == "negative"))
    return drawn


def _rows(content: GraphContent, edges: pl.DataFrame) -> list[dict[str, Any]]:
    """Relationships with up to QUOTES quotes and their documents."""
    places = content.documents.select("version_id", pl.coalesce("title", "path").alias("document"), "source", "path")
    quotes = (
        content.claims.select("claim_id", "relationship_id", "version_id", "condition_text", "confidence")
        .filter(pl.col("relationship_id").is_not_null())
        .join(content.evidence.select("claim_id", "start", "quote"), on="claim_id")
        .join(places, on="version_id")
        .sort("relationship_id", "confidence", "claim_id", "start", descending=[False, True, False, False])
        .unique(["relationship_id", "quote", "version_id"], keep="first", maintain_order=True)
        .group_by("relationship_id", maintain_order=True)
        .agg(pl.struct("quote", "document", "source", "path", "condition_text").head(QUOTES).alias("quotes"))
    )
    joined = edges.join(quotes, on="relationship_id", how="left", maintain_order="left")
    return [
        {**row, "predicate": row["predicate"].replace("_", " "), "quotes": row["quotes"] or []}
        for row in joined.iter_rows(named=True)
    ]


_TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>
body { font: 15px/1.5 system-ui, sans-serif; color: #1d2329; background: #fbfbf9; margin: 2rem auto; max-width: 1140px;
       padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; }
.about, .note { color: #5b6470; margin: .2rem 0 1rem; }
svg { background: #fff; border: 1px solid #dfe2e0; border-radius: 6px; width: 100%; height: auto; }
svg text { font: 12px system-ui, sans-serif; paint-order: stroke; stroke: #fff; stroke-width: 3px; fill: #1d2329; }
svg text.edge { fill: #5b6470; font-size: 10px; text-anchor: middle; }
line { stroke: #aab1b8; stroke-width: 1.2; }
line.negative { stroke: #b3331d; stroke-dasharray: 5 4; }
table { border-collapse: collapse; width: 100%; margin-top: 1.5rem; }
th, td { text-align: left; vertical-align: top; padding: .45rem .6rem; border-bottom: 1px solid #e4e6e4; }
th { color: #5b6470; font-weight: 600; }
blockquote { margin: 0 0 .4rem; padding-left: .6rem; border-left: 3px solid #d5dad7; white-space: pre-line; }
cite { color: #5b6470; font-size: .85rem; font-style: normal; display: block; }
.negative-word { color: #b3331d; }
</style>
</head>
<body>
<h1>{{ title }}</h1>
<p class="about">{{ about }}; generation {{ generation_id }}</p>
<svg viewBox="0 0 {{ width }} {{ height }}" role="img" aria-label="{{ title }} and what it is related to">
<defs><marker id="head" viewBox="0 0 8 8" refX="15" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path d="M0 0 8 4 0 8z" fill="#aab1b8"/></marker></defs>
{% for edge in edges %}
<line x1="{{ edge.x0 }}" y1="{{ edge.y0 }}" x2="{{ edge.x1 }}" y2="{{ edge.y1 }}" marker-end="url(#head)"
{%- if edge.negative %} class="negative"{% endif %}><title>{{ edge.label }}</title></line>
{% endfor %}
{% if edges|length <= 40 %}
{% for edge in edges %}
<text class="edge" x="{{ edge.middle[0]|round(1) }}" y="{{ edge.middle[1]|round(1) }}">{{ edge.label }}</text>
{% endfor %}
{% endif %}
{% for node in nodes %}
<circle cx="{{ node.x }}" cy="{{ node.y }}" r="{{ 9 if node.focus else 6 }}" fill="{{ node.colour }}">
<title>{{ node.name }} ({{ node.entity_type }})</title></circle>
<text x="{{ node.x - 11 if node.anchor == 'end' else node.x + 11 }}" y="{{ node.y + 4 }}"
 text-anchor="{{ node.anchor }}"
{%- if node.focus %} font-weight="bold"{% endif %}>{{ node.label }}</text>
{% endfor %}
</svg>
{% if hidden %}<p class="note">{{ hidden }} more entities are not drawn.</p>{% endif %}
<table>
<thead><tr><th>subject</th><th>predicate</th><th>object</th><th>as written</th></tr></thead>
<tbody>
{% for row in rows %}
<tr><td>{{ row.subject }}</td>
<td>{{ row.predicate }}{% if row.polarity == "negative" %} <span class="negative-word">(denied)</span>{% endif %}</td>
<td>{{ row.object }}</td>
<td>{% for quote in row.quotes %}
<blockquote>{{ quote.quote }}<cite>{{ quote.document }} · {{ quote.source }}: {{ quote.path }}
{%- if quote.condition_text %} · condition: {{ quote.condition_text }}{% endif %}</cite></blockquote>
{% endfor %}</td></tr>
{% else %}
<tr><td colspan="4">Nothing in the documents relates it to another entity.</td></tr>
{% endfor %}
</tbody>
</table>
</body>
</html>
"""
