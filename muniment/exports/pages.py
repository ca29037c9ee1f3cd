"""Pages of the largest communities, written beside the reports of a home at each publication (for the operator)."""

from __future__ import annotations

import html
import shutil
from pathlib import Path

import polars as pl

from muniment.exports.content import graph_content
from muniment.exports.view import community_html
from muniment.home import Home
from muniment.store.rows import Rows

#: Communities with a page.
PAGES = 24


def write_pages(rows: Rows, home: Home) -> Path:
    """Write `graph/index.html` and a page for each of the largest communities; returns the index.

    Pages of an earlier state are replaced: what a document no longer says must not stay readable there.
    """
    content = graph_content(rows, "in preparation", None, lambda _: {})
    members = rows.table("community_members", ["community_id", "entity_id"]).drop_nulls().unique()
    largest = (
        rows.table("communities", ["community_id", "level", "size"])
        .join(rows.table("community_reports", ["community_id", "title"]), on="community_id")
        .sort("size", "level", "community_id", descending=[True, False, False])
        .head(PAGES)
    )
    folder = home.reports / "graph"
    fresh = home.reports / "graph.new"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(parents=True)
    links = []
    for row in largest.iter_rows(named=True):
        ids = members.filter(pl.col("community_id") == row["community_id"])["entity_id"].sort().to_list()
        name = f"{row['community_id']}.html"
        (fresh / name).write_text(community_html(content, row["title"], ids), encoding="utf-8")
        links.append(f'<li><a href="{name}">{html.escape(row["title"])}</a> ({row["size"]} entities)</li>')
    (fresh / "index.html").write_text(_INDEX.replace("LINKS", "\n".join(links)), encoding="utf-8")
    shutil.rmtree(folder, ignore_errors=True)
    fresh.rename(folder)
    return folder / "index.html"


_INDEX = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Communities</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>body { font: 15px/1.6 system-ui, sans-serif; max-width: 800px; margin: 2rem auto; padding: 0 1rem; }</style>
</head><body><h1>Communities</h1>
<ul>
LINKS
</ul></body></html>
"""
