"""The classes of all commands and groups: examples in the help, options before the name of a
command, a search where no command is named, and misspelt commands.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from functools import cache, cached_property
from typing import Any

import click
from click.shell_completion import CompletionItem

from metasearch.cli.output import Console
from metasearch.wing import load

# Recognises misspelt commands, which would otherwise be searched for.

#: Letters of a misspelt command that are wrong, missing, added or swapped, at most.
MOST_EDITS = 2
#: Letters of a name of which every spelling is taken as it is; one of a letter more may have one
#: wrong: "mice" is neither a misspelt "mcp" nor "cite".
_SHORT = 3
#: Characters of the longest word that is compared; names of commands are shorter.
_LONGEST = 24


def may_be_name(word: object) -> bool:
    """Whether a word may be a command, well or badly spelt; a query in quotes has blanks."""
    return isinstance(word, str) and len(word) <= _LONGEST and not any(map(str.isspace, word))


def nearest(word: str, names: Iterable[str]) -> str | None:
    """The name with the fewest edits from the word; None if each name is more than `MOST_EDITS`
    away. Short names are taken more strictly.
    """
    if not may_be_name(word):
        return None
    word = word.casefold()
    near = (
        (distance, name)
        for name in names
        if (distance := edits(word, name)) <= min(MOST_EDITS, max(0, len(name) - _SHORT))
    )
    return min(near, default=(0, None))[1]


def edits(left: str, right: str) -> int:
    """The number of letters to replace, add, remove or swap with their neighbour that make the two
    words equal.

    rapidfuzz counts the same, but loading it takes longer than the help of a command may take.
    """
    before: list[int] = []
    last = list(range(len(right) + 1))
    for row, one in enumerate(left, 1):
        now = [row]
        for column, other in enumerate(right, 1):
            cost = min(last[column] + 1, now[-1] + 1, last[column - 1] + (one != other))
            swapped = row > 1 and column > 1 and one == right[column - 2] and left[row - 2] == other
            now.append(min(cost, before[column - 2] + 1) if swapped else cost)
        before, last = last, now
    return last[-1]


def probable_command(words: Sequence[str], commands: Mapping[str, click.Command]) -> str | None:
    """The command that the words of a query resemble, as "serve" or "sources list"; None for a
    query.

    One word must resemble a command; of two words the first must resemble a group, and the second
    one of its commands: "source list".
    """
    name = nearest(words[0], commands) if words else None
    if name is None or len(words) == 1:
        return name
    group = commands[name]
    inner = nearest(words[1], group.commands) if isinstance(group, click.Group) else None
    return f"{name} {inner}" if inner else None


def how_to_search(words: Sequence[str]) -> str:
    """A sentence that shows how to search for words that name a command, or resemble one."""
    typed = shlex.join(words)
    return f"To search for these words: metasearch -- {typed} (or: metasearch search {typed})"


#: (command line, what it does)
Examples = Sequence[tuple[str, str]]
#: The beginning of click's message about words that a command does not take.
_TOO_MANY = "Got unexpected extra argument"
CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


class ExampleCommand(click.Command):
    """A command whose help opens with examples, and which runs in a child process. `in_child`:
    whether the whole command runs in a child; False if it starts its own processes.
    """

    def __init__(
        self, *args: Any, examples: Examples = (), in_child: bool = True, **kwargs: Any
    ) -> None:
        kwargs.setdefault("context_settings", CONTEXT)
        super().__init__(*args, **kwargs)
        self.examples = examples
        self._in_child = in_child

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse as click does; the error about too many words adds how to search for them."""
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
        if not self._in_child:
            return super().invoke(ctx)
        from metasearch.cli.watchdog import run_in_child

        return run_in_child(
            ctx.ensure_object(Console), lambda: int(super(ExampleCommand, self).invoke(ctx) or 0)
        )

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        write_examples(self.examples, formatter)


class Commands(MutableMapping[str, click.Command]):
    """The commands of a group by their names; each is imported when it is looked at.

    Args:
        places: Name of a command -> its place, see `metasearch.wing.load`.
        further: Returns more of them; called where `places` does not have a name that may be one,
            and for a list of all.
    """

    def __init__(
        self, places: Mapping[str, str], further: Callable[[], Mapping[str, str]] = dict
    ) -> None:
        self._own = dict(places)
        self._further = further
        self._known: dict[str, click.Command] = {}

    @cached_property
    def _places(self) -> dict[str, str]:
        return {**self._own, **self._further()}

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._known:
            self._known[name] = load((self._own if name in self._own else self._places)[name])
        return self._known[name]

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._known[name] = command
        self._own[name] = self._places[name] = ""

    def __delitem__(self, name: str) -> None:
        self._known.pop(name, None)
        self._own.pop(name, None)
        del self._places[name]

    def __contains__(self, name: object) -> bool:
        return name in self._own or (may_be_name(name) and name in self._places)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class CommandGroup(click.Group):
    """A group in which options of a command may stand before its name. `default`: name of the
    command that takes everything that does not begin with a command's name, or None.
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
        """Put the name of the command first, then parse as click does."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        return super().parse_args(ctx, self._command_first(ctx, args))

    def _command_first(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args:
            return []
        own = {name for param in self.params for name in param.opts}
        takes_value = self._takes_value()
        helps = {"-h", "--help"}
        before: list[str] = []
        rest = list(args)
        while rest and rest[0].startswith("-") and rest[0] not in ("-", "--"):
            if rest[0] in own:
                return [rest[0]]
            before.append(rest.pop(0))
            if rest and _takes_next(before[-1], takes_value):
                before.append(rest.pop(0))
        if rest and rest[0] in self.commands:
            return [rest[0], *before, *rest[1:]]
        if not rest and not helps.isdisjoint(before):
            return ["--help"]
        if self.default and not ctx.resilient_parsing:
            self._refuse_misspelt(ctx, [*before, *rest], takes_value)
        return [self.default, *before, *rest] if self.default else [*rest, *before]

    def _takes_value(self) -> Callable[[str], bool]:
        """What tells whether an option takes a value: "-n" does.

        An option means the same everywhere, so the other commands are loaded for those only that
        the default command does not have.
        """

        @cache
        def elsewhere() -> dict[str, bool]:
            return _values_of(_options(self))

        default = self.commands.get(self.default or "")
        here = {} if default is None else _values_of(_options(default))
        return lambda name: here[name] if name in here else elsewhere().get(name, False)

    def _refuse_misspelt(
        self, ctx: click.Context, args: list[str], takes_value: Callable[[str], bool]
    ) -> None:
        """Refuse words that are probably a misspelt command, and not a query. Raises
        click.UsageError: the words resemble a command that takes all the options.
        """
        words, options = _words_and_options(args, takes_value)
        command = probable_command(words, self.commands)
        if command is None:
            return
        allowed = {
            name for option in _options(self.commands[command.split()[0]]) for name in option.opts
        }
        if options <= allowed | {"-h", "--help"}:
            hint = f"Did you mean: metasearch {command}? {how_to_search(words)}"
            raise click.UsageError(f"No such command '{' '.join(words)}'. {hint}", ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command as click does; the error adds a similar name and how to search."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as exc:
            command = nearest(args[0], self.commands)
            question = f"Did you mean: {ctx.command_path} {command}? " if command else ""
            hint = f"{question}{how_to_search([*ctx.command_path.split()[1:], *args])}"
            raise click.UsageError(f"No such command '{args[0]}'. {hint}", ctx) from exc

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete also the options of the default command, without its name."""
        default = self.commands.get(self.default or "")
        if default is not None and incomplete.startswith("-"):
            return default.shell_complete(ctx, incomplete)
        return super().shell_complete(ctx, incomplete)

    def format_usage(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write one line for the default command, and one for the others."""
        default = self.commands.get(self.default or "")
        if default is None:
            super().format_usage(ctx, formatter)
            return
        formatter.write_usage(ctx.command_path, " ".join(default.collect_usage_pieces(ctx)))
        formatter.write_usage(ctx.command_path, self.subcommand_metavar, prefix="       ")

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_help_text(ctx, formatter)
        write_examples(self.examples, formatter)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, the options of the default command, and those of the group."""
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
    """Write a section of commands to copy, each below what it does."""
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


def _values_of(options: Iterable[click.Option]) -> dict[str, bool]:
    """Name of each option -> whether one of that name takes a value."""
    values: dict[str, bool] = {}
    for option in options:
        for name in option.opts:
            values[name] = values.get(name, False) or not option.is_flag
    return values


def _words_and_options(
    args: Iterable[str], takes_value: Callable[[str], bool]
) -> tuple[list[str], set[str]]:
    """(the words, the options) of a command line; no words after "--": a query follows."""
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
        if _takes_next(arg, takes_value):
            next(following, None)
    return words, options


def _takes_next(arg: str, takes_value: Callable[[str], bool]) -> bool:
    """Whether the next argument is the value of this option: "-n", "-vn"; not "-n5"."""
    if arg.startswith("--"):
        return takes_value(arg)
    letters = [f"-{letter}" for letter in arg[1:]]
    first = next((index for index, letter in enumerate(letters) if takes_value(letter)), None)
    return first is not None and first == len(letters) - 1
