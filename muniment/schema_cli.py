"""`muniment schema`: the domain schema in force, whether a file is sound, and what the corpus would add to it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from muniment.api import Muniment
from muniment.domain.loading import SECTIONS, load_domain
from muniment.domain.model import DomainSchema
from muniment.domain.suggestions import suggest
from muniment.settings import Settings, load_settings

schema_app = typer.Typer(help="The domain schema: types, relations, attributes, patterns.", no_args_is_help=True)

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def _home(context: typer.Context) -> Path | None:
    return context.find_root().params.get("home")


def _settings(context: typer.Context) -> Settings:
    home = _home(context)
    return load_settings({"home": home} if home is not None else {})


@schema_app.command("show")
def show_command(
    context: typer.Context,
    name: Annotated[str | None, typer.Argument(help="One definition, as YAML to copy into an own file.")] = None,
    as_json: JsonOption = False,
) -> None:
    """The schema in force: every definition by name, or one of them whole."""
    domain = load_domain(_settings(context).domain)
    chosen = _chosen(domain, name)
    if as_json:
        typer.echo(json.dumps({"packs": domain.packs, "digest": domain.digest, **chosen}, ensure_ascii=False))
    elif name is not None:
        typer.echo(yaml.safe_dump(chosen, sort_keys=False, allow_unicode=True, width=110).rstrip())
    else:
        typer.echo(_overview(domain))


def _chosen(domain: DomainSchema, name: str | None) -> dict[str, list[dict[str, Any]]]:
    """Definitions by section, without fields left at their defaults. Raises ValueError for an unknown name."""
    found = {
        section: [
            item.model_dump(mode="json", exclude_defaults=True)
            for key, item in sorted(getattr(domain, section).items())
            if name in (None, key)
        ]
        for section in SECTIONS
    }
    if name is not None:
        found = {section: items for section, items in found.items() if items}
        if not found:
            raise ValueError(f"{name}: the schema defines no such name; `muniment schema show` lists all")
    return found


def _overview(domain: DomainSchema) -> str:
    lines = [f"packs       {', '.join(domain.packs)}", f"digest      {domain.digest[:16]}"]
    lines += ["", f"types ({len(domain.types)})"]
    lines += [_line(name, " < ".join(domain.ancestors[name][1:])) for name in sorted(domain.types)]
    lines += ["", f"relations ({len(domain.relations)}), read from subject to object"]
    for name, item in sorted(domain.relations.items()):
        marks = [mark for mark in ("functional", "inverse_functional", "symmetric", "strict") if getattr(item, mark)]
        ends = (
            f"{'|'.join(item.domain) or 'any'} → {'|'.join(item.range) or 'any'}" if item.domain or item.range else ""
        )
        needs = {"object": "subject depends on object", "subject": "object depends on subject"}.get(item.dependency, "")
        lines.append(_line(name, "; ".join(part for part in (ends, ", ".join(marks), needs) if part)))
    lines += ["", f"attributes ({len(domain.attributes)})"]
    for name, item in sorted(domain.attributes.items()):
        parts = (item.datatype, f"in {item.unit}" if item.unit else "", "functional" if item.functional else "")
        lines.append(_line(name, ", ".join(part for part in parts if part)))
    lines += ["", f"patterns ({len(domain.patterns)})"]
    lines += [_line(name, f"{item.type}: {', '.join(item.examples)}") for name, item in sorted(domain.patterns.items())]
    return "\n".join(lines)


def _line(name: str, about: str) -> str:
    return f"  {name:<26} {about}".rstrip()


@schema_app.command("check")
def check_command(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(help="An own file; default: the one that the settings name.")] = None,
) -> None:
    """Whether the schema can be used, with an own file in place of the settings' one. Names file and line of faults."""
    settings = _settings(context).domain
    chosen = settings if file is None else settings.model_copy(update={"file": file.resolve()})
    domain = load_domain(chosen)
    counts = ", ".join(f"{len(getattr(domain, section))} {section}" for section in SECTIONS)
    typer.echo(f"sound: {', '.join(domain.packs)}; {counts}")


@schema_app.command("suggest")
def suggest_command(
    context: typer.Context,
    limit: Annotated[int, typer.Option(min=1, help="Predicates at most, and kinds of things at most.")] = 20,
    as_json: JsonOption = False,
) -> None:
    """What published documents use and the schema lacks: predicates, fields, kinds of things; and a file for them."""
    with Muniment.open(_home(context)) as opened:
        held = opened.table("generation_versions").filter("held").select("version_id")
        claims, mentions, evidence = (
            opened.table(name).join(held, on="version_id", how="semi")
            for name in ("claims", "mentions", "claim_evidence")
        )
        found = suggest(claims, mentions, evidence, load_domain(opened.settings.domain), limit)
    if as_json:
        typer.echo(found.model_dump_json())
    else:
        typer.echo(str(found))
