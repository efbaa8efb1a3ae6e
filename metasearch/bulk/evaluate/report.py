"""What an evaluation says: a table for people, objects for programs, and the wrong pairs for
whoever mends a rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from metasearch.bulk.evaluate.run import Evaluation, Tally, Wrong
from metasearch.formats.text import line, wrap_text
from metasearch.record import Match, Record

# How figures and names are written in the cells of tables.


def fit(name: str, width: int) -> str:
    """On one line, of this many characters: cut with an ellipsis, or filled with blanks."""
    name = line(name)
    return (name if len(name) <= width else f"{name[: width - 1]}…").ljust(width)


def share(value: float, digits: int) -> str:
    """As tables of the field write it: ".980"; nearly 1 or 0 is never shown as 1 or 0."""
    shown = f"{value:.{digits}f}"
    if shown.startswith("1") and value < 1:
        return "." + "9" * digits
    if value > 0 and float(shown) == 0:
        return f"<.{'0' * (digits - 1)}1"
    return shown.removeprefix("0") if shown.startswith("0.") else shown


def tiny(value: float) -> str:
    """A share that is mostly far below one: "1.2e-06", ".012", or "0"."""
    return share(value, 3) if value >= 0.001 else f"{value:.1e}" if value else "0"


def number(value: float) -> str:
    """Three figures that matter, as far as there is room: "0.012", "1.23", "12.3", "1234"."""
    if value >= 100 or value == 0:
        return f"{value:.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 1 else f"{value:.3f}"


# The table of kinds: for each the share of true pairs found, and the false pairs with one.

#: Longest name of a row, and of a kind.
ROW_NAME, KIND = 24, 14
#: Kinds that the table for people shows.
MOST = 40
#: What the table shows, for its head.
ABOUT = "by kind: share of the true pairs with such a record that was found, +false pairs with one"

#: (name of the row, kind -> its pairs)
Rows = Sequence[tuple[str, Mapping[str, Tally]]]


def table(rows: Rows, first: str, width: int) -> Iterator[str]:
    """The lines; where the kinds do not fit side by side, several tables. `first` is a heading."""
    named = min(ROW_NAME, max(len(name) for name in (first, *(name for name, _ in rows))))
    kinds = [(kind, fit(kind, KIND).rstrip() or "-") for kind in list(rows[0][1])[:MOST]]
    columns = [(shown, [cell(tallies[kind]) for _, tallies in rows]) for kind, shown in kinds]
    while columns:
        here: list[tuple[str, list[str]]] = []
        used = named
        while columns and (not here or used + 2 + _width(columns[0]) <= width):
            here.append(columns.pop(0))
            used += 2 + _width(here[-1])
        yield "  ".join([fit(first, named), *(column[0].rjust(_width(column)) for column in here)])
        for number, (name, _) in enumerate(rows):
            yield "  ".join(
                [fit(name, named), *(column[1][number].rjust(_width(column)) for column in here)]
            )
    if len(rows[0][1]) > MOST:
        yield f"{len(rows[0][1]) - MOST:,} more kinds: --json has them all"


def markdown(rows: Rows, first: str) -> str:
    kinds = list(rows[0][1])
    lines = [(first, *(kind or "-" for kind in kinds)), ("---",) * (len(kinds) + 1)]
    lines += [(name, *(cell(tallies[kind]) for kind in kinds)) for name, tallies in rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def cell(tally: Tally) -> str:
    """ ".815", ".815 +3", or, for records that are works of their own, "+3"."""
    if not tally.right + tally.missed:
        return f"+{tally.false}"
    return share(tally.recall, 3) + (f" +{tally.false}" if tally.false else "")


def kinds_object(kinds: Mapping[str, Tally]) -> dict[str, Any]:
    """Kind -> its counts, and its recall, which is null where there is nothing to find."""
    return {
        kind: {
            "recall": tally.recall if tally.right + tally.missed else None,
            "right": tally.right,
            "false": tally.false,
            "missed": tally.missed,
        }
        for kind, tally in kinds.items()
    }


def _width(column: tuple[str, Sequence[str]]) -> int:
    return max(map(len, (column[0], *column[1])))


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
    return _row("set", list(COLUMNS), _name_width(names), shuffles=shuffles)


def row(evaluation: Evaluation, names: Sequence[str], *, shuffles: int) -> str:
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
        other_orders(evaluation),
    ]
    return _row(evaluation.labelled.name, cells, _name_width(names), shuffles=shuffles)


def skip_row(name: str, why: str, names: Sequence[str]) -> str:
    return f"{fit(name, _name_width(names))}  skipped: {why}"


def kinds(evaluations: Sequence[Evaluation], width: int) -> Iterator[str]:
    """The figures by kind of the sets that tell kinds, a table each."""
    for evaluation in evaluations:
        if evaluation.kinds is not None:
            yield ""
            yield ABOUT
            yield from table([(evaluation.labelled.name, evaluation.kinds)], "set", width)


def _row(name: str, cells: Sequence[str], width: int, *, shuffles: int) -> str:
    shown = list(zip(cells, COLUMNS.values(), strict=True))[: None if shuffles else -1]
    return "  ".join([fit(name, width), *(cell.rjust(width) for cell, width in shown)])


def _name_width(names: Sequence[str]) -> int:
    return min(NAME, max(3, *map(len, names))) if names else 3


def other_orders(evaluation: Evaluation) -> str:
    """What other orders gave: "same x 5", or the lowest and highest F1; "" for none."""
    if evaluation.shuffled is None:
        return ""
    if evaluation.shuffled.alike == evaluation.shuffled.runs:
        return f"same x {evaluation.shuffled.runs}"
    return f"{share(evaluation.shuffled.lowest, 4)}-{share(evaluation.shuffled.highest, 4)}"


def pair_lines(evaluation: Evaluation, pairs: Sequence[Wrong], width: int) -> Iterator[str]:
    tally, noun = (
        evaluation.score.tally,
        "records" if evaluation.score.unit == "records" else "pairs",
    )
    shown = {kind: sum(pair.kind == kind for pair in pairs) for kind in ("false", "missed")}
    yield from wrap_text(
        f"{line(evaluation.labelled.name)}: false {noun} {tally.false}, shown {shown['false']}; "
        f"missed {tally.missed}, shown {shown['missed']}",
        width,
        "  ",
    )
    for pair in pairs:
        yield ""
        yield from wrap_text(f"{pair.kind.upper()}  {pair.about}", width, "  ")
        for number in (pair.a, pair.b):
            if number is not None:
                yield from wrap_text(
                    f"  {short(evaluation.labelled.records[number])}", width, "      "
                )
        spoken = [(rule, match) for rule, match in pair.evidence if match is not None]
        for rule, match in spoken:
            yield from wrap_text(
                f"    {rule}: {match.verdict} {match.score:.3f}: {line(match.because)}",
                width,
                "      ",
            )
        silent = [rule for rule, match in pair.evidence if match is None]
        if silent:
            yield from wrap_text(f"    nothing to say: {', '.join(silent)}", width, "      ")


def short(record: Record) -> str:
    """A record on one line: id, title, first authors, year, venue, volume, issue, pages, DOI."""
    authors = "; ".join(author.name for author in record.byline[:3]) + (
        " ..." if len(record.byline) > 3 else ""
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


def as_object(evaluation: Evaluation, pairs: Sequence[Wrong] | None = None) -> dict[str, Any]:
    """Unrounded; `pairs` where they were asked for."""
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
        "kinds": None if evaluation.kinds is None else kinds_object(evaluation.kinds),
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
        "evidence": [_rule_object(rule, match) for rule, match in pair.evidence],
    }


def _rule_object(rule: str, match: Match | None) -> dict[str, Any]:
    if match is None:
        return {"rule": rule, "verdict": None, "score": None, "because": None}
    return {
        "rule": rule,
        "verdict": match.verdict,
        "score": match.score,
        "because": line(match.because),
    }
