"""Rules of AND: where it joins what names one thing, OR is meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from metasearch.message import message
from metasearch.query.places import PlacedJoin, PlacedTerm, Reference
from metasearch.review.press.findings import Finding, Fix, Rule
from metasearch.review.press.reading import ReviewedStrategy, ReviewLine
from metasearch.review.press.trees import Leaf, Level, levels, root
from metasearch.review.press.vocabulary import is_word, roots, spelling_key

_SHOWN = 60


def and_of_one_word(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """AND between two spellings of one word, or between a heading and its own words."""
    for line in strategy.lines:
        for level in levels(line):
            for join, (left, right) in _pairs(level):
                if join.operator != "AND" or not _name_one_thing(left, right):
                    continue
                yield Finding(
                    "and-for-or",
                    message(
                        "{left} and {right} name one thing: AND finds only works that have both",
                        left=excerpt(strategy, left),
                        right=excerpt(strategy, right),
                    ),
                    join.start,
                    join.end,
                    line.number,
                    with_operator(strategy, join, "OR"),
                )


def _pairs(level: Level) -> Iterator[tuple[PlacedJoin, tuple[Leaf | Level, Leaf | Level]]]:
    """The joins of a level with what stands on both sides, where that is known."""
    for join, left, right in zip(level.joins, level.operands, level.operands[1:], strict=False):
        if left is not None and right is not None:
            yield join, (left, right)


def _name_one_thing(left: Leaf | Level, right: Leaf | Level) -> bool:
    one, other = _words_of(left), _words_of(right)
    if not one or not other or len(one) > 100 or len(other) > 100:
        return False
    if isinstance(left, PlacedTerm) and isinstance(right, PlacedTerm):
        if left.heading and right.heading:
            return False
        if spelling_key(left.text) == spelling_key(right.text) and left.query != right.query:
            return True
    headings = {roots(term.text) for term in (*one, *other) if term.heading}
    for heads, words in ((one, other), (other, one)):
        if all(term.heading for term in heads) and not any(term.heading for term in words):
            # A word that is near others is part of what they say together.
            return any(
                roots(term.text) and any(roots(term.text) <= heading for heading in headings)
                for term in words
            )
    return False


def _words_of(operand: Leaf | Level) -> list[PlacedTerm]:
    """The alternatives that an operand is; none where it is more than those."""
    if isinstance(operand, PlacedTerm):
        return [operand] if is_word(operand) else []
    if isinstance(operand, Level) and operand.operators == {"OR"}:
        found: list[PlacedTerm] = []
        for one in operand.operands:
            if isinstance(one, PlacedTerm):
                found += [one] if is_word(one) else []
            elif isinstance(one, Level) and one.operators == {"OR"}:
                found += _words_of(one)
        return found
    return []


def and_of_one_concept(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """AND between lines of headings and lines of the same words, or of all of several lines that
    hold one term each.
    """
    used = _users(strategy)
    for line in strategy.lines:
        level = root(line)
        if not isinstance(level, Level) or level.operator != "AND":
            continue
        named = [
            strategy.by_number.get(one.number)
            for one in level.operands
            if isinstance(one, Reference)
        ]
        lines = [one for one in named if one is not None and not one.references and one.terms]
        if len(lines) < 2 or len(lines) < len(level.operands):
            continue
        parts = [(root(one), one) for one in lines]
        ours = [(part, one) for part, one in parts if part is not None]
        alike = next(
            (
                (one, other)
                for at, (left, one) in enumerate(ours[:20])
                for right, other in ours[at + 1 : 20]
                if _name_one_thing(left, right)
            ),
            None,
        )
        if alike:
            reason = message(
                "Lines {left} and {right} name one thing: AND finds only works that have both",
                left=alike[0].number,
                right=alike[1].number,
            )
        elif _are_blocks(strategy, lines) and _is_part_of_and(strategy, used.get(line.number, [])):
            reason = message(
                "Headings and words of other concepts are joined with OR in this strategy, those "
                "of lines {left} and {right} with AND",
                left=lines[0].number,
                right=lines[-1].number,
            )
            alike = lines[0], lines[-1]
        elif len(lines) > 2 and _is_part_of_and(strategy, used.get(line.number, [])):
            reason = message(
                "Lines of single terms are joined with AND, and the result with AND again: "
                "are they of one concept?"
            )
        else:
            continue
        join = level.joins[0]
        whole = len(level.joins) == 1 or "/" in line.text
        yield Finding(
            "and-for-or",
            reason,
            line.start,
            line.end,
            line.number,
            with_operator(strategy, join, "OR") if whole else None,
            sure=alike is not None,
        )


def _kinds_of(line: ReviewLine) -> frozenset[bool]:
    """Whether a line without references has headings (True) and words (False)."""
    return frozenset(bool(term.heading) for term in line.terms if is_word(term))


def _are_blocks(strategy: ReviewedStrategy, lines: Sequence[ReviewLine]) -> bool:
    """Whether some lines are of headings and the others of words, and the strategy joins others of
    such kinds with OR.
    """
    if {kind for line in lines for kind in _kinds_of(line)} != {True, False}:
        return False
    if any(len(_kinds_of(line)) != 1 for line in lines):
        return False
    for line in strategy.lines:
        level = root(line)
        if not isinstance(level, Level) or level.operators != {"OR"} or line.terms:
            continue
        parts = [strategy.by_number.get(one.number) for one in line.references]
        kinds = [_kinds_of(part) for part in parts if part is not None and not part.references]
        if {True} in kinds and {False} in kinds:
            return True
    return False


def _users(strategy: ReviewedStrategy) -> dict[int | None, list[ReviewLine]]:
    """Number -> the lines that name it."""
    found: dict[int | None, list[ReviewLine]] = {}
    for line in strategy.lines:
        for one in line.references:
            found.setdefault(one.number, []).append(line)
    return found


def _is_part_of_and(strategy: ReviewedStrategy, users: list[ReviewLine]) -> bool:
    return any(
        isinstance(level := root(user), Level)
        and level.operator == "AND"
        and sum(isinstance(one, Reference) for one in level.operands) > 1
        for user in users
    )


def and_in_brackets(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Terms that AND joins in a bracket of their own, where other brackets hold alternatives."""
    for line in strategy.lines:
        found = levels(line)
        for outer in found:
            if "AND" not in outer.operators or not outer.operators <= {"AND", "NOT"}:
                continue
            inner = [one for one in outer.operands if isinstance(one, Level)]
            if not any(one.operators == {"OR"} for one in inner):
                continue
            for level in inner:
                terms = [one for one in level.operands if isinstance(one, PlacedTerm)]
                if level.operators != {"AND"} or len(terms) < len(level.operands):
                    continue
                if not all(map(is_word, terms)):
                    continue
                yield Finding(
                    "and-for-or",
                    message(
                        "{words}: AND in brackets within AND; are these alternatives?",
                        words=excerpt(strategy, level),
                    ),
                    level.joins[0].start,
                    level.joins[0].end,
                    line.number,
                    with_operator(strategy, level.joins[0], "OR"),
                    sure=len(terms) > 2 or all(term.truncated for term in terms),
                )


def and_in_a_line(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """A line of words that AND joins, where the lines beside it hold alternatives: it stands beside
    headings that OR joins to it, or AND joins it to lines of alternatives.
    """
    used = _users(strategy)
    for line in strategy.lines:
        level = root(line)
        if not isinstance(level, Level) or level.operators != {"AND"}:
            continue
        terms = [one for one in level.operands if isinstance(one, PlacedTerm)]
        if len(terms) < len(level.operands) or not all(map(is_word, terms)):
            continue
        if any(term.heading for term in terms):
            continue
        beside = [
            (root(user), one)
            for user in used.get(line.number, [])
            for one in map(strategy.by_number.get, (ref.number for ref in user.references[:50]))
            if one is not None and one is not line
        ]
        together = frozenset().union(*(roots(term.text) for term in terms))
        headings = [
            one
            for user, one in beside
            if isinstance(user, Level) and user.operators == {"OR"} and _kinds_of(one) == {True}
        ]
        if any(together <= roots(term.text) for one in headings for term in one.terms):
            continue  # heart and failure, beside the heading Heart Failure
        narrows = any(
            isinstance(user, Level)
            and user.operators <= {"AND", "NOT"}
            and isinstance(other := root(one), Level)
            and other.operators == {"OR"}
            for user, one in beside
        )
        usual = all(term.truncated or (term.quoted and " " in term.text) for term in terms)
        if not headings and not (narrows and usual):
            continue
        yield Finding(
            "and-for-or",
            message("{words}: are these alternatives?", words=excerpt(strategy, level)),
            level.joins[0].start,
            level.joins[0].end,
            line.number,
            with_operator(strategy, level.joins[0], "OR") if len(level.joins) == 1 else None,
            sure=usual and (len(terms) > 2 or bool(headings)),
        )


def with_operator(strategy: ReviewedStrategy, join: PlacedJoin, operator: str) -> Fix | None:
    """Another operator in place of one, as it is typed."""
    typed = strategy.text[join.start : join.end]
    signs = {"*": "+", "+": "*"}
    if typed in signs:
        return Fix(join.start, join.end, signs[typed])
    if typed.upper() not in ("AND", "OR"):
        return None
    return Fix(join.start, join.end, operator.lower() if typed.islower() else operator)


def excerpt(strategy: ReviewedStrategy, part: Leaf | Level) -> str:
    text = " ".join(strategy.text[part.start : part.end].split())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


RULES: tuple[Rule, ...] = (
    and_of_one_word,
    and_of_one_concept,
    and_in_brackets,
    and_in_a_line,
)
