"""How a command line is taken apart: options may stand before the command, and what is no command
is a query.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from metasearch.cli.misspelt import how_to_search, meant, near
from metasearch.cli.terminal.console import Console
from metasearch.engine.options import OPTIONS
from metasearch.record import VERSIONS_MODES

#: (command line, what it does)
Examples = Sequence[tuple[str, str]]
#: How click begins what it says of words that a command does not take.
_TOO_MANY = "Got unexpected extra argument"
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class ExampleCommand(click.Command):
    """A command whose help opens with examples, and which runs in a process of its own.

    Args:
        apart: Whether it runs there as a whole; False for one that sees to that itself.
    """

    def __init__(
        self, *args: Any, examples: Examples = (), apart: bool = True, **kwargs: Any
    ) -> None:
        kwargs.setdefault("context_settings", CONTEXT)
        super().__init__(*args, **kwargs)
        self.examples = examples
        self._apart = apart

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As in click, with a word for those who wanted to search for a command's name and other
        words.
        """
        typed = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption:
            raise
        except click.UsageError as exc:
            if not exc.message.startswith(_TOO_MANY) or any(word.startswith("-") for word in typed):
                raise
            words = [*ctx.command_path.split()[1:], *typed]
            raise click.UsageError(f"{exc.message} {how_to_search(words)}", ctx) from exc

    def invoke(self, ctx: click.Context) -> Any:
        """As click does it, but apart from whoever waits for its end."""
        if not self._apart:
            return super().invoke(ctx)
        from metasearch.cli.terminal import watchdog

        return watchdog.apart(
            ctx.ensure_object(Console), lambda: int(super(ExampleCommand, self).invoke(ctx) or 0)
        )

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The text, and the examples above all options."""
        super().format_help_text(ctx, formatter)
        write_examples(self.examples, formatter)


class CommandGroup(click.Group):
    """A group in which options of a command may stand before its name.

    Args:
        default: Name of the command that takes everything that does not begin with a command's
            name, or None.
        examples: Shown at the top of the help.
    """

    command_class = ExampleCommand

    def __init__(
        self, *args: Any, default: str | None = None, examples: Examples = (), **kwargs: Any
    ) -> None:
        kwargs.setdefault("context_settings", CONTEXT)
        super().__init__(*args, **kwargs)
        self.default = default
        self.examples = examples

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the command first, then let click go on as always."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, self._arranged(ctx, args))

    def _arranged(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            return []
        own = {name for param in self.params for name in param.opts}
        with_value = {
            name for option in _options(self) if not option.is_flag for name in option.opts
        }
        helps = {"-h", "--help"}
        before: list[str] = []
        rest = list(args)
        while rest and rest[0].startswith("-") and rest[0] not in ("-", "--"):
            if rest[0] in own:
                return [rest[0]]
            before.append(rest.pop(0))
            if rest and _wants_value(before[-1], with_value):
                before.append(rest.pop(0))
        if rest and rest[0] in self.commands:
            return [rest[0], *before, *rest[1:]]
        if not rest and not helps.isdisjoint(before):
            return ["--help"]
        if self.default and not ctx.resilient_parsing:
            self._ask(ctx, [*before, *rest], with_value)
        return [self.default, *before, *rest] if self.default else [*rest, *before]

    def _ask(self, ctx: click.Context, args: list[str], with_value: Iterable[str]) -> None:
        """Asks back where a command is meant rather than a search for its name misspelt.

        Raises:
            click.UsageError: It probably is, and the options that are given go with it.
        """
        words, options = _apart(args, with_value)
        command = meant(words, self.commands)
        if command is None:
            return
        taken = {
            name for option in _options(self.commands[command.split()[0]]) for name in option.opts
        }
        if options <= taken | {"-h", "--help"}:
            hint = f"Did you mean: metasearch {command}? {how_to_search(words)}"
            raise click.UsageError(f"No such command '{' '.join(words)}'. {hint}", ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As in click, with a word for those who wanted to search for a command's name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as exc:
            command = near(args[0], self.commands)
            asked = f"Did you mean: {ctx.command_path} {command}? " if command else ""
            hint = f"{asked}{how_to_search([*ctx.command_path.split()[1:], *args])}"
            raise click.UsageError(f"No such command '{args[0]}'. {hint}", ctx) from exc

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Options of the default command complete without its name."""
        default = self.commands.get(self.default or "")
        if default is not None and incomplete.startswith("-"):
            return default.shell_complete(ctx, incomplete)
        return super().shell_complete(ctx, incomplete)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One line for the default command, one for the others."""
        default = self.commands.get(self.default or "")
        if default is None:
            super().format_usage(ctx, formatter)
            return
        formatter.write_usage(ctx.command_path, " ".join(default.collect_usage_pieces(ctx)))
        formatter.write_usage(ctx.command_path, self.subcommand_metavar, prefix="       ")

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The text, and the examples above all options."""
        super().format_help_text(ctx, formatter)
        write_examples(self.examples, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, the options of the default one, and the group's own."""
        self.format_commands(ctx, formatter)
        default = self.commands.get(self.default or "")
        inner = (
            []
            if default is None
            else [param for param in default.params if isinstance(param, click.Option)]
        )
        rows = (param.get_help_record(ctx) for param in (*inner, *self.get_params(ctx)))
        with formatter.section("Options"):
            formatter.write_dl([row for row in rows if row])


def write_examples(examples: Examples, formatter: click.HelpFormatter) -> None:
    """A section of commands to copy, each under what it does."""
    if examples:
        with formatter.section("Examples"):
            for command, does in examples:
                formatter.write(
                    f"{'':{formatter.current_indent}}# "
                    f"{does}\n{'':{formatter.current_indent}}{command}\n"
                )


def _options(command: click.Command) -> Iterator[click.Option]:
    yield from (param for param in command.params if isinstance(param, click.Option))
    if isinstance(command, click.Group):
        for inner in command.commands.values():
            yield from _options(inner)


def _apart(args: Iterable[str], with_value: Iterable[str]) -> tuple[list[str], set[str]]:
    """(the words, the options) of a command line. What stands behind "--" is a query, and no word
    is given then.
    """
    words: list[str] = []
    options: set[str] = set()
    following = iter(args)
    for arg in following:
        if arg == "--":
            return [], options
        if arg == "-" or not arg.startswith("-"):
            words.append(arg)
            continue
        options.add(arg.partition("=")[0] if arg.startswith("--") else arg[:2])
        if _wants_value(arg, with_value):
            next(following, None)
    return words, options


def _wants_value(arg: str, with_value: Iterable[str]) -> bool:
    """Whether the next argument belongs to this option: "-n", "-vn", "--limit"; not "-n5",
    "--limit=5".
    """
    if arg.startswith("--"):
        return arg in with_value
    letters = [f"-{letter}" for letter in arg[1:]]
    first = next((index for index, letter in enumerate(letters) if letter in with_value), None)
    return first is not None and first == len(letters) - 1


# ------------------------------------------------------------------------- options of every command


def _set(name: str) -> Any:
    def callback(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
        if value:
            setattr(ctx.ensure_object(Console), name, True)

    return callback


def common(command: Any) -> Any:
    """`--config`, `--quiet`, `--verbose` and `--no-color`; the last three end up in the
    `Console`.
    """
    decorators = (
        click.option(
            "--config",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Configuration in TOML, instead of the one in your configuration folder.",
        ),
        _flag("-q", "--quiet", name="quiet", text="Say nothing on stderr but errors."),
        _flag(
            "-v",
            "--verbose",
            name="verbose",
            text="Say more on stderr; show the traceback of an internal error.",
        ),
        _flag("--no-color", name="no_color", text="No colours, as NO_COLOR does."),
    )
    for decorate in reversed(decorators):
        command = decorate(command)
    return command


def dedup_options(command: Any) -> Any:
    """`--pins`, `--versions` and `--dedup`, for every command that de-duplicates."""
    pins = click.option(
        "--pins",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="What is the same and what is different, whatever the rules say.",
    )
    versions = click.option(
        "--versions",
        type=click.Choice(VERSIONS_MODES),
        help=OPTIONS["versions"].help,
    )
    dedup = click.option(
        "--dedup",
        metavar="NAME",
        shell_complete=complete_strategy,
        help=OPTIONS["dedup"].help,
    )
    return pins(versions(dedup(command)))


def writing(command: Any) -> Any:
    """`--bom` and `--provenance`, for every command that writes files for other programs."""
    bom = click.option(
        "--bom/--no-bom",
        default=None,
        help="Begin CSV with a byte order mark, by which Excel knows UTF-8; so it is where -o "
        "ends in .csv.",
    )
    provenance = click.option(
        "--provenance",
        is_flag=True,
        help="RIS says in N1 which source gave which field; Zotero makes notes of it.",
    )
    return bom(provenance(command))


def marked(bom: bool | None, output: Path | None) -> bool:
    """Whether CSV begins with a byte order mark: as `--bom` says, else where it goes into a file
    for a spreadsheet.
    """
    return bom if bom is not None else output is not None and output.suffix.lower() == ".csv"


def _flag(*names: str, name: str, text: str) -> Any:
    return click.option(
        *names, is_flag=True, expose_value=False, is_eager=True, callback=_set(name), help=text
    )


def complete_source(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of sources and groups for the shell; the last one of a list with commas."""
    from metasearch.adapters.specs.registry import Registry
    from metasearch.settings import Settings

    done, comma, started = incomplete.rpartition(",")
    registry = Registry(Settings())
    return [
        CompletionItem(done + comma + it)
        for it in (*registry.names(), *registry.groups)
        if it.startswith(started)
    ]


def complete_strategy(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Names of strategies for the shell, each with what it does."""
    from metasearch.dedup import STRATEGIES

    return [
        CompletionItem(it.name, help=it.does)
        for it in STRATEGIES.values()
        if it.name.startswith(incomplete)
    ]
