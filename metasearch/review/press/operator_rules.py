"""Rules of OR, of operators without brackets, and of NOT: what they join and take away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from metasearch.message import message
from metasearch.query.places import PlacedJoin, PlacedTerm, Reference
from metasearch.query.syntaxes import NAMES
from metasearch.query.tree import terms as terms_of
from metasearch.review.press.and_rules import with_operator
from metasearch.review.press.findings import Finding, Fix, Rule
from metasearch.review.press.line_rules import last_line
from metasearch.review.press.reading import ReviewedStrategy, ReviewLine
from metasearch.review.press.trees import Leaf, Level, levels, root
from metasearch.review.press.vocabulary import (
    Vocabulary,
    is_limit,
    is_word,
    roots_of,
)

# ---------------------------------------------------------------- OR where AND is meant


def or_of_concepts(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """OR between lines, or brackets, of different concepts, by which the search is all of them."""
    vocabulary = Vocabulary(strategy)
    line = _core(strategy)
    level = root(line) if line is not None else None
    if line is None or not isinstance(level, Level) or level.operators != {"OR"}:
        return
    words: list[frozenset[str]] = []
    for operand in level.operands:
        if isinstance(operand, Reference):
            named = strategy.by_number.get(operand.number)
            inner = root(named) if named is not None else None
            if isinstance(inner, Level) and inner.operators == {"AND"}:
                return  # one of several ways
            if named is not None and isinstance(inner, Level) and inner.operators == {"OR"}:
                words.append(vocabulary.of_line(named))
        elif isinstance(operand, Level) and operand.operators == {"OR"}:
            words.append(roots_of(one for one in operand.leaves() if isinstance(one, PlacedTerm)))
        elif isinstance(operand, Level) and operand.operators == {"AND"}:
            return
    if (
        len(words) < 2
        or not all(words)
        or any(
            3 * len(one & other) > min(len(one), len(other))
            for at, one in enumerate(words[:30])
            for other in words[at + 1 : 30]
        )
    ):
        return
    join = level.joins[0]
    sure = all(
        strategy.text[place[0]] != "("
        or len(one.operands) > 2
        or any(isinstance(leaf, PlacedTerm) and leaf.heading for leaf in one.leaves())
        for one, place in zip(level.operands, level.places, strict=False)
        if isinstance(one, Level)
    )
    yield Finding(
        "or-for-and",
        message(
            "OR joins concepts that share no word, and nothing in the strategy joins them with AND"
        ),
        join.start,
        join.end,
        line.number,
        with_operator(strategy, join, "AND"),
        sure=sure,
    )


def _core(strategy: ReviewedStrategy) -> ReviewLine | None:
    """The line that the search is, without lines that only limit it or take away from it."""
    line = last_line(strategy) if len(strategy.lines) > 1 else next(iter(strategy.lines), None)
    for _ in strategy.lines:
        if line is None:
            return None
        level = root(line)
        kept: list[Leaf | Level | None] = [level]
        if isinstance(level, Level) and level.operators <= {"AND", "NOT"}:
            first, *rest = level.operands
            signs = [join.operator for join in level.joins]
            pairs = zip(signs, rest, strict=False)
            kept = [first, *(one for sign, one in pairs if sign == "AND")]
            kept = [one for one in kept if one is None or not _is_filter(strategy, one)]
        if len(kept) != 1 or not isinstance(kept[0], Reference):
            return line
        following = strategy.by_number.get(kept[0].number)
        if following is None or following.at >= line.at:
            return line
        line = following
    return line


_OF_TYPES = re.compile(r"\bpt\b|publication type", re.IGNORECASE)


def _is_filter(strategy: ReviewedStrategy, operand: Leaf | Level) -> bool:
    """Whether an operand limits a search, or keeps one kind of study."""
    if isinstance(operand, PlacedTerm):
        return is_limit(operand)
    if not isinstance(operand, Reference):
        return False
    return any(
        # What a database calls a type may be a kind of study, which is looked for as words here.
        _OF_TYPES.search(term.field)
        or (term.query is not None and any(one.field == "type" for one in terms_of(term.query)))
        for term in _all_terms(strategy, operand)
    )


# ---------------------------------------------------------------- without brackets


def mixed_operators(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """AND and OR side by side, which each database reads in an order of its own."""
    for line in strategy.lines:
        for level in levels(line):
            kinds = level.operators
            if "OR" not in kinds or not kinds & {"AND", "NOT"}:
                continue
            if all(join.start == join.end for join in level.joins if join.operator == "AND"):
                continue  # side by side, as Scopus and others join limits
            change = next(
                join for before, join in pairwise(level.joins) if before.operator != join.operator
            )
            yield Finding(
                "mixed-operators",
                message(
                    "{operators} without brackets: {database} reads {meant}",
                    operators=", ".join(sorted(kinds - {"NEAR"})),
                    database=NAMES[strategy.syntax].in_sentence,
                    meant=_in_brackets(strategy, level)[:200],
                ),
                change.start,
                change.end,
                line.number,
                Fix(level.start, level.end, _in_brackets(strategy, level)),
            )


@cache
def _order(syntax: str) -> tuple[str, ...]:
    """The operators of a database, those that bind closely first; none where all bind alike."""
    if syntax in ("pubmed", "cnki", "ccl", "cql"):
        return ()
    if syntax == "simple":
        return ("NOT", "AND", "OR")
    from metasearch.query.strategy import line_reader

    order: tuple[str, ...] = getattr(line_reader(syntax), "grammar").order  # noqa: B009
    return order


def _in_brackets(strategy: ReviewedStrategy, level: Level) -> str:
    """The text of a level with the brackets that its database adds in its mind."""
    text = strategy.text
    pieces = [text[slice(*place)] for place in level.places]
    signs = [
        text[left[1] : right[0]]
        for left, right in zip(level.places, level.places[1:], strict=False)
    ]
    names = [str(join.operator) for join in level.joins][-len(signs) :]
    order = _order(strategy.syntax)
    if not order:
        whole, last = pieces[0], ""
        for name, sign, piece in zip(names, signs, pieces[1:], strict=True):
            kind = "OR" if name == "OR" else "AND"
            whole = f"({whole}){sign}{piece}" if last and kind != last else whole + sign + piece
            last = kind
        return whole
    for kind in ("NEAR", *order):
        if len(set(names)) < 2:
            break
        merged, kept_signs, kept_names = [pieces[0]], list[str](), list[str]()
        wrapped = False
        for name, sign, piece in zip(names, signs, pieces[1:], strict=True):
            if name == kind:
                merged[-1] += sign + piece
                wrapped = True
                continue
            if wrapped and kind != "NEAR":
                merged[-1] = f"({merged[-1]})"
            wrapped = False
            merged.append(piece)
            kept_signs.append(sign)
            kept_names.append(name)
        if wrapped and kind != "NEAR" and kept_names:
            merged[-1] = f"({merged[-1]})"
        pieces, signs, names = merged, kept_signs, kept_names
    return "".join(piece + sign for piece, sign in zip(pieces, [*signs, ""], strict=False))


# ---------------------------------------------------------------- NOT

_ANIMALS = frozenset(
    "animal animals rat rats mouse mice murine rodent rodents rabbit rabbits dog dogs canine cat "
    "cats pig pigs swine porcine sheep ovine cow cows cattle bovine horse horses equine zebrafish "
    "monkey monkeys primate primates hamster hamsters nonhuman 动物 大鼠 小鼠".split()
)
_HUMANS = ("human", "人类")
#: Words of kinds of works, which are left out without loss of a concept.
_KINDS = frozenset(
    "review reviews letter letters editorial editorials comment comments commentary news erratum "
    "errata retraction retracted retractions corrigendum correction protocol protocols case report "
    "reports conference congress abstract abstracts book chapter chapters thesis dissertation "
    "note preprint preprints systematic literature meta analysis analyses metaanalysis "
    "metaanalyses metanalysis metanalyses historical interview as topic "
    "综述 会议 评论".split()
)

#: Letters of a cut word of a kind of works; shorter ones begin other words.
_LEAST_KIND = 5


def exclusions(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """NOT that removes studies of humans with those of animals, or works that have another word
    beside what is wanted.
    """
    for line in strategy.lines:
        for level in levels(line):
            for at, join in enumerate(level.joins):
                if join.operator != "NOT":
                    continue
                where = min(at + 1, len(level.operands) - 1)
                excluded = level.operands[where]
                if excluded is None:
                    continue
                terms = _all_terms(strategy, excluded)
                words = [
                    term
                    for term in terms
                    if (is_word(term) and not _is_of_venues(term))
                    or (term.query is None and _is_animal(term))
                ]
                wanted = [one for one in level.operands[: min(at + 1, 30)] if one is not excluded]
                if (
                    not words
                    or _is_hedge(strategy, excluded)
                    or _narrows(strategy, excluded, wanted)
                ):
                    continue
                yield from _exclusion(strategy, line, level, join, words, level.places[where])


def _exclusion(
    strategy: ReviewedStrategy,
    line: ReviewLine,
    level: Level,
    join: PlacedJoin,
    words: list[PlacedTerm],
    place: tuple[int, int],
) -> Iterator[Finding]:
    texts = {word for term in words for word in re.findall(r"\w+", term.text.casefold())}
    start, end = join.start, place[1]
    wanted = [
        term
        for operand in level.operands[: min(level.joins.index(join) + 1, 30)]
        if operand is not None
        for term in _all_terms(strategy, operand)
        if is_word(term)
    ]
    if any(word.startswith(_HUMANS) for word in texts):
        alone = all(word.startswith(_HUMANS) for word in texts)
        if alone and not any(map(_is_animal, wanted)):
            yield Finding(
                "exclusion-of-humans",
                message("NOT takes away every work about humans"),
                start,
                end,
                line.number,
            )
        return
    if texts & _ANIMALS and all(_is_animal(term) for term in words):
        yield _of_animals(strategy, line, join, words, place)
        return
    if all(map(_is_kind, words)):
        return
    # Hearing aids are no AIDS: another meaning of a wanted word.
    meaning = any(
        other.text.casefold() in term.text.casefold() != other.text.casefold()
        for term in words
        for other in wanted
    )
    yield Finding(
        "exclusion-of-concept",
        message(
            "NOT takes away works that have these words beside what is wanted: {words}",
            words=", ".join(dict.fromkeys(term.text for term in words[:4])),
        ),
        start,
        end,
        line.number,
        sure=not meaning,
    )


def _is_kind(term: PlacedTerm) -> bool:
    """Whether a term is a kind of works, as a whole or cut: "systematic review*", "meta-analy*"."""
    *before, last = term.text.casefold().replace("-", " ").split() or [""]
    if term.truncated and len(last) >= _LEAST_KIND:
        return _KINDS.issuperset(before) and any(kind.startswith(last) for kind in _KINDS)
    return _KINDS.issuperset((*before, last))


def _of_animals(
    strategy: ReviewedStrategy,
    line: ReviewLine,
    join: PlacedJoin,
    words: list[PlacedTerm],
    place: tuple[int, int],
) -> Finding:
    """What is said of animals that are excluded with the humans beside them."""
    humans = _humans(strategy.syntax)
    sign = "not" if strategy.text[join.start : join.end].islower() else "NOT"
    return Finding(
        "exclusion-of-humans",
        message(
            "NOT takes away studies of animals and humans, too: exclude only those of animals "
            "without humans"
        ),
        join.start,
        place[1],
        line.number,
        Fix(*place, f"({strategy.text[slice(*place)]} {sign} {humans})") if humans else None,
        # A work with an animal in its title is mostly of that animal.
        sure=not all(map(_is_of_titles, words)),
    )


def _is_animal(term: PlacedTerm) -> bool:
    return bool(_ANIMALS.intersection(re.findall(r"\w+", term.text.casefold())))


def _narrows(
    strategy: ReviewedStrategy, excluded: Leaf | Level, wanted: Sequence[Leaf | Level | None]
) -> bool:
    """Whether what is excluded is a part of what is wanted: the same line with a limit."""
    numbers = {
        one.number
        for operand in wanted
        if operand is not None
        for one in _everything_in(strategy, operand)
        if isinstance(one, Reference)
    }
    return any(
        isinstance(one, Reference) and one.number in numbers
        for one in _everything_in(strategy, excluded)
    )


def _is_of_venues(term: PlacedTerm) -> bool:
    return term.query is not None and {one.field for one in terms_of(term.query)} == {"venue"}


def _is_of_titles(term: PlacedTerm) -> bool:
    return term.query is not None and {one.field for one in terms_of(term.query)} == {"title"}


def _is_hedge(strategy: ReviewedStrategy, operand: Leaf | Level) -> bool:
    """Whether what is excluded excludes something itself: animals without humans."""
    found = _everything_in(strategy, operand)
    return any("NOT" in level.operators for level in found if isinstance(level, Level))


def _all_terms(strategy: ReviewedStrategy, operand: Leaf | Level) -> list[PlacedTerm]:
    """The terms of an operand with those of lines that it names, not more than a few hundred."""
    return [one for one in _everything_in(strategy, operand) if isinstance(one, PlacedTerm)]


def _everything_in(strategy: ReviewedStrategy, operand: Leaf | Level) -> list[Leaf | Level]:
    found: list[Leaf | Level] = []
    waiting: list[Leaf | Level] = [operand]
    seen: set[int] = set()
    while waiting and len(found) < 500:
        one = waiting.pop()
        found.append(one)
        if isinstance(one, Level):
            waiting.extend(part for part in one.operands if part is not None)
        elif isinstance(one, Reference) and one.number not in seen:
            seen.add(one.number)
            named = strategy.by_number.get(one.number)
            whole = root(named) if named is not None else None
            if whole is not None:
                waiting.append(whole)
            elif named is not None:
                waiting.extend(named.terms)
    return found


def _humans(syntax: str) -> str:
    """The heading of humans as a database writes it; "" where it has none."""
    return {
        "pubmed": '"Humans"[mh]',
        "ovid": "humans/",
        "embase": "'human'/exp",
        "cochrane": "[mh ^Humans]",
        "ebsco": '(MH "Human")',
    }.get(syntax, "")


# ---------------------------------------------------------------- brackets


def needless_brackets(strategy: ReviewedStrategy) -> Iterator[Finding]:
    """Brackets with one operator in brackets with the same, and two brackets around one thing; one
    finding a line.
    """
    for line in strategy.lines:
        place = next(_needless(strategy, line), None) or _double_brackets(line)
        if place is None:
            continue
        yield Finding(
            "needless-brackets",
            message("These brackets change nothing"),
            *place,
            line.number,
            Fix(*place, strategy.text[place[0] + 1 : place[1] - 1]),
        )


def _needless(strategy: ReviewedStrategy, line: ReviewLine) -> Iterator[tuple[int, int]]:
    for outer in levels(line):
        for one, place in zip(outer.operands, outer.places, strict=False):
            text = strategy.text[slice(*place)]
            alike = isinstance(one, Level) and one.operator == outer.operator in ("AND", "OR")
            if alike and text[:1] == "(" and text[-1:] == ")":
                yield place


_DOUBLE = re.compile(r"\(\s{0,9}\(")


def _double_brackets(line: ReviewLine) -> tuple[int, int] | None:
    """A bracket that holds another one and nothing else."""
    pairs: dict[int, int] = {}
    opened: list[int] = []
    for match in re.finditer(r"\"[^\"]*\"|[()]", line.text):
        if match[0] == "(":
            opened.append(match.start())
        elif match[0] == ")" and opened:
            pairs[opened.pop()] = match.start()
    for match in _DOUBLE.finditer(line.text):
        outer, inner = pairs.get(match.start()), pairs.get(match.end() - 1)
        if outer is None or inner is None or line.text[inner + 1 : outer].strip():
            continue
        return line.start + match.end() - 1, line.start + inner + 1
    return None


RULES: tuple[Rule, ...] = (
    or_of_concepts,
    mixed_operators,
    exclusions,
    needless_brackets,
)
