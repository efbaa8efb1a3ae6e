"""docs/strategies-report.md: every strategy on every labelled set, what the publications claim, and how time grows.

    python3 tasks.py report [--sets FOLDER] [--out FOLDER]

FOLDER holds the labelled sets (by default those beside the development checkout): `neardup/` and `dedup/`. Without them
the command says so and writes nothing. The page and its pictures are written anew; nothing in them is typed by hand.
"""

from __future__ import annotations

import argparse
import math
import platform
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.claims import THEMES, disciplines, theme_auc, themed, within_disciplines
from benchmarks.near import Texts
from metasearch.dedup import STRATEGIES
from metasearch.dedup.text import frequencies, segment
from metasearch.evaluate import datasets
from metasearch.evaluate.compare import Compared, compare
from metasearch.evaluate.compare_report import LEGEND, markdown, markdown_kinds
from metasearch.evaluate.curves import SIZES
from metasearch.evaluate.labelled import LabelledSet, narrowed
from metasearch.evaluate.plot import drawn

ROOT = Path(__file__).resolve().parents[1]
SETS = ROOT.parent / "shared" / "data"
OUT = ROOT / "docs"
#: Sets of texts, and what is kept of their records: the clusters of the real one were made from title and DOI.
TEXTS = ("zh_dev", "en_dev", "asysd_dev")
READ = ("title", "abstract")
#: Sets of whole records.
RECORDS = ("respiratory", "haematology", "misq_mixed", "zh_zotero_silver")
RIVALS = ("block-hash", "keyword-tree")
ABOUT = {
    "zh_dev": "Chinese abstracts, copies made by rule (punctuation, boilerplate, subtitle, edits, cuts), with splices "
    "of two abstracts (N1) and series twins (N2) as traps.",
    "en_dev": "The same of English abstracts.",
    "asysd_dev": "Real duplicates: exports of the same records from several databases.",
}


def main() -> int:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=Path, default=SETS, metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=OUT, metavar="FOLDER")
    options = parser.parse_args()
    if not (options.sets / "neardup").is_dir():
        print(f"{options.sets} holds no neardup/: there is nothing to measure on", file=sys.stderr)
        return 1
    pictures = options.out / "images"
    pictures.mkdir(parents=True, exist_ok=True)
    page = options.out / "strategies-report.md"
    page.write_text("\n".join(written(options.sets, pictures)).rstrip() + "\n", encoding="utf-8")
    print(f"{page} is written")
    return 0


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def written(sets: Path, pictures: Path) -> Iterator[str]:
    """The page, line by line; pictures are put in their folder."""
    yield "# Strategies, measured"
    yield ""
    yield "Written by `python3 tasks.py report`; every figure and picture on this page comes from that run."
    yield "What the strategies are: `metasearch strategies` and [strategies.md](strategies.md). How to measure your own"
    yield "sets: [evaluation.md](evaluation.md)."
    yield ""
    table = frequencies.table_id()
    yield f"CPython {platform.python_version()}, {segment.segmenter()}, table of document frequencies `{table}`."
    yield "Each strategy runs with its paper's parameters; times are CPU seconds on a shared machine, good for ratios."
    yield ""
    yield from f"{LEGEND}.".split("\n")
    yield ""
    found = {}
    for name in TEXTS:
        labelled = narrowed(datasets.read(sets / "neardup" / f"{name}.jsonl.gz"), READ)
        say(f"{name}: {len(labelled.records)} records")
        found[name] = compare(labelled, STRATEGIES.values(), curves=True)
        yield from section(name, labelled, found[name])
    (pictures / "strategies-quality.svg").write_bytes(drawn(list(found.values()), ".svg"))
    yield "![Precision against recall over the threshold](images/strategies-quality.svg)"
    yield ""
    yield from whole_records(sets / "dedup")
    yield from claims(sets / "neardup", found)
    yield from growth(pictures)


def section(name: str, labelled: LabelledSet, found: Sequence[Compared]) -> Iterator[str]:
    """A set of texts."""
    works = len(set(labelled.works or ()))
    yield f"## {name}: {len(labelled.records):,} records, {works:,} works"
    yield ""
    yield f"{ABOUT[name]} Of each record the strategies see {' and '.join(READ)} only."
    yield ""
    yield markdown(found)
    if kinds := markdown_kinds(found):
        yield "By what was done to a record: recall over the true pairs that have one, `+n` false pairs."
        yield ""
        yield kinds


def whole_records(folder: Path) -> Iterator[str]:
    """Sets of whole records, most of them without abstracts."""
    yield "## Whole records"
    yield ""
    yield "Exports with authors, journals, pages and identifiers, and few abstracts: what catalogues and reviews hold."
    yield ""
    for name in RECORDS:
        if datasets.skipped(folder / name) is None:
            labelled = datasets.read(folder / name)
            say(f"{name}: {len(labelled.records)} records")
            yield f"### {name}: {len(labelled.records):,} records"
            yield ""
            yield markdown(compare(labelled, STRATEGIES.values()))


# --------------------------------------------------------------------------- what the publications claim


def claims(folder: Path, found: dict[str, list[Compared]]) -> Iterator[str]:
    """The orderings that the publications report, and whether they hold here."""
    yield "## What the publications claim"
    yield ""
    yield "| claim | here | |"
    yield "| --- | --- | --- |"
    for name in TEXTS:
        ee = {it.strategy.name: it.evaluation.score.tally.ee for it in found[name]}
        holds = all(ee["keyword-overlap"] < ee[rival] for rival in RIVALS)
        figures = ", ".join(f"{it} {ee[it]:.3f}" for it in ("keyword-overlap", *RIVALS))
        yield row("EE of keyword-overlap is below that of its rivals (Zhang and Guo)", f"{name}: {figures}", holds)
    say("themes")
    records = themed(folder / "base_zh.jsonl.gz", "test")
    auc = {it: theme_auc(records, it) for it in ("weighted-simhash", "simhash", "shingling")}
    holds = auc["weighted-simhash"] >= auc["simhash"] > auc["shingling"]
    figures = ", ".join(f"{name} {figure:.3f}" for name, figure in auc.items())
    about = (
        f"{len(records):,} Chinese abstracts, {THEMES} themes, probability that one of the theme is nearer: {figures}"
    )
    yield row(
        "weighted-simhash finds a theme no worse than simhash, and that better than shingling (Hans 2020)", about, holds
    )
    for name in TEXTS:
        f1 = {it.strategy.name: it.evaluation.score.tally.f1 for it in found[name]}
        figures = ", ".join(f"{it} {f1[it]:.3f}" for it in auc)
        holds = f1["weighted-simhash"] >= f1["simhash"] > f1["shingling"]
        yield row(
            "the same order for duplicates, by F (not claimed, but often understood)", f"{name}: {figures}", holds
        )
    say("disciplines")
    labelled = narrowed(datasets.read(folder / "zh_dev.jsonl.gz"), READ)
    tallies = within_disciplines(labelled, disciplines(folder / "base_zh.jsonl.gz"), ("drpkp", "simhash"))
    ours, theirs = tallies["drpkp"], tallies["simhash"]
    figures = f"P {ours.precision:.3f} against {theirs.precision:.3f}, R {ours.recall:.3f} against {theirs.recall:.3f}"
    yield row(
        "within one discipline drpkp has a higher recall than simhash (Yu and Wang)",
        f"zh_dev by discipline: {figures}",
        ours.recall > theirs.recall,
    )
    yield row("and a higher precision", f"zh_dev by discipline: {figures}", ours.precision >= theirs.precision)
    yield ""


def row(claim: str, here: str, holds: bool) -> str:
    return f"| {claim} | {here} | {'holds' if holds else '**does not hold**'} |"


# --------------------------------------------------------------------------- time


def growth(pictures: Path) -> Iterator[str]:
    """CPU time for the sizes of Zhang and Guo (2014), on made-up texts."""
    yield "## How time grows"
    yield ""
    sizes = ", ".join(f"{size:,}" for size in SIZES)
    yield f"CPU seconds for {sizes} made-up texts (`benchmarks/near.py`), the sizes of Zhang and Guo (2014); a fifth"
    yield "are edited copies. The exponent is that of the last step: 1 is linear, 2 quadratic."
    yield ""
    for language in ("en", "zh"):
        works, records = zip(*Texts(language).records(max(SIZES)), strict=True)
        labelled = LabelledSet(
            name=f"made up, {language}", records=records, origins=[it.source for it in records], works=works
        )
        say(f"{labelled.name}: {len(records)} records")
        found = compare(labelled, STRATEGIES.values(), sizes=SIZES)
        (pictures / f"strategies-time-{language}.svg").write_bytes(drawn([found], ".svg"))
        yield f"| {labelled.name} | {' | '.join(f'{size:,}' for size in SIZES)} | exponent | P | R |"
        yield "| --- |" + " ---: |" * (len(SIZES) + 3)
        for it in found:
            seconds = [point.seconds for point in it.growth]
            tally = it.evaluation.score.tally
            cells = [*(f"{one:.3f}" for one in seconds), f"{exponent(it):.2f}"]
            yield f"| {it.strategy.name} | {' | '.join(cells)} | {tally.precision:.3f} | {tally.recall:.3f} |"
        yield ""
        yield f"![CPU time against the size of the set, {language}](images/strategies-time-{language}.svg)"
        yield ""


def exponent(it: Compared) -> float:
    """How time grows with the last step of size."""
    one, other = it.growth[-2:]
    return math.log(other.seconds / one.seconds) / math.log(other.records / one.records)


if __name__ == "__main__":
    sys.exit(main())
