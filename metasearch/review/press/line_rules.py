"""Rules of lines: which number names which, what nothing uses, what stands there twice, and hits
that cannot be.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from metasearch.message import message
from metasearch.query.places import Reference
from metasearch.query.syntaxes import NAMES
from metasearch.query.tree import MAX_LENGTH, MAX_LINES, MAX_TERMS
from metasearch.review.press.findings import Finding, Fix, Rule
from metasearch.review.press.reading import ReviewedStrategy, ReviewLine
from metasearch.review.press.trees import Level, root

_BLANKS = re.compile(r"\s+")
_RANGE = re.compile(r"([0-9]{1,4})(\s?[-–]\s?[#S]?)([0-9]{1,4})", re.IGNORECASE)


def wrong_numbers(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """References to lines that there are not, to the line itself, or to a later one."""
    place = {line.number: at for at, line in enumerate(strategy.lines)}
    idle = [line for line in unused(strategy) if line.number is not None]
    for at, line in enumerate(strategy.lines):
        told: set[int] = set()
        for one in line.references:
            if one.start in told:
                continue  # of a range, one number
            wrong = one.number == line.number or place.get(one.number, at) >= at
            told |= {one.start} if wrong or one.number not in place else set()
            if one.number == line.number:
                yield Finding(
                    "line-itself",
                    message("Line {number} names itself", number=one.number),
                    one.start,
                    one.end,
                    line.number,
                    _instead(strategy, line, one, idle),
                )
            elif one.number not in place:
                yield Finding(
                    "line-missing",
                    message("There is no line {number}", number=one.number),
                    one.start,
                    one.end,
                    line.number,
                    _instead(strategy, line, one, idle),
                )
            elif place[one.number] > at:
                yield Finding(
                    "line-later",
                    message(
                        "Line {number} comes later: a line can name only those before it",
                        number=one.number,
                    ),
                    one.start,
                    one.end,
                    line.number,
                    _instead(strategy, line, one, idle),
                )


def _instead(
    strategy: ReviewedStrategy, line: ReviewLine, wrong: Reference, idle: list[ReviewLine]
) -> Fix | None:
    """The one line before this one that nothing uses, in place of a wrong number."""
    typed = strategy.text[wrong.start : wrong.end]
    before = [one.number for one in idle if one.at < line.at]
    shift = re.sub(r"[0-9]+", str(before[0]), typed) if len(before) == 1 else ""
    if not shift or len(re.findall(r"[0-9]+", typed)) != 1:
        return None
    return Fix(wrong.start, wrong.end, shift)


def last_line(strategy: ReviewedStrategy) -> ReviewLine | None:
    """The line that is the search: the last one; the last that names others, where the last names
    none. None where no line names any.
    """
    naming = [line for line in strategy.lines if line.references]
    return naming[-1] if naming else None


def unused(strategy: ReviewedStrategy) -> list[ReviewLine]:
    """The lines that are no part of the search, directly or through others."""
    last = last_line(strategy)
    if last is None:
        return []
    reached, waiting = {last.start}, [last]
    while waiting:
        for one in waiting.pop().references:
            named = strategy.by_number.get(one.number)
            if named is not None and named.start not in reached:
                reached.add(named.start)
                waiting.append(named)
    idle = [line for line in strategy.lines if line.start not in reached]
    # Of lines that only such a line uses, that one is told.
    used = {one.number for line in idle for one in line.references if one.number != line.number}
    return [line for line in idle if line.number not in used or line is strategy.lines[-1]]


def lines_without_use(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Lines that nothing uses; each where it stands."""
    if len(strategy.lines) < 2:
        return
    last = last_line(strategy)
    if last is None:
        line = strategy.lines[-1]
        sign = NAMES[strategy.syntax].sign or ""
        numbers = " AND ".join(f"{sign}{one.number}" for one in strategy.lines[:30])
        yield Finding(
            "no-last-line",
            message(
                "No line joins the others, so no line is the search: add one such as {example}",
                example=numbers,
            ),
            line.start,
            line.end,
            line.number,
        )
        return
    for line in unused(strategy):
        yield Finding(
            "unused-line",
            message(
                "Line {number} is not used by line {last}, directly or through others",
                number=line.number,
                last=last.number,
            ),
            line.start,
            line.end,
            line.number,
        )


def numbers_beside(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """A line that nothing uses, and a later one that names its neighbour in its place."""
    naming = [line for line in strategy.lines if line.references]
    for idle in unused(strategy):
        number = idle.number
        if number is None:
            continue
        for line in naming:
            if line.at <= idle.at:
                continue
            named = [one.number for one in line.references]
            if number in named:
                break
            if idle.references:
                found = _part_of_idle(strategy, line, idle)
            else:
                found = _neighbour(strategy, line, number)
            if found:
                wrong, fix = found
                yield Finding(
                    "line-shift",
                    message(
                        "This names line {number} and not line {other}, which nothing uses",
                        number=wrong.number,
                        other=number,
                    ),
                    wrong.start,
                    wrong.end,
                    line.number,
                    fix,
                )
                break


def _neighbour(
    strategy: ReviewedStrategy, line: ReviewLine, idle: int
) -> tuple[Reference, Fix] | None:
    """The range of a line that ends just before a number, or begins just behind it."""
    for one in line.references:
        typed = strategy.text[one.start : one.end]
        match = _RANGE.search(typed)
        if match is None or one.number not in (idle - 1, idle + 1):
            continue
        first, last = int(match[1]), int(match[3])
        if last == idle - 1:
            fixed = f"{match[1]}{match[2]}{idle}"
        elif first == idle + 1:
            fixed = f"{idle}{match[2]}{match[3]}"
        else:
            continue
        instead = typed[: match.start()] + fixed + typed[match.end() :]
        return one, Fix(one.start, one.end, instead)
    return None


def _part_of_idle(
    strategy: ReviewedStrategy, line: ReviewLine, idle: ReviewLine
) -> tuple[Reference, Fix] | None:
    """A number of a line that the idle one joins, in its place."""
    inside = {one.number for one in idle.references}
    for one in line.references:
        typed = strategy.text[one.start : one.end]
        digits = re.findall(r"[0-9]+", typed)
        if one.number in inside and digits == [str(one.number)]:
            fixed = re.sub(r"[0-9]+", str(idle.number), typed)
            return one, Fix(one.start, one.end, fixed)
    return None


def numbers_in_order(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Numbers that two lines have, and the first gap."""
    seen: set[int] = set()
    for line in strategy.lines:
        if line.number is None:
            continue
        if line.number in seen:
            yield Finding(
                "line-number-twice",
                message("Two lines have the number {number}", number=line.number),
                line.start,
                line.end,
                line.number,
            )
        seen.add(line.number)
    numbers = [line.number for line in strategy.lines if line.number is not None]
    for before, line in pairwise(strategy.lines):
        if before.number and line.number and line.number > before.number + 1:
            yield Finding(
                "line-gap",
                message(
                    "Line {number} follows line {before}: are lines missing between them?",
                    number=line.number,
                    before=before.number,
                ),
                line.start,
                line.start,
                line.number,
            )
            break
    if numbers and numbers[0] > 1:
        first = strategy.lines[0]
        yield Finding(
            "line-gap",
            message("The first line has the number {number}", number=numbers[0]),
            first.start,
            first.start,
            first.number,
        )


def same_lines(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Lines that repeat an earlier one."""
    known: dict[object, ReviewLine] = {}
    for line in strategy.lines:
        if line.clause is None or line.number is None:
            continue
        text = _BLANKS.sub(" ", line.text).strip(" .;").casefold()
        earlier = known.setdefault(text, line)
        if earlier is line and line.clause.is_exact:
            earlier = known.setdefault((line.clause.widest, _headings(line)), line)
        if earlier is not line:
            yield Finding(
                "same-line",
                message(
                    "Line {number} repeats line {earlier}",
                    number=line.number,
                    earlier=earlier.number,
                ),
                line.start,
                line.end,
                line.number,
            )


def _headings(line: ReviewLine) -> tuple[str, ...]:
    """What trees do not compare: how headings are meant, and what stands in fields that are read
    as one.
    """
    return tuple(f"{term.heading} {term.field.casefold()}" for term in line.terms)


def same_references(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """A line that a combination names twice."""
    for line in strategy.lines:
        level = root(line)
        if not isinstance(level, Level) or not level.operator:
            continue
        seen: set[int] = set()
        for one in level.operands:
            if isinstance(one, Reference):
                if one.number in seen:
                    yield Finding(
                        "same-term",
                        message("Line {number} is named twice here", number=one.number),
                        one.start,
                        one.end,
                        line.number,
                    )
                seen.add(one.number)


def impossible_hits(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Printed hits of a combination that no database can have."""
    for line in strategy.lines:
        level = root(line)
        if line.hits is None:
            continue
        if isinstance(level, Reference) and line.terms:
            named = strategy.by_number.get(level.number)
            if named is not None and named.hits is not None and line.hits > named.hits:
                yield _hits_above(line, named)
            continue
        if not isinstance(level, Level) or not level.operator:
            continue
        parts = [
            strategy.by_number.get(one.number) if isinstance(one, Reference) else None
            for one in level.operands
        ]
        counted = [one for one in parts if one is not None and one.hits is not None]
        hits = [one.hits for one in counted if one.hits is not None]
        if not hits:
            continue
        if level.operator == "OR":
            largest = max(counted, key=lambda one: one.hits or 0)
            if line.hits < max(hits):
                yield Finding(
                    "impossible-hits",
                    message(
                        "Line {number} has {hits} hits, fewer than line {part}, which it joins "
                        "with OR ({more})",
                        number=line.number,
                        hits=f"{line.hits:,}",
                        part=largest.number,
                        more=f"{max(hits):,}",
                    ),
                    line.start,
                    line.end,
                    line.number,
                )
            elif len(hits) == len(level.operands) and line.hits > sum(hits):
                yield Finding(
                    "impossible-hits",
                    message(
                        "Line {number} has {hits} hits, more than all lines that it joins with OR "
                        "({more})",
                        number=line.number,
                        hits=f"{line.hits:,}",
                        more=f"{sum(hits):,}",
                    ),
                    line.start,
                    line.end,
                    line.number,
                )
        elif level.operator == "AND" and line.hits > min(hits):
            yield _hits_above(line, min(counted, key=lambda one: one.hits or 0))
        elif level.operator == "NOT" and parts[0] in counted and line.hits > hits[0]:
            yield _hits_above(line, counted[0])


def _hits_above(line: ReviewLine, part: ReviewLine) -> Finding:
    return Finding(
        "impossible-hits",
        message(
            "Line {number} has {hits} hits, more than line {part}, which it narrows ({fewer})",
            number=line.number,
            hits=f"{line.hits:,}",
            part=part.number,
            fewer=f"{part.hits:,}",
        ),
        line.start,
        line.end,
        line.number,
    )


def too_large(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """More than a search here may hold, and what is not reviewed."""
    if strategy.is_cut:
        # At the beginning: of too many findings, the first are kept.
        yield Finding(
            "too-large",
            message("The strategy is too large: its end is not reviewed"),
            0,
            0,
        )
    if len(strategy.lines) > MAX_LINES:
        line = strategy.lines[MAX_LINES]
        yield Finding(
            "too-large",
            message("A search here may have {most} lines at most", most=MAX_LINES),
            line.start,
            line.end,
            line.number,
        )
    for line in strategy.lines:
        if len(line.terms) > MAX_TERMS or len(line.text) > MAX_LENGTH:
            yield Finding(
                "too-large",
                message(
                    "A search here may have {terms} terms and {length} characters at most",
                    terms=f"{MAX_TERMS:,}",
                    length=f"{MAX_LENGTH:,}",
                ),
                line.start,
                line.end,
                line.number,
            )


RULES: tuple[Rule, ...] = (
    wrong_numbers,
    lines_without_use,
    numbers_beside,
    numbers_in_order,
    same_lines,
    same_references,
    impossible_hits,
    too_large,
)
