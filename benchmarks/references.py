"""What a check of references costs, and whom it accuses falsely, on the works of the demo.

    python3 tasks.py bench references [--entries FILE --world FILE]

Each work of the demo exists, so whatever is called serious or not found among references that are
made of them is a false accusation. Then a third of the databases fail: what they have must not be
called "not found".

`--entries`: references with labels, a JSON object a line with `key`, `entry_type`, `fields` as in
BibTeX, `label` ("valid" or another word) and `kind` of error; `--world`: the works that exist, as
`--demo-catalogue` takes them. Of these precision, recall and F1 are measured, too. This is a closed
world, in which what no record holds cannot be found: its figures are not those of live databases.

Exits 1 where a goal is missed.
"""

from __future__ import annotations

import argparse
import asyncio
import datetime as dt
import itertools
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from metasearch.adapters.request import Page, Request
from metasearch.bib.languages import language_code
from metasearch.demo import DemoTransport, replay_settings
from metasearch.demo.catalogue import CatalogueWork, works
from metasearch.engine.engine import Engine
from metasearch.formats import bibtex
from metasearch.formats.citations import STYLES
from metasearch.record import Author, Hit, Record
from metasearch.references.check import CheckedReference, ReferenceCheck
from metasearch.references.reader import read_references
from metasearch.references.reference import Reference

#: References of each list; of the one that is timed.
A_LIST, MANY = 200, 1_000
#: The goals: share accused falsely, seconds of CPU and requests for a reference of many; F1, share
#: of valid entries flagged, and recall of a kind.
ACCUSED, SECONDS, REQUESTS = 0.02, 10.0, 1.5
F1, FLAGGED, RECALL = 0.95, 0.03, 0.9
_DAY = dt.date(2026, 1, 1)
#: Words of which no work is made.
_INVENTED = "Quantum gardening of {} orchards in seven easy movements"


class _PartlyDown(DemoTransport):
    """The demo, of which the named databases refuse everything."""

    down: frozenset[str] = frozenset()

    async def send(self, request: Request, *, timeout: float, max_bytes: int) -> Page:
        if urlsplit(request.url).netloc.removesuffix(".invalid") in self.down:
            return Page(request=request, status=400, body=b"odd")
        return await super().send(request, timeout=timeout, max_bytes=max_bytes)


@dataclass(slots=True)
class Checked:
    """What a check found, and what it cost."""

    references: dict[str, CheckedReference] = field(default_factory=dict)
    requests: int = 0
    cpu: float = 0.0

    @property
    def flagged(self) -> set[str]:
        """Keys of what is serious or not found."""
        return {
            key
            for key, each in self.references.items()
            if each.serious or each.verdict == "not-found"
        }


async def check(
    references: Sequence[Reference], *, world: Path | None = None, down: Iterable[str] = ()
) -> Checked:
    transport = _PartlyDown(catalogue=world, faults=False)
    transport.down = frozenset(down)
    found = Checked()
    settings = replay_settings(catalogue=world, faults=False)
    async with Engine(settings, transport=transport) as engine:
        began = time.process_time()
        checking = ReferenceCheck(engine, references)
        async for each in checking:
            found.references[each.reference.key] = each
        found.cpu = time.process_time() - began
        found.requests = checking.requests
    return found


# Lists.


def _record(work: CatalogueWork) -> Record:
    authors = tuple(
        Author(
            name=f"{family}{given}" if work.language == "zh" else f"{given} {family}".strip(),
            family=family,
            given=given or None,
        )
        for family, given in work.authors
    )
    return Record(
        source="list",
        source_id=work.id,
        type=work.type,
        title=work.title,
        subtitle=work.subtitle or None,
        authors=authors,
        year=work.year,
        language=language_code(work.language),
        venue=work.venue or None,
        volume=work.volume or None,
        issue=work.issue or None,
        pages=work.pages or None,
        publisher=work.publisher or None,
        place=work.place or None,
        doi=work.doi or None,
        isbn=work.isbn,
    )


def in_bibtex(records: Sequence[Record]) -> list[Reference]:
    hits = [Hit(record.source_id, record, (record,), {}) for record in records]
    return [*read_references(bibtex.write(hits), "list.bib").references]


def in_text(records: Sequence[Record]) -> list[Reference]:
    """As a list of GB/T 7714."""
    citation = STYLES["gb7714-2015"].citation
    lines = [f"[{number}] {citation(record, _DAY)}" for number, record in enumerate(records, 1)]
    return [*read_references("\n".join(lines).encode(), "list.txt", format="text").references]


def _numbered(references: Iterable[Reference]) -> list[Reference]:
    """With keys that are theirs alone."""
    return [
        Reference(key=str(number), record=each.record, text=each.text, all_authors=each.all_authors)
        for number, each in enumerate(references, 1)
    ]


def of_entries(file: Path) -> tuple[list[Reference], dict[str, str]]:
    """The references of a labelled set, and key -> its kind of error, "" of what is valid."""
    rows = [json.loads(row) for row in file.read_text(encoding="utf-8").splitlines()]
    text = "".join(
        f"@{row['entry_type']}{{{row['key']},\n"
        + "".join(f"  {name} = {{{value}}},\n" for name, value in row["fields"].items())
        + "}\n"
        for row in rows
    )
    kinds = {row["key"]: "" if row["label"] == "valid" else row["kind"] or "error" for row in rows}
    return [*read_references(text.encode(), "entries.bib", format="bibtex").references], kinds


# What is measured; each says whether its goals are reached.


def say(text: str) -> None:
    print(text, flush=True)


async def accusations(what: str, references: Sequence[Reference]) -> bool:
    found = await check(references)
    share = len(found.flagged) / len(references)
    say(
        f"{what}: {len(references)} references, {len(found.flagged)} accused falsely "
        f"({share:.1%}; goal {ACCUSED:.0%})"
    )
    for key in sorted(found.flagged)[:5]:
        each = found.references[key]
        why = "; ".join(str(difference.why) for difference in each.differences) or each.reason
        say(f"    {each.verdict}: {each.reference.record.title}: {why}")
    return share <= ACCUSED


async def failures(references: Sequence[Reference]) -> bool:
    """Each third of the databases fails in its turn."""
    whole = await check(references)
    databases = [name.removesuffix(".invalid") for name in _PartlyDown(faults=False)._databases]  # noqa: SLF001
    size = -(-len(databases) // 3)
    wrong = unchecked = rounds = 0
    for down in itertools.combinations(databases, size):
        found = await check(references, down=down)
        rounds += 1
        for key, each in found.references.items():
            unchecked += each.verdict == "unchecked"
            known = whole.references[key].verdict != "not-found"
            wrong += each.verdict == "not-found" and known
    say(
        f"{size} of {len(databases)} databases fail, {rounds} times {len(references)} references: "
        f'{wrong} "not found" that a failed one has (goal 0), {unchecked} unchecked'
    )
    return not wrong


async def cost(references: Sequence[Reference]) -> bool:
    found = await check(references)
    each = found.requests / len(references)
    say(
        f"{len(references):,} references: {found.cpu:.1f} s of CPU (goal {SECONDS:.0f}), "
        f"{each:.2f} requests each (goal {REQUESTS})"
    )
    return found.cpu <= SECONDS and each <= REQUESTS


async def labelled(entries: Path, world: Path) -> bool:
    references, kinds = of_entries(entries)
    found = await check(references, world=world)
    flagged = found.flagged
    bad = {key for key, kind in kinds.items() if kind}
    right = len(flagged & bad)
    f1 = 2 * right / (len(flagged) + len(bad)) if bad else 1.0
    valid = len(kinds) - len(bad)
    accused = len(flagged - bad) / valid if valid else 0.0
    say(
        f"{entries.name}: {len(kinds)} entries, F1 {f1:.3f} (goal {F1}), {accused:.1%} of {valid} "
        f"valid ones flagged (goal {FLAGGED:.0%}); {found.cpu:.1f} s of CPU"
    )
    reached = f1 >= F1 and accused <= FLAGGED
    for kind, count in sorted(Counter(kinds[key] for key in bad).items()):
        there = sum(kinds[key] == kind for key in flagged)
        reached = reached and there / count >= RECALL
        say(f"    {kind}: {there} of {count} ({there / count:.2f}; goal {RECALL})")
    return reached


async def measured(entries: Path | None, world: Path | None) -> bool:
    if entries is not None:
        if world is None:
            raise SystemExit("--entries needs --world")
        return await labelled(entries, world)
    # What has a notice is accused rightly.
    records = [_record(work) for work in works() if not work.notices]
    chinese = [record for record in records if record.language == "zh"]
    spread = [records[number * len(records) // A_LIST] for number in range(A_LIST)]
    both = _numbered([*in_bibtex(records), *in_text(records)])
    invented = [
        Record(source="list", source_id=f"x{number}", title=_INVENTED.format(f"no{number}"))
        for number in range(20)
    ]
    goals = [
        await accusations(
            "in Chinese", _numbered([*in_bibtex(chinese), *in_text(chinese)])[:A_LIST]
        ),
        await accusations("GB/T 7714", in_text(spread)),
        await failures(_numbered(in_bibtex([*spread[::2], *invented]))),
        await cost(both[:MANY]),
    ]
    return all(goals)


def main() -> int:
    parser = argparse.ArgumentParser(description="What a check of references costs and gets wrong.")
    parser.add_argument("--entries", type=Path)
    parser.add_argument("--world", type=Path)
    options = parser.parse_args()
    reached = asyncio.run(measured(options.entries, options.world))
    say("goals: " + ("reached" if reached else "MISSED"))
    return int(not reached)


if __name__ == "__main__":
    sys.exit(main())
