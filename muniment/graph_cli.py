"""`muniment graph`: the graph as files for other programs, and as a page for the eye."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from muniment.api import Muniment

graph_app = typer.Typer(help="The graph: export it, look at it.", no_args_is_help=True)

PolicyOption = Annotated[
    list[str] | None,
    typer.Option("--policy", help="Only what documents of these access policies support; default: everything."),
]


def _open(context: typer.Context) -> Muniment:
    home = context.find_root().params.get("home")
    return Muniment.open(home)


@graph_app.command("export")
def export_command(
    context: typer.Context,
    form: Annotated[str, typer.Argument(metavar="FORMAT", help="parquet, graphml, neo4j or jsonld")],
    folder: Annotated[Path, typer.Argument(help="An empty or new folder.")],
    policy: PolicyOption = None,
) -> None:
    """Write entities, relationships, claims with their wording, documents and conflicts.

    With --policy everything is computed from the documents of these policies alone.
    """
    from muniment.exports.writing import export

    with _open(context) as opened:
        content = opened.graph(policies=policy)
    for path in export(content, form, folder):
        typer.echo(f"{path}")
    counts = ", ".join(f"{frame.height} {name.replace('_', ' ')}" for name, frame in content.tables().items())
    typer.echo(f"generation {content.generation_id}: {counts}")


@graph_app.command("view")
def view_command(
    context: typer.Context,
    focus: Annotated[str, typer.Argument(help="An entity's id or name, or a community's id.")],
    out: Annotated[Path, typer.Option(help="The HTML file to write.")] = Path("graph.html"),
    policy: PolicyOption = None,
) -> None:
    """Write one page about an entity's neighbours or a community: a drawing, and the wording behind each edge."""
    with _open(context) as opened:
        page = opened.graph_page(focus, policies=policy)
    out.write_text(page, encoding="utf-8")
    typer.echo(f"{out}")
