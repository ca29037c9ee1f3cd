"""`muniment entity`: looking at entities, and deciding which of them are one thing and which are not."""

from __future__ import annotations

import getpass
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from muniment.api import Muniment
from muniment.home import Home
from muniment.settings import Settings

if TYPE_CHECKING:
    from muniment.judging import Judging
    from muniment.resolution.judgements import Judgement

#: Publishes what waits; called with home, settings, and whether to be quiet.
Publish = Callable[[Home, Settings, bool], object]

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]
ByOption = Annotated[str | None, typer.Option("--by", help="Who decides (default: the user's name).")]
PublishOption = Annotated[bool, typer.Option("--publish/--no-publish", help="Publish at once, or with the next run.")]
NameArgument = Annotated[str, typer.Argument(help="An entity's id, its first 8 characters or more, or a name.")]


class _Decide:
    """Records what one command decides, publishes, and says what was recorded."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish

    def __call__(
        self,
        context: typer.Context,
        by: str | None,
        take_effect: bool,
        as_json: bool,
        record: Callable[[Judging], Sequence[Judgement]],
        *,
        undo: bool = False,
    ) -> None:
        from muniment.judging import Judging
        from muniment.processing.context import utc_now

        with _open(context) as opened:
            home, settings = opened.home, opened.settings
        made = record(Judging(home, settings, by or _user(), utc_now()))
        if take_effect:
            self._publish(home, settings, as_json)
        if as_json:
            _print([{"judgement_id": one.judgement_id, "kind": one.kind, "says": str(one)} for one in made])
            return
        for one in made:
            typer.echo(f"{'undone' if undo else 'judged'}: {one}\n  judgement {one.judgement_id}")
        if not take_effect:
            typer.echo("  it takes effect with the next publication (muniment ingest)")


def entity_app(publish: Publish) -> typer.Typer:
    """The commands; `publish` starts the run that makes judgements take effect."""
    app = typer.Typer(help="Entities: look, merge, split, undo.", no_args_is_help=True)
    _looking(app)
    _deciding(app, _Decide(publish))
    _reviewing(app, _Decide(publish))
    return app


def _deciding(app: typer.Typer, decide: _Decide) -> None:
    """The commands that record judgements."""

    @app.command()
    def merge(
        context: typer.Context,
        left: NameArgument,
        right: NameArgument,
        by: ByOption = None,
        take_effect: PublishOption = True,
        as_json: JsonOption = False,
    ) -> None:
        """Two entities are one thing. The one mentioned first keeps its id; the other id leads to it."""
        decide(context, by, take_effect, as_json, lambda judging: [judging.merge(left, right)])

    @app.command()
    def split(
        context: typer.Context,
        entity: NameArgument,
        mention: Annotated[list[str] | None, typer.Option(help="Mentions to split off.")] = None,
        document: Annotated[list[str] | None, typer.Option(help="All mentions in these documents.")] = None,
        alias: Annotated[list[str] | None, typer.Option(help="All mentions under these names.")] = None,
        by: ByOption = None,
        take_effect: PublishOption = True,
        as_json: JsonOption = False,
    ) -> None:
        """Some mentions of an entity name another thing. The part with the earliest mention keeps the id."""

        def record(judging: Judging) -> list[Judgement]:
            return [judging.split(entity, mention_ids=mention or (), document_ids=document or (), aliases=alias or ())]

        decide(context, by, take_effect, as_json, record)

    @app.command()
    def undo(
        context: typer.Context,
        judgement_id: Annotated[str, typer.Argument(help="As list-judgements shows it; 4 characters may do.")],
        by: ByOption = None,
        take_effect: PublishOption = True,
        as_json: JsonOption = False,
    ) -> None:
        """Take a judgement back: ids and rows become what they would be without it."""
        decide(context, by, take_effect, as_json, lambda judging: [judging.undo(judgement_id)], undo=True)


def _reviewing(app: typer.Typer, decide: _Decide) -> None:
    """Looking at pairs and deciding them."""

    @app.command()
    def review(
        context: typer.Context,
        accept: Annotated[list[str] | None, typer.Option(help="This pair is one entity.")] = None,
        reject: Annotated[list[str] | None, typer.Option(help="This pair is two entities.")] = None,
        by: ByOption = None,
        take_effect: PublishOption = True,
        as_json: JsonOption = False,
    ) -> None:
        """Pairs that may be one entity, with the sentence of each; --accept and --reject decide them."""
        if not accept and not reject:
            with _open(context) as opened:
                _show(opened.open_pairs(), as_json)
            return

        def record(judging: Judging) -> list[Judgement]:
            return [judging.accept(one) for one in accept or ()] + [judging.reject(one) for one in reject or ()]

        decide(context, by, take_effect, as_json, record)


def _looking(app: typer.Typer) -> None:
    """The commands that only read."""

    @app.command()
    def show(
        context: typer.Context,
        entity: NameArgument,
        limit: Annotated[int, typer.Option(help="Entries of each list at most.")] = 20,
        as_json: JsonOption = False,
    ) -> None:
        """The card of an entity: names, mentions, what is said of it, earlier ids, history."""
        with _open(context) as opened:
            _show(opened.entity(entity, limit=limit), as_json)

    @app.command("list-judgements")
    def list_judgements(context: typer.Context, as_json: JsonOption = False) -> None:
        """What was judged, by whom, and whether it is in force."""
        with _open(context) as opened:
            _show(opened.judgements(), as_json)

    @app.command()
    def changes(
        context: typer.Context,
        generation: Annotated[str | None, typer.Option(help="Only this generation.")] = None,
        as_json: JsonOption = False,
    ) -> None:
        """What each generation did to entities: minted, merged, split, renamed, gone, and how many it kept."""
        with _open(context) as opened:
            found = opened.entity_changes(generation)
        if as_json:
            _print([one.model_dump(mode="json") for one in found])
        else:
            for one in found:
                typer.echo(str(one))


def _open(context: typer.Context) -> Muniment:
    return Muniment.open(context.find_root().params.get("home"))


def _user() -> str:
    """The user's name; '' where the system knows none, which is refused with advice."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def _show(answer: Any, as_json: bool) -> None:
    if as_json:
        _print(answer.model_dump(mode="json"))
    else:
        typer.echo(str(answer))


def _print(content: Any) -> None:
    typer.echo(json.dumps(content, ensure_ascii=False))
