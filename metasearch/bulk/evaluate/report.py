"""What an evaluation says: a table for people, objects for programs, and the wrong pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from metasearch.evaluate import kinds_report
from metasearch.evaluate.metrics import Tally
from metasearch.evaluate.run import Evaluation
from metasearch.evaluate.table_cells import fitted, share
from metasearch.evaluate.wrong import Wrong
from metasearch.formats.text import line, wrapped
from metasearch.record import Match, Record

#: Longest name of a set in the table.
NAME = 24
#: Column -> its width.
COLUMNS = {
    "records": 7,
    "of": 7,
    "P": 5,
    "R": 5,
    "F1": 6,
    "false": 5,
    "missed": 6,
    "lost": 4,
    "B3": 5,
    "exact": 5,
    "rec/s": 6,
    "shuffled": 11,
}
#: What the columns mean, for the foot of the table.
LEGEND = (
    "of: what is counted; lost: works that vanish in another; exact: share of true clusters found "
    "whole;\n"
    "rec/s: records per CPU second, from record to cluster"
)


def head(names: Sequence[str], *, shuffles: int) -> str:
    """The first line of the table."""
    return _row("set", list(COLUMNS), _width(names), shuffles=shuffles)


def row(evaluation: Evaluation, names: Sequence[str], *, shuffles: int) -> str:
    """A set's line of the table."""
    tally, works = evaluation.score.tally, evaluation.score.works
    cells = [
        f"{evaluation.score.records}",
        evaluation.score.unit.partition(" ")[0],
        share(tally.precision, 3),
        share(tally.recall, 3),
        share(tally.f1, 4),
        f"{tally.false}",
        f"{tally.missed}",
        f"{works.copies.false}" if works else "-",
        share(works.b_cubed_f1, 3) if works else "-",
        share(works.exact_share, 3) if works else "-",
        f"{evaluation.rate:.0f}",
        shuffled(evaluation),
    ]
    return _row(evaluation.labelled.name, cells, _width(names), shuffles=shuffles)


def skipped_row(name: str, why: str, names: Sequence[str]) -> str:
    """The line of what was named on the command line and is no set."""
    return f"{fitted(name, _width(names))}  skipped: {why}"


def kinds(evaluations: Sequence[Evaluation], width: int) -> Iterator[str]:
    """The figures by kind of the sets that tell kinds, a table each."""
    for evaluation in evaluations:
        if evaluation.kinds is not None:
            yield ""
            yield kinds_report.ABOUT
            yield from kinds_report.table(
                [(evaluation.labelled.name, evaluation.kinds)], "set", width
            )


def _row(name: str, cells: Sequence[str], width: int, *, shuffles: int) -> str:
    shown = list(zip(cells, COLUMNS.values(), strict=True))[: None if shuffles else -1]
    return "  ".join([fitted(name, width), *(cell.rjust(width) for cell, width in shown)])


def _width(names: Sequence[str]) -> int:
    return min(NAME, max(3, *map(len, names))) if names else 3


def shuffled(evaluation: Evaluation) -> str:
    """What other orders gave: "same x 5", or the lowest and highest F1; "" for none."""
    if evaluation.shuffled is None:
        return ""
    if evaluation.shuffled.alike == evaluation.shuffled.runs:
        return f"same x {evaluation.shuffled.runs}"
    return f"{share(evaluation.shuffled.lowest, 4)}-{share(evaluation.shuffled.highest, 4)}"


# --------------------------------------------------------------------------- wrong pairs


def told(evaluation: Evaluation, pairs: Sequence[Wrong], width: int) -> Iterator[str]:
    """The wrong pairs in words, a line at a time."""
    tally, noun = (
        evaluation.score.tally,
        "records" if evaluation.score.unit == "records" else "pairs",
    )
    shown = {kind: sum(pair.kind == kind for pair in pairs) for kind in ("false", "missed")}
    yield from wrapped(
        f"{line(evaluation.labelled.name)}: false {noun} {tally.false}, shown {shown['false']}; "
        f"missed {tally.missed}, shown {shown['missed']}",
        width,
        "  ",
    )
    for pair in pairs:
        yield ""
        yield from wrapped(f"{pair.kind.upper()}  {pair.about}", width, "  ")
        for number in (pair.a, pair.b):
            if number is not None:
                yield from wrapped(
                    f"  {short(evaluation.labelled.records[number])}", width, "      "
                )
        spoken = [(rule, match) for rule, match in pair.evidence if match is not None]
        for rule, match in spoken:
            yield from wrapped(
                f"    {rule}: {match.verdict} {match.score:.3f}: {line(match.because)}",
                width,
                "      ",
            )
        silent = [rule for rule, match in pair.evidence if match is None]
        if silent:
            yield from wrapped(f"    nothing to say: {', '.join(silent)}", width, "      ")


def short(record: Record) -> str:
    """A record on one line: id, title, first authors, year, venue, volume, issue, pages, DOI."""
    authors = "; ".join(author.name for author in record.authors[:3]) + (
        " ..." if len(record.authors) > 3 else ""
    )
    issue = f"({record.issue})" if record.issue else ""
    place = (
        f"{record.venue or ''} "
        f"{record.volume or ''}{issue}{': ' + record.pages if record.pages else ''}"
    )
    parts = (
        record.source_id,
        record.title or "(no title)",
        authors,
        record.year,
        place,
        record.doi,
    )
    return " | ".join(line(str(part or "")) or "-" for part in parts)


# --------------------------------------------------------------------------- JSON


def as_object(evaluation: Evaluation, pairs: Sequence[Wrong] | None = None) -> dict[str, Any]:
    """All figures of a set, unrounded; `pairs` where they were asked for."""
    score, works, others = evaluation.score, evaluation.score.works, evaluation.shuffled
    out: dict[str, Any] = {
        "set": evaluation.labelled.name,
        "records": score.records,
        "unit": score.unit,
        **_tally(score.tally),
        "true": score.true_units,
        "judged": score.judged,
        "found_pairs": score.found_pairs,
        "ce_pairs": score.ce_pairs,
        "works": None,
        "cpu_seconds": evaluation.seconds,
        "records_per_cpu_second": evaluation.rate,
        "passed_over": evaluation.passed_over,
        "shuffled": None,
        "kinds": None if evaluation.kinds is None else kinds_report.as_object(evaluation.kinds),
        "notes": list(evaluation.labelled.notes),
    }
    if works is not None:
        out["works"] = {
            "lost": works.copies.false,
            "copies_removed": works.copies.right,
            "copies_left": works.copies.missed,
            "redundant": works.redundant,
            "precision": works.copies.precision,
            "recall": works.copies.recall,
            "f1": works.copies.f1,
            "true_clusters": works.true_clusters,
            "exact_clusters": works.exact,
            "exact_share": works.exact_share,
            "false_merged_clusters": works.false_merged,
            "b_cubed_precision": works.b_cubed[0],
            "b_cubed_recall": works.b_cubed[1],
            "b_cubed_f1": works.b_cubed_f1,
        }
    if others is not None:
        out["shuffled"] = {
            "runs": others.runs,
            "f1_lowest": others.lowest,
            "f1_highest": others.highest,
            "same_clusters": others.alike,
        }
    if pairs is not None:
        out["wrong"] = [_wrong(evaluation, pair) for pair in pairs]
    return out


def _tally(tally: Tally) -> dict[str, Any]:
    return {
        "precision": tally.precision,
        "recall": tally.recall,
        "f1": tally.f1,
        "ce": tally.ce,
        "ee": tally.ee,
        "f": tally.f,
        "right": tally.right,
        "false": tally.false,
        "missed": tally.missed,
    }


def _wrong(evaluation: Evaluation, pair: Wrong) -> dict[str, Any]:
    records = [
        evaluation.labelled.records[number] for number in (pair.a, pair.b) if number is not None
    ]
    return {
        "kind": pair.kind,
        "about": pair.about,
        "records": [{"id": line(record.source_id), "shown": short(record)} for record in records],
        "evidence": [_said(rule, match) for rule, match in pair.evidence],
    }


def _said(rule: str, match: Match | None) -> dict[str, Any]:
    if match is None:
        return {"rule": rule, "verdict": None, "score": None, "because": None}
    return {
        "rule": rule,
        "verdict": match.verdict,
        "score": match.score,
        "because": line(match.because),
    }
