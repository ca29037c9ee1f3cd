"""The command line. Commands parse, call one function of the library, and print; `--json` for programs.

Exit codes: 0 done, 1 error, 2 usage, 3 quality gate failed, 4 done with losses to review.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer
from rich.console import Console

from muniment import telemetry

telemetry.switch_off()

from muniment.api import Muniment, Operation  # noqa: E402 - after the opt-outs
from muniment.cli_output import ProgressLines, print_json, print_model  # noqa: E402
from muniment.entities_cli import entity_app  # noqa: E402
from muniment.graph_cli import graph_app  # noqa: E402
from muniment.home import Home  # noqa: E402
from muniment.schema_cli import schema_app  # noqa: E402
from muniment.settings import Settings, load_settings  # noqa: E402

if TYPE_CHECKING:
    from muniment.ingestion import Waiting

app = typer.Typer(
    help="Documents with identity, provenance and an account of what was lost; context slices on top.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
config_app = typer.Typer(help="Settings.", no_args_is_help=True)
app.add_typer(config_app, name="config")
app.add_typer(graph_app, name="graph")
app.add_typer(schema_app, name="schema")

_err = Console(stderr=True, highlight=False)
_home: dict[str, Path | None] = {"home": None}

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


@app.callback()
def options(
    home: Annotated[Path | None, typer.Option(help="The home (default: MUNIMENT_HOME, then ./.muniment).")] = None,
) -> None:
    """Options that come before every command."""
    _home["home"] = home


def _settings(overrides: dict[str, Any] | None = None) -> tuple[Home, Settings]:
    given = dict(overrides or {})
    if _home["home"] is not None:
        given["home"] = _home["home"]
    settings = load_settings(given)
    return Home(settings.home.resolve()), settings


@contextmanager
def _muniment() -> Iterator[Muniment]:
    with Muniment.open(_home["home"]) as opened:
        yield opened


def _create_home(home: Home, settings: Settings) -> None:
    from muniment.store.opening import create_warehouse

    home.create()
    create_warehouse(home, settings.store).close()


def _initialise(home: Home, settings: Settings) -> None:
    from pipelines.instance import prepare_instance

    _create_home(home, settings)
    prepare_instance(home).dispose()


@app.command()
def init() -> None:
    """Make the home: folders, warehouse tables and the Dagster instance. Safe to repeat."""
    home, settings = _settings()
    _initialise(home, settings)
    typer.echo(f"home {home.root} is ready; next: muniment ingest PATH --source NAME")


def _run(home: Home, settings: Settings, waiting: Waiting, *, quiet: bool) -> list[str]:
    """Do what waits; the jobs launched, in order. Only now is Dagster loaded, and beside it the readers."""
    from muniment.processing.context import kept_workers

    with ProgressLines(_err, quiet=quiet) as progress, kept_workers(home, settings) as workers:
        if waiting.sources or waiting.batches:
            workers.executor.start()
        from pipelines.local import ingest

        return [job for job, _ in ingest(home, settings, progress.announce, progress.report, waiting).runs]


def _publish(home: Home, settings: Settings, quiet: bool) -> None:
    """Publish what was decided; the sources are not looked at."""
    from muniment.ingestion import Waiting

    _run(home, settings, Waiting(sources=[], batches=[], publication=True, last_scan=0), quiet=quiet)


app.add_typer(entity_app(_publish), name="entity")


@app.command()
def ingest(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Folders or files; default: every declared source.")
    ] = None,
    source: Annotated[str | None, typer.Option(help="Name of the source (default: the path's name).")] = None,
    policy: Annotated[str | None, typer.Option(help="Access policy of its documents.")] = None,
    moved: Annotated[bool, typer.Option("--moved", help="The known source now stands at PATH.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Print errors only; the exit code tells.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Scan, process and publish what is new. Nothing pending launches no run.

    Examples: muniment ingest contracts/ --policy legal ; muniment ingest report.pdf --source reports
    """
    from muniment.ingestion import check_places, declare_paths, outcome_of, plan_and_look

    home, settings = _settings()
    check_places(settings, list(paths or ()))
    _create_home(home, settings)
    declare_paths(home, settings, list(paths or ()), source, policy, moved=moved)
    waiting = plan_and_look(home, settings)
    runs = _run(home, settings, waiting, quiet=quiet or as_json) if waiting.anything else []
    outcome = outcome_of(home, settings, runs, waiting.last_scan)
    if as_json:
        print_json(outcome.model_dump(mode="json"))
    elif not quiet:
        typer.echo(str(outcome))
    raise typer.Exit(outcome.exit_code)


@app.command()
def status(as_json: JsonOption = False) -> None:
    """Counts of the manifest by state and type, of every table, of pending work, and the generation."""
    with _muniment() as opened:
        print_model(opened.status(), as_json)


@app.command()
def search(
    query: str,
    limit: Annotated[int | None, typer.Option(help="Passages at most.")] = None,
    source: Annotated[list[str] | None, typer.Option(help="Only these sources.")] = None,
    doc_type: Annotated[list[str] | None, typer.Option("--type", help="Only these document types.")] = None,
    as_of: Annotated[str | None, typer.Option(help="Not known to be out of validity on this day (YYYY-MM-DD).")] = None,
    all_versions: Annotated[bool, typer.Option("--all-versions", help="Also versions no longer held.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Show what each branch contributed.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Passages that answer a question, verbatim, with where they stand."""
    with _muniment() as opened:
        result = opened.search(
            query,
            limit=limit,
            source=source or None,
            doc_type=doc_type or None,
            as_of=_day(as_of),
            all_versions=all_versions,
            explain=explain,
        )
        print_model(result, as_json)


@app.command("slice")
def slice_command(
    operation: Annotated[Operation, typer.Argument(help="passages or dependencies")],
    request: str,
    budget: Annotated[int, typer.Option(help="Tokens at most.")] = 2000,
    depth: Annotated[int, typer.Option(help="Steps from the focal entity.")] = 2,
    as_json: JsonOption = False,
) -> None:
    """The context for one operation: entities, relationships, claims with their wording, excerpts."""
    with _muniment() as opened:
        print_model(opened.slice(operation, request, budget_tokens=budget, depth=depth), as_json)


@app.command()
def trace(
    any_id: str,
    verify: Annotated[bool, typer.Option("--verify", help="Look the text up in the original.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Where a thing comes from, back to the original; and what would vanish with it."""
    with _muniment() as opened:
        print_model(opened.trace(any_id, verify=verify), as_json)


@app.command()
def show(any_id: str, as_json: JsonOption = False) -> None:
    """What an id stands for: its text and where it stands."""
    with _muniment() as opened:
        found = opened.trace(any_id)
        if found.kind == "entity":
            print_model(opened.entity(any_id), as_json)
            return
        if as_json:
            print_json({"id": found.id, "kind": found.kind, "text": found.text, "locator": found.locator})
        elif found.kind in ("document", "version", "original"):  # what there is of it, and what it holds
            typer.echo(str(found))
        else:
            typer.echo(f"{found.kind} {found.id}")
            facts = found.back[0].facts if found.back else {}
            for name, value in facts.items():
                typer.echo(f"  {name}: {value}")
            if found.text is not None:
                typer.echo(found.text)


@app.command()
def losses(as_json: JsonOption = False) -> None:
    """The loss report by document type."""
    with _muniment() as opened:
        print_model(opened.losses(), as_json)


@app.command()
def review(as_json: JsonOption = False) -> None:
    """What a person must look at: file, reason, and what to do."""
    with _muniment() as opened:
        print_model(opened.review(), as_json)


@app.command()
def rebuild(
    check: Annotated[bool, typer.Option("--check", help="Compare only; keep the published warehouse.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Compute every derived table anew in an empty warehouse and compare digests with the published state."""
    from muniment.publication.rebuild import rebuild as run_rebuild

    home, settings = _settings()
    with ProgressLines(_err, quiet=as_json) as progress:
        result = run_rebuild(home, settings, keep=not check, progress=progress.report)
    if as_json:
        print_json({"equal": result.equal, "digest": result.digest, "differing": result.differing})
    else:
        verdict = "equal to" if result.equal else f"different from (tables {', '.join(result.differing)})"
        typer.echo(f"rebuilt content is {verdict} the published one; digest {result.digest}")
    raise typer.Exit(0 if result.equal else 1)


@app.command()
def doctor(as_json: JsonOption = False) -> None:
    """Name each missing model, tool or wrong setting, and what to do."""
    from muniment.doctor import examine

    home, settings = _settings()
    checks = examine(home, settings)
    if as_json:
        print_json([{"name": check.name, "state": check.state, "detail": check.detail} for check in checks])
    else:
        for check in checks:
            typer.echo(f"{check.state:<6}{check.name}: {check.detail}")
    raise typer.Exit(1 if any(check.state == "error" for check in checks) else 0)


@app.command()
def ui(
    port: Annotated[int, typer.Option(help="Port on the loopback interface.")] = 3000,
) -> None:
    """Serve the Dagster UI, sensors and schedules of the home, on the loopback interface only."""
    from pipelines.service import serve

    home, settings = _settings()
    _initialise(home, settings)
    raise typer.Exit(serve(home, port))


@config_app.command("show")
def config_show(as_json: JsonOption = False) -> None:
    """The settings in force; secrets are masked."""
    _, settings = _settings()
    content = settings.model_dump(mode="json")
    typer.echo(json.dumps(content, indent=None if as_json else 2, ensure_ascii=False))


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a day; write YYYY-MM-DD") from None


def _expected_errors() -> tuple[type[Exception], ...]:
    from muniment.access import AccessDenied
    from muniment.index.build import IndexMismatch
    from muniment.index.embedder import EmbedderError
    from muniment.index.port import IndexFolderError
    from muniment.intake.sources import SourceError
    from muniment.publication.reader import NothingPublished
    from muniment.search.filters import SearchError
    from muniment.settings import SettingsError
    from muniment.store.current import CurrentError
    from muniment.store.errors import WarehouseError
    from muniment.trace.walk import UnknownId

    return (
        AccessDenied, EmbedderError, IndexMismatch, IndexFolderError, SourceError, NothingPublished, SearchError,
        SettingsError, NotADirectoryError, PermissionError, CurrentError, WarehouseError, UnknownId, ValueError,
    )  # fmt: skip


def main() -> NoReturn:
    """Entry point: errors a person can act on are one line, everything else is a traceback."""
    from muniment.ingestion import RunFailedError

    try:
        app(standalone_mode=True)
    except RunFailedError as error:
        _err.print(f"muniment: {error}", markup=False, soft_wrap=True)
        sys.exit(3 if error.quality else 1)
    except _expected_errors() as error:
        _err.print(f"muniment: {error}", markup=False, soft_wrap=True)
        sys.exit(1)
    sys.exit(0)
