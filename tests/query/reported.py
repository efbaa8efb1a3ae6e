"""What platforms print and people paste, as users reported it, against its right meaning.

    python -m tests.query.reported FOLDER [name ...]

The folder holds NAME.query, the text, and NAME.expect: the syntax that it is read in, then lines
such as `reads: A | B` (a tree in our own syntax), `not-reads: REGEX`, `no-words: REGEX`,
`note: REGEX`, `syntax: NAME`, `exact: TEXT`; `refusal-ok` where a refusal is right, too. Printed is
a line for each: read, refused or wrong, and what was read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from metasearch.errors import QuerySyntaxError
from metasearch.query import Query, parse, read, to_text

#: What stands round a word or phrase of a tree that is one by itself.
_ALONE = r"(?<![\w*-])(?:{})(?![\w-])"


@dataclass(frozen=True)
class Outcome:
    """What became of a case: "read", "refused" or "wrong"; what was shown, and which of its lines
    do not hold."""

    name: str
    state: str
    shown: str
    broken: tuple[str, ...] = ()


def outcomes(folder: Path) -> Iterator[Outcome]:
    """Of each case of the folder, in the order of their names."""
    for file in sorted(folder.glob("*.query")):
        yield outcome(file)


def outcome(file: Path) -> Outcome:
    first, *lines = file.with_suffix(".expect").read_text(encoding="utf-8").splitlines()
    syntax = first.partition(": ")[2]
    try:
        found = read(file.read_text(encoding="utf-8"), syntax)
    except QuerySyntaxError as error:
        state = "refused" if "refusal-ok" in lines else "wrong"
        return Outcome(file.stem, state, error.reason, () if state == "refused" else ("refused",))
    notes = [note for note in found.notes if "recognised as" not in note]
    broken = [line for line in lines if not _holds(line, found.query, found.syntax, notes)]
    state = "wrong" if broken else "read"
    return Outcome(file.stem, state, to_text(found.query), tuple(broken))


def _holds(line: str, query: Query, syntax: str, notes: list[str]) -> bool:
    kind, _, value = line.partition(": ")
    text = to_text(query)
    match kind:
        case "reads":
            trees = [one.strip() for one in value.split(" | ")]
            return any(tree in ("any", text) or _means(tree, query) for tree in trees)
        case "not-reads":
            return not re.search(value, text)
        case "no-words":
            return not re.search(_ALONE.format(value), text)
        case "note":
            return any(re.search(f"(?i){value}", note) for note in notes)
        case "exact":
            return text == value
        case "syntax":
            return syntax == value
    return True


def _means(text: str, query: Query) -> bool:
    try:
        return parse(text) == query
    except QuerySyntaxError:
        return False


def main() -> int:
    """Print the outcome of each case; 1 where one is wrong."""
    folder, *names = sys.argv[1:]
    found = [one for one in outcomes(Path(folder)) if not names or one.name in names]
    for one in found:
        print("\t".join((one.state, one.name, ",".join(one.broken), one.shown[:200])))
    count = {state: sum(one.state == state for one in found) for state in ("read", "refused")}
    wrong = len(found) - sum(count.values())
    print(f"{len(found)} cases: {count['read']} read, {count['refused']} refused, {wrong} wrong")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
