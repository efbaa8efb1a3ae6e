"""Generated sets of records with blocks that are hostile to joins, and jobs over them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from metasearch.bulk.engines import BulkEngine
from metasearch.bulk.job import JobOutcome, JobWork, deduplicate, read_all
from metasearch.bulk.staged.pool import JobRules
from metasearch.bulk.staged.stages import JobFolder, StagedJob, run
from metasearch.formats.reading.files import gather
from tests.bulk.staged.union_find import UnionFind

_SYLLABLES = "ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zy".split()
_FAMILIES = [f"{a}{b}er".title() for a in _SYLLABLES for b in _SYLLABLES]


def _word(rng: random.Random) -> str:
    return "".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(2, 5)))


def _ris(**fields: object) -> str:
    lines = ["TY  - JOUR"]
    for tag, value in fields.items():
        values = value if isinstance(value, list) else [value]
        lines += [f"{tag:<2}  - {one}" for one in values if one]
    return "\n".join([*lines, "ER  -", ""])


def records(count: int, seed: int = 1, words: int = 400) -> list[str]:
    """So many works as RIS, most of them with copies that say less or otherwise, some with a
    preprint; titles, journals and texts are made of so many words.
    """
    rng = random.Random(seed)
    vocabulary = [_word(rng) for _ in range(words)]
    found = []
    for number in range(count):
        title = " ".join(rng.choices(vocabulary, k=rng.randint(4, 9)))
        people = [f"{rng.choice(_FAMILIES)}, {rng.choice('ABCDEFG')}." for _ in range(3)]
        year = rng.randint(1990, 2020)
        abstract = " ".join(rng.choices(vocabulary, k=40)) if rng.random() < 0.4 else ""
        work = {
            "ID": f"r{number}" if rng.random() < 0.3 else "",
            "AU": people,
            "TI": title,
            "T2": f"Journal of {rng.choice(vocabulary)}",
            "PY": year,
            "VL": rng.randint(1, 40),
            "SP": rng.randint(1, 900),
            "DO": f"10.1000/{number}" if rng.random() < 0.6 else "",
            "AB": abstract,
        }
        found.append(_ris(**work))
        for _ in range(rng.choice((0, 0, 1, 1, 2, 4))):
            copy = dict(work)
            for tag in rng.sample(("ID", "DO", "VL", "SP", "T2", "AB"), k=2):
                copy[tag] = ""
            if rng.random() < 0.3:
                copy["TI"] = title.upper() + "."
            if rng.random() < 0.2:
                copy["AU"] = ""
            if rng.random() < 0.1:
                copy["PY"] = year + 1
            found.append(_ris(**copy))
        if rng.random() < 0.1:
            found.append(_ris(AU=people, TI=title, T2="bioRxiv", PY=year - 1, AB=abstract))
    return found


def hostile(crowd: int = 60, seed: int = 2) -> list[str]:
    """Blocks that many records share."""
    rng = random.Random(seed)
    found = []
    for number in range(crowd):
        family = rng.choice(_FAMILIES)
        found += [
            # A title that very many have, and one that returns in its journal each year.
            _ris(TI="Annual report", PY=rng.randint(2000, 2005), AU=f"{family}, A."),
            _ris(TI="Notes from the mud", T2="Journal of Mud", PY=1950 + number, VL=number),
            # The same, word for word.
            _ris(TI="The same record again and again", AU="Same, S.", PY=2001, T2="Journal of It"),
            # No author or year; texts that differ in a few words.
            _ris(
                TI=f"Thin record {rng.choice('abc')}",
                AB=" ".join(["mud iron lake shore", *rng.sample(_SYLLABLES, 3)] * 8),
            ),
            # One DOI for a whole issue.
            _ris(TI=f"{_word(rng)} {_word(rng)} {_word(rng)}", DO="10.1000/issue", PY=1999),
        ]
    return found


def files(tmp: Path, texts: list[str], parts: int, seed: int = 3) -> list[Path]:
    """The records in random order in so many files."""
    mixed = list(texts)
    random.Random(seed).shuffle(mixed)
    tmp.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(parts):
        path = tmp / f"file{number}.ris"
        path.write_text("\n".join(mixed[number::parts]), encoding="utf-8")
        paths.append(path)
    return paths


def in_memory(paths: list[Path], rules: JobRules | None = None) -> JobOutcome:
    """What the engine memory finds."""
    rules = rules or JobRules()
    return deduplicate(
        read_all(gather(paths).files), rules.chain, rules.versions, dedup=rules.strategy
    )


def on_disk(
    paths: list[Path],
    folder: Path,
    rules: JobRules | None = None,
    *,
    workers: int = 1,
    engine: BulkEngine | None = None,
    resume: bool = False,
    **options: int,
) -> JobOutcome:
    """What a staged job finds."""
    job = StagedJob(gather(paths).files, rules or JobRules(), workers=workers, **options)
    outcome, _ = run(
        job,
        JobFolder(folder, job.description(), resume=resume),
        engine or UnionFind(workers),
    )
    return outcome


def together(works: Iterator[JobWork]) -> set[frozenset[str]]:
    """The works as sets of keys."""
    return {frozenset(item.key for item in work.items) for work in works}
