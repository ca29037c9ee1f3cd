"""The plot of the loss report, as an image that Markdown metadata can carry."""

from __future__ import annotations

import base64
import io

import polars as pl


def loss_plot(summary: pl.DataFrame) -> str:
    """Data URI of a PNG: for each document type the share of text kept, lost with and without a reason.

    Shares are of the text of the originals that opened; the label of a bar says how many of all are indexed.
    Empty when there is no document.
    """
    if summary.is_empty():
        return ""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    rows = summary.sort("doc_type", descending=True)
    names = [
        f"{row['doc_type']}, {row['indexed'] + row['partial']} of {row['received']}"
        for row in rows.iter_rows(named=True)
    ]
    counted = (rows["characters_expected"].fill_null(0) > 0).cast(pl.Float64).to_numpy()
    aside = rows["set_aside"].fill_null(0.0).to_numpy() * counted
    explained = rows["lost_explained"].fill_null(0.0).to_numpy() * counted
    unexplained = rows["lost_unexplained"].fill_null(0.0).to_numpy() * counted
    kept = (counted - aside - explained - unexplained).clip(0.0, 1.0)
    figure = Figure(figsize=(8, 0.45 * len(names) + 1.7), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.barh(names, kept * 100, color="#3b7a57", label="kept")
    axes.barh(names, aside * 100, left=kept * 100, color="#b9c4bd", label="set aside: format, equal bodies")
    axes.barh(names, explained * 100, left=(kept + aside) * 100, color="#c9a227", label="lost, with a reason")
    left = (kept + aside + explained) * 100
    axes.barh(names, unexplained * 100, left=left, color="#b3331d", label="lost, unexplained")
    axes.set_xlim(0, 100)
    axes.set_xlabel("visible text of the documents that opened, %")
    axes.set_ylabel("type, documents indexed of received")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": ""})
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
