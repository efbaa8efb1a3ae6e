"""docs/strategies-report.md (every strategy on every labelled set, and what the publications claim)
and docs/strategies-time.md (how time grows with the set).

    python3 tasks.py report [--part quality|time] [--sets FOLDER] [--out FOLDER]

FOLDER holds the labelled sets (by default those beside the development checkout): `neardup/` and
`dedup/`. Without them the first page is not written, and that is said. Pages and pictures are
written anew; no figure is typed by hand.
"""

from __future__ import annotations

import argparse
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks import text
from benchmarks.claims import THEMES, disciplines, theme_auc, themed, within_disciplines
from benchmarks.near import Texts
from metasearch.bulk.evaluate import compare as curves
from metasearch.bulk.evaluate import datasets
from metasearch.bulk.evaluate.compare import (
    LEGEND,
    SIZES,
    StrategyFigures,
    markdown,
    markdown_kinds,
    measure,
)
from metasearch.bulk.evaluate.datasets import LabelledSet, with_fields
from metasearch.bulk.evaluate.output import draw
from metasearch.bulk.evaluate.run import evaluate
from metasearch.bulk.published import words
from metasearch.dedup import STRATEGIES, DedupStrategy

ROOT = Path(__file__).resolve().parents[1]
SETS = ROOT.parent / "shared" / "data"
OUT = ROOT / "docs"
#: Sets of texts, and what is kept of their records: the clusters of the real one were made from
#: title and DOI.
TEXTS = ("zh_dev", "en_dev", "asysd_dev")
READ = ("title", "abstract")
#: Sets of whole records.
RECORDS = ("respiratory", "haematology", "misq_mixed", "zh_zotero_silver")
RIVALS = ("block-hash", "keyword-tree")
#: Best first, as the paper of the weighted SimHash has them.
ORDERED = ("weighted-simhash", "simhash", "shingling")
#: How to read the rows of the claims that do not hold.
WHY = """
- **Themes.**
  AUC is the probability that two abstracts of a theme are nearer than one of the theme and one of another; .5 is chance.
  Weights make a signature specific to its document: a title's words count five times, rare words most.
  Documents of a theme share common words, to which plain SimHash gives the same weight as to any other.
  The formulas of the paper are lost.
  No reading of them that was tried changes the order (sums instead of products, no title weight, no markers).
  The paper names neither its threshold nor what it compares with a theme.
- **Duplicates.**
  Among edited copies the weights find more, because the title keeps the signature stable.
  Shingling shares sequences of ten words, and finds more than a signature of which 3 bits may differ.
  SimHash with 8 to 14 bits finds more than shingling at its own setting (the curves show it).
- **Paragraphs.**
  drpkp finds nearly twice as many copies within a discipline.
  Its wrong pairs are splices: half of an abstract is half of its paragraphs, word for word, and half is its threshold.
  SimHash at 3 bits makes no mistakes there because it finds so little.
"""
ABOUT = {
    "zh_dev": "Chinese abstracts, copies made by rule (punctuation, boilerplate, subtitle, edits, "
    "cuts), with splices "
    "of two abstracts (N1) and series twins (N2) as traps.",
    "en_dev": "The same, of English abstracts.",
    "asysd_dev": "Real duplicates: exports of the same records from several databases.",
}


def main() -> int:
    """Measure, and write the pages."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--part", choices=("quality", "time"), help="only this page")
    parser.add_argument("--sets", type=Path, default=SETS, metavar="FOLDER")
    parser.add_argument("--out", type=Path, default=OUT, metavar="FOLDER")
    options = parser.parse_args()
    pictures = options.out / "images"
    pictures.mkdir(parents=True, exist_ok=True)
    there = (options.sets / "neardup").is_dir()
    if options.part != "time":
        if there:
            write(options.out / "strategies-report.md", quality(options.sets, pictures))
        else:
            say(f"{options.sets} holds no neardup/: there is nothing to measure quality on")
    if options.part != "quality":
        write(options.out / "strategies-time.md", growth(pictures))
    return 0 if there or options.part == "time" else 1


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def write(page: Path, lines: Iterator[str]) -> None:
    page.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    say(f"{page} is written")


def head(title: str, part: str) -> Iterator[str]:
    """What stands on top of either page."""
    yield f"# {title}"
    yield ""
    yield (
        f"`python3 tasks.py report --part {part}` writes this page; every figure and picture comes "
        f"from that run."
    )
    yield "`metasearch strategies` and [strategies.md](strategies.md) describe the strategies."
    yield "[evaluation.md](evaluation.md) shows how to measure your own sets."
    yield ""
    table = words.table_id()
    yield (
        f"CPython {platform.python_version()}, {words.segmenter()}, table of document "
        f"frequencies `{table}`."
    )
    yield "Each strategy runs with its paper's parameters."
    yield "Times are CPU seconds on a shared machine: compare them with one another only."
    yield ""


def quality(sets: Path, pictures: Path) -> Iterator[str]:
    """The first page, line by line; pictures are put in their folder."""
    yield from head("Strategies, measured", "quality")
    yield from (
        f"{LEGEND}. How time grows with the set: [strategies-time.md](strategies-time.md)."
    ).split("\n")
    yield ""
    found = {}
    for name in TEXTS:
        labelled = with_fields(datasets.read(sets / "neardup" / f"{name}.jsonl.gz"), READ)
        say(f"{name}: {len(labelled.records)} records")
        found[name] = [measure(labelled, one, curves=True) for one in STRATEGIES.values()]
        yield from section(name, labelled, found[name])
    (pictures / "strategies-quality.svg").write_bytes(draw(list(found.values()), ".svg"))
    yield "![Precision against recall over the threshold](images/strategies-quality.svg)"
    yield ""
    yield from whole_records(sets / "dedup")
    yield from claims(sets / "neardup", found)


def section(name: str, labelled: LabelledSet, found: Sequence[StrategyFigures]) -> Iterator[str]:
    """A set of texts."""
    works = len(set(labelled.works or ()))
    yield f"## {name}: {len(labelled.records):,} records, {works:,} works"
    yield ""
    yield f"{ABOUT[name]} The strategies see only {' and '.join(READ)} of each record."
    yield ""
    yield markdown(found)
    if kinds := markdown_kinds(found):
        yield (
            "By the change of a record: recall over the true pairs with such a record, `+n` false "
            "pairs."
        )
        yield ""
        yield kinds


def whole_records(folder: Path) -> Iterator[str]:
    """Sets of whole records, most of them without abstracts."""
    yield "## Whole records"
    yield ""
    yield (
        "Exports of catalogues and reviews: authors, journals, pages and identifiers, and few "
        "abstracts."
    )
    yield ""
    for name in RECORDS:
        if datasets.reason_to_skip(folder / name) is None:
            labelled = datasets.read(folder / name)
            say(f"{name}: {len(labelled.records)} records")
            yield f"### {name}: {len(labelled.records):,} records"
            yield ""
            yield markdown([measure(labelled, one) for one in STRATEGIES.values()])


# ---------------------------------------------------------------------- what the publications claim


def claims(folder: Path, found: Mapping[str, Sequence[StrategyFigures]]) -> Iterator[str]:
    """The orderings that the publications report, and whether they hold here."""
    yield "## What the publications claim"
    yield ""
    yield "| claim | here | |"
    yield "| --- | --- | --- |"
    for name in TEXTS:
        tallies = {it.strategy.name: it.evaluation.score.tally for it in found[name]}
        seed, rivals = tallies["keyword-overlap"], [tallies[rival] for rival in RIVALS]
        names = ("keyword-overlap", *RIVALS)
        for what, claim, holds in (
            (
                "ee",
                "EE of keyword-overlap is below that of its rivals",
                all(seed.ee < it.ee for it in rivals),
            ),
            ("ce", "its CE is not below theirs", all(seed.ce >= it.ce for it in rivals)),
            ("f", "and its F is the best", all(seed.f > it.f for it in rivals)),
        ):
            figures = ", ".join(f"{it} {getattr(tallies[it], what):.3f}" for it in names)
            yield row(f"{claim} (Zhang and Guo)", f"{name}: {figures}", holds)
    say("themes")
    records = themed(folder / "base_zh.jsonl.gz", "test")
    auc = {it: theme_auc(records, it) for it in ORDERED}
    about = f"{THEMES} themes among {len(records):,} Chinese abstracts, AUC: "
    yield from ordered("finding a theme (Hans 2020)", about, auc)
    for name in TEXTS:
        f1 = {it.strategy.name: it.evaluation.score.tally.f1 for it in found[name]}
        yield from ordered("finding duplicates", f"{name}, F: ", f1)
    say("disciplines")
    labelled = with_fields(datasets.read(folder / "zh_dev.jsonl.gz"), READ)
    within = within_disciplines(
        labelled, disciplines(folder / "base_zh.jsonl.gz"), ("drpkp", "simhash")
    )
    ours, theirs = within["drpkp"], within["simhash"]
    for what, claim in (("recall", "recall"), ("f1", "F"), ("precision", "precision")):
        figures = (
            f"zh_dev by discipline: drpkp {getattr(ours, what):.3f}, simhash "
            f"{getattr(theirs, what):.3f}"
        )
        holds = getattr(ours, what) > getattr(theirs, what)
        yield row(
            f"within one discipline drpkp is above simhash in {claim} (Yu and Wang)", figures, holds
        )
    yield ""
    yield from WHY.strip().split("\n")
    yield ""


def ordered(task: str, about: str, figures: Mapping[str, float]) -> Iterator[str]:
    """The two halves of "weighted-simhash >= simhash > shingling"."""
    best, middle, last = (figures[name] for name in ORDERED)
    one, two, three = ORDERED
    yield row(
        f"{task}: {one} is no worse than {two}",
        f"{about}{one} {best:.3f}, {two} {middle:.3f}",
        best >= middle,
    )
    yield row(
        f"{task}: {two} is better than {three}",
        f"{about}{two} {middle:.3f}, {three} {last:.3f}",
        middle > last,
    )


def row(claim: str, here: str, holds: bool) -> str:
    return f"| {claim} | {here} | {'holds' if holds else '**does not hold**'} |"


# --------------------------------------------------------------------------- time


def growth(pictures: Path) -> Iterator[str]:
    """The second page: CPU time for the sizes of Zhang and Guo (2014), on made-up texts."""
    yield from head("Strategies, and how their time grows", "time")
    sizes = ", ".join(f"{size:,}" for size in SIZES)
    yield (
        f"CPU seconds for {sizes} made-up texts (`benchmarks/near.py`), the sizes of Zhang and "
        f"Guo (2014)."
    )
    yield "A fifth are edited copies."
    yield "The exponent is that of the last step: 1 is linear, 2 quadratic."
    yield (
        "Zhang and Guo found keyword-overlap faster than keyword-tree, and keyword-tree faster "
        "than block-hash."
    )
    yield (
        "By sentences, as they describe it, block-hash needs no segmentation and is the fastest."
    )
    yield ""
    for language in ("en", "zh"):
        works, records = zip(*Texts(language).records(max(SIZES)), strict=True)
        origins = [it.source for it in records]
        labelled = LabelledSet(
            name=f"made up, {language}", records=records, origins=origins, works=works
        )
        say(f"{labelled.name}: {len(records)} records")
        found = [grown(labelled, it) for it in STRATEGIES.values()]
        (pictures / f"strategies-time-{language}.svg").write_bytes(draw([found], ".svg"))
        yield (
            f"| {labelled.name} | {' | '.join(f'{size:,}' for size in SIZES)} | exponent | P | R |"
        )
        yield "| --- |" + " ---: |" * (len(SIZES) + 3)
        for it in found:
            tally = it.evaluation.score.tally
            cells = [*(f"{point.seconds:.3f}" for point in it.growth), f"{exponent(it):.2f}"]
            yield (
                f"| {it.strategy.name} | {' | '.join(cells)} | {tally.precision:.3f} | "
                f"{tally.recall:.3f} |"
            )
        yield ""
        yield (
            f"![CPU time against the size of the set, "
            f"{language}](images/strategies-time-{language}.svg)"
        )
        yield ""


def grown(labelled: LabelledSet, strategy: DedupStrategy) -> StrategyFigures:
    """A strategy on the whole set, once, and its time for the smaller sizes."""
    strategy.load()
    *smaller, last = SIZES
    points = curves.growth(labelled.records[: smaller[-1]], strategy.chain, smaller)
    evaluation = evaluate(labelled, strategy.chain)
    whole = curves.GrowthPoint(last, evaluation.seconds)
    return StrategyFigures(strategy, evaluation, memory=0.0, silent=0, growth=(*points, whole))


def exponent(it: StrategyFigures) -> float:
    """How time grows with the last step of size."""
    return text.exponent(
        [point.records for point in it.growth], [point.seconds for point in it.growth]
    )


if __name__ == "__main__":
    sys.exit(main())
