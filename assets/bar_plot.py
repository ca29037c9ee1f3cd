"""Horizontal bars, a group a name: a PNG as a data address, as Dagster's Markdown metadata shows it."""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping, Sequence

_COLOURS = ("#3b7a57", "#2f6f9f", "#c9a227", "#7a4b8f")


def bar_plot(names: Sequence[str], series: Mapping[str, Sequence[float]], label: str) -> str:
    """Bars of every series beside each name, the first name on top; no display is needed."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 0.4 * max(len(names), 1) * max(len(series), 1) ** 0.5 + 1.3), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    height = 0.8 / max(len(series), 1)
    for index, ((title, values), colour) in enumerate(zip(series.items(), _COLOURS, strict=False)):
        places = [position + index * height for position in range(len(names))]
        bars = axes.barh(places, list(values), height=height, color=colour, label=title)
        axes.bar_label(bars, fmt="{:,.1f}", padding=3, fontsize=8)
    axes.set_yticks([position + 0.4 - height / 2 for position in range(len(names))], names)
    axes.invert_yaxis()
    axes.set_xlabel(label)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    if len(series) > 1:
        figure.legend(loc="outside lower center", ncols=len(series), frameon=False)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": ""})
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()
