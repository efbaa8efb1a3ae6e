#!/usr/bin/env python3
"""What metasearch answers, as files: written before a change and after it, they must be equal.

    python tools/goldens.py write FOLDER [--tree CHECKOUT|COMMIT]
    python tools/goldens.py compare BEFORE AFTER
    python tools/goldens.py against CHECKOUT|COMMIT

`write` asks this checkout, or another one, and writes a file for each answer:

- `routes/`: every route of the server in front of the demo: without a workspace, with one, and with
  users (for a visitor and for an administrator); as JSON and as a page, in English and in Chinese;
  what the pages link to; the requests of `POSTS`; and an empty form for every route that takes one.
  Status, headers and body. `openapi.json` is among them.
- `help/`: `--help` of every command.
- `commands/`: what commands print, search, explain and translate among them, also as `--json`.
- `formats/`: the hits of a search in every format, and what each file is read back as.
- `workspaces/`: both example projects: the dump of the database, and all files of their archives.
- `library/`: the same searches and translations by the functions of the package.
- `evaluate/`: figures of labelled sets: those beside the checkout, or of `--sets`.

`compare` lists the files that differ, with the first differing lines, and exits 1. `against` writes
both sides and compares them.

Nothing differs between two runs of one checkout: see `golden/standstill/sitecustomize.py`. Of
modules only those of the public library are named, so that it asks checkouts in which the others
lie elsewhere. Both sides run in a copy, with this Python or, where they need other packages, with
one of their own.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, takewhile, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

from golden import commands, routes  # noqa: E402
from golden.tree import Tree  # noqa: E402

from benchmarks.against.builds import build  # noqa: E402 - found by the path above

#: Labelled sets that are measured where they are, as in benchmarks/against.
SETS = ROOT.parent / "shared" / "data" / "dedup"
#: A labelled set of more bytes takes too long.
MOST_OF_A_SET = 400_000
#: What lies in a checkout beside the package.
DATA = ("adapter_specs", "pyproject.toml")
#: The long ones first.
PARTS: Mapping[str, Callable[[Tree], None]] = {
    "users": routes.users_server,
    "workspace": routes.workspace_server,
    "open": routes.open_server,
    "evaluate": commands.evaluate,
    "review": commands.review_commands,
    "formats": commands.formats,
    "commands": commands.commands,
    "help": commands.helps,
    "library": commands.library,
}


def small_sets(folder: Path) -> list[Path]:
    """The labelled sets of a folder that do not take too long."""
    if not folder.is_dir():
        return []
    sets = (path for path in sorted(folder.iterdir()) if path.is_dir())
    return [path for path in sets if 0 < weight(path) < MOST_OF_A_SET]


def weight(folder: Path) -> int:
    """Bytes of the files of a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def write(
    source: str, folder: Path, sets: Sequence[Path] | None, parts: Sequence[str] | None = None
) -> None:
    """Write the goldens of a checkout or a commit into an empty folder."""
    if folder.exists() and any(folder.iterdir()):
        raise SystemExit(f"{folder} is not empty.")
    folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with TemporaryDirectory(prefix="metasearch-goldens-") as place:
        package = build(source, Path(place, "build"))
        checkout = Path(place, "checkout")
        shutil.copytree(
            package.checkout / "metasearch",
            checkout / "metasearch",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        for name in DATA:
            path = package.checkout / name
            (shutil.copytree if path.is_dir() else shutil.copy)(path, checkout / name)
        package._replace(checkout=checkout).compile()
        chosen = small_sets(SETS) if sets is None else sets
        tree = Tree(
            checkout,
            package.python,
            Path(place, "work"),
            folder,
            [each.resolve() for each in chosen],
        )
        tree.work.mkdir()
        check(tree)

        def of_part(name: str) -> str:
            started = time.monotonic()
            PARTS[name](tree.at(name))
            return f"{name} {time.monotonic() - started:.0f} s"

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            print(", ".join(pool.map(of_part, parts or PARTS)))
    count = sum(path.is_file() for path in folder.rglob("*"))
    print(f"{count:,} goldens of {source} in {time.monotonic() - began:.0f} s")


def check(tree: Tree) -> None:
    """End where the package that is asked is not that of the checkout."""
    done = subprocess.run(
        [tree.python, "-c", "import metasearch; print(metasearch.__file__)"],
        env=tree.env(""),
        cwd=tree.work,
        capture_output=True,
        text=True,
        check=False,
    )
    if tree.checkout.resolve() not in Path(done.stdout.strip()).resolve().parents:
        raise SystemExit(
            f"metasearch was not imported from the checkout: {done.stdout}{done.stderr}"
        )


def compare(before: Path, after: Path, most: int = 40) -> int:
    """Print what differs; 1 where something does."""
    files = [
        {path.relative_to(side).as_posix() for path in side.rglob("*") if path.is_file()}
        for side in (before, after)
    ]
    if not files[0] or not files[1]:
        print("One of the folders has no goldens.")
        return 1
    wrong = []
    for name in sorted(files[0] & files[1]):
        one, other = (Path(side, name).read_bytes() for side in (before, after))
        if one != other:
            wrong.append("\n".join((f"differs: {name}", *differing(one, other))))
    # Behind those that differ, which many of a part that was not written would hide.
    wrong += [f"only before: {name}" for name in sorted(files[0] - files[1])]
    wrong += [f"only after: {name}" for name in sorted(files[1] - files[0])]
    print("\n".join(wrong[:most]))
    if len(wrong) > most:
        print(f"... and {len(wrong) - most} more")
    print(f"{len(files[0] | files[1]):,} goldens, {len(wrong)} of them differ")
    return int(bool(wrong))


def differing(before: bytes, after: bytes, most: int = 3) -> Iterator[str]:
    """The first lines in which two files differ, around the first different character."""
    pairs = zip_longest(before.split(b"\n"), after.split(b"\n"))
    different = ((n, a, b) for n, (a, b) in enumerate(pairs, 1) if a != b)
    for number, one, other in islice(different, most):
        letters = zip(one or b"", other or b"", strict=False)
        equal = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], letters))
        start = max(0, equal - 60)
        yield f"  line {number}, from character {start}"
        for mark, line in (("-", one), ("+", other)):
            if line is not None:
                yield f"    {mark} {line[start : start + 160].decode('utf-8', 'backslashreplace')}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    tasks = parser.add_subparsers(dest="task", required=True)
    writing = tasks.add_parser("write")
    writing.add_argument("folder", type=Path)
    writing.add_argument("--tree", default=str(ROOT), metavar="CHECKOUT|COMMIT")
    comparing = tasks.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    both = tasks.add_parser("against")
    both.add_argument("before", metavar="CHECKOUT|COMMIT")
    for task in (writing, both):
        task.add_argument("--sets", type=Path, nargs="*", metavar="SET")
        task.add_argument("--part", choices=tuple(PARTS), action="append")
    options = parser.parse_args()
    if options.task == "compare":
        return compare(options.before, options.after)
    if options.task == "write":
        write(options.tree, options.folder, options.sets, options.part)
        return 0
    with TemporaryDirectory(prefix="metasearch-goldens-") as place:
        sides = Path(place, "before"), Path(place, "after")
        for source, folder in zip((options.before, str(ROOT)), sides, strict=True):
            write(source, folder, options.sets, options.part)
        return compare(*sides)


if __name__ == "__main__":
    sys.exit(main())
