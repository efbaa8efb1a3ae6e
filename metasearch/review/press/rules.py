"""All rules of a review, and the review itself."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from metasearch.message import message
from metasearch.review.press import (
    and_rules,
    concept_rules,
    form_rules,
    line_rules,
    operator_rules,
    platform_rules,
    spelling_rules,
    synonym_rules,
    syntax_rules,
    term_rules,
    truncation_rules,
)
from metasearch.review.press.findings import Finding, Rule
from metasearch.review.press.reading import ReviewedStrategy, ReviewLine

#: Each file of rules has a tuple `RULES` of its own.
RULES: tuple[Rule, ...] = (
    *line_rules.RULES,
    *and_rules.RULES,
    *operator_rules.RULES,
    *term_rules.RULES,
    *platform_rules.RULES,
    *syntax_rules.RULES,
    *spelling_rules.RULES,
    *truncation_rules.RULES,
    *form_rules.RULES,
    *concept_rules.RULES,
    *synonym_rules.RULES,
)
#: Findings that are shown.
MOST = 200


def review(strategy: ReviewedStrategy, *more: Rule) -> tuple[Finding, ...]:
    """What is wrong with a strategy, in the order of its text; at most `MOST` findings and one that
    counts the rest. `more`: rules beside `RULES` that know what those cannot: a vocabulary that
    the user has, the databases that the strategy is to be translated to. One that has the name of
    a rule stands in its place.
    """
    rules = {getattr(rule, "__name__", rule): rule for rule in (*RULES, *more)}
    parts = _by_syntax(strategy)
    found = dict.fromkeys(
        chain.from_iterable(
            rule(part)
            for rule in rules.values()
            for part in (parts if rule in _OF_ONE_SYNTAX else (strategy,))
        )
    )
    ordered = sorted(found, key=lambda one: (one.start, one.end, one.code))
    if len(ordered) <= MOST:
        return tuple(ordered)
    # Of too many, hints are left out first.
    kept = set(sorted(ordered, key=lambda one: _SEVERITIES.index(one.severity))[:MOST])
    rest = message("{number} further findings are not shown", number=len(ordered) - MOST)
    end = len(strategy.text)
    return (*(one for one in ordered if one in kept), Finding("more-findings", rest, end, end))


def _by_syntax(strategy: ReviewedStrategy) -> tuple[ReviewedStrategy, ...]:
    """The strategy; where its lines are in several syntaxes, those of each."""
    lines: dict[str, list[ReviewLine]] = {}
    for line in strategy.lines:
        lines.setdefault(line.syntax, []).append(line)
    if len(lines) < 2:
        return (strategy,)
    return tuple(
        replace(strategy, syntax=syntax, lines=tuple(those)) for syntax, those in lines.items()
    )


#: Rules that know what one syntax takes, and look at single lines.
_OF_ONE_SYNTAX = frozenset(
    (*platform_rules.RULES, syntax_rules.unreadable, operator_rules.mixed_operators)
)
_SEVERITIES = ("error", "warning", "hint")
