"""Errors that are set into strategies by rule, each with the line where it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

from benchmarks.press_strategies import Join, Line, Strategy


@dataclass(frozen=True, slots=True)
class Seed:
    """A strategy with one error.

    Attributes:
        lines: The numbers of the lines where a finding says what is wrong: where it was set, and of
            an error between two lines the other one; {None}: the only line.
    """

    text: str
    lines: frozenset[int | None]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of error.

    Attributes:
        elements: Those of PRESS that a finding on it belongs to.
        seeds: The strategies with one such error that can be made of a clean one; the number of the
            clean one chooses between spellings of the error.
    """

    name: str
    elements: frozenset[int]
    seeds: Callable[[Strategy, int], Iterator[Seed]]


KINDS: list[Kind] = []
_Seeds = Callable[[Strategy, int], Iterator[Seed]]


def _kind(name: str, *elements: int) -> Callable[[_Seeds], _Seeds]:
    def add(seeds: _Seeds) -> _Seeds:
        KINDS.append(Kind(name, frozenset(elements), seeds))
        return seeds

    return add


def _seed(strategy: Strategy, *numbers: int | None) -> Iterator[Seed]:
    yield Seed(strategy.text, frozenset(numbers))


# The parts of a line.

_HEADING = {
    "ovid": r"/(?=$|\s)|\.(?:sh|pt)\b",
    "pubmed": r"\[Mesh\]",
    "embase": r"/(?:exp|lim)",
    "cochrane": r"MeSH descriptor|\[mh ",
    "ebsco": r"^(?:MH|DE) ",
    "proquest": "MAINSUBJECT",
    "vhl": "mh:",
    "sinomed": "加权",
}
#: How a heading is written: its name is group 1.
_NAME = {
    "ovid": r"(?<=exp )([A-Za-z, -]+)(?=/)",
    "pubmed": r"(?<=\")([^\"]+)(?=\"\[Mesh\])",
    "embase": r"(?<=')([^']+)(?='/exp)",
    "cochrane": r"(?<=descriptor: \[)([^\]]+)(?=\])|(?<=\[mh \")([^\"]+)(?=\")",
    "ebsco": r"(?<=MH \")([^\"+]+)(?=\+?\")|(?<=DE \")([^\"]+)(?=\")",
    "proquest": r"(?<=EXPLODE\(\")([^\"]+)(?=\")",
    "vhl": r"(?<=mh:\")([^\"]+)(?=\")",
}
_OR = re.compile(r" or ", re.IGNORECASE)
_CORE = re.compile(r"[\"']?([^\"':\[\]]+?)[\"']?(?:\[.*\]|:[a-z,]+|(?:\.[a-z,]+)+\.?)?")


@dataclass(frozen=True, slots=True)
class _Entry:
    """One of several words or phrases between which OR stands, as typed."""

    start: int
    end: int
    text: str
    heading: bool

    @property
    def core(self) -> str:
        """Without quotes and field."""
        match = _CORE.fullmatch(self.text)
        return match[1] if match else ""


def _lists(line: Line, syntax: str) -> Iterator[list[_Entry]]:
    """The lists of entries of a line, each of one bracket level."""
    heading = re.compile(_HEADING.get(syntax, "(?!)"))
    for part in re.finditer(r"[^()]+", line.body):
        start, entries = part.start(), []
        for text in _OR.split(part[0]):
            bare = text.strip()
            # Not the field of a bracket, which stands behind it.
            if (
                bare
                and bare[0] not in ":."
                and not re.search(r"\b(?:and|not)\b|\b(?:adj|near|w|n)/?[0-9]", bare, re.IGNORECASE)
            ):
                at = start + text.index(bare)
                entries.append(_Entry(at, at + len(bare), bare, bool(heading.search(bare))))
            start += len(text) + 4
        yield entries


def _texts(strategy: Strategy) -> Iterator[tuple[Line, _Entry]]:
    """The entries that are words to look for, no headings."""
    for line in strategy.lines:
        if line.join is None:
            for entries in _lists(line, strategy.syntax):
                yield from ((line, entry) for entry in entries if not entry.heading and entry.core)


def _of_headings(line: Line, syntax: str) -> bool:
    entries = [entry for entries in _lists(line, syntax) for entry in entries]
    return bool(entries) and all(entry.heading for entry in entries)


def _of_text(line: Line, syntax: str) -> bool:
    entries = [entry for entries in _lists(line, syntax) for entry in entries]
    return line.join is None and bool(entries) and not any(entry.heading for entry in entries)


def _spliced(strategy: Strategy, line: Line, start: int, end: int, new: str) -> Strategy:
    return strategy.with_body(line.number, f"{line.body[:start]}{new}{line.body[end:]}")


def _without_entry(strategy: Strategy, line: Line, gone: _Entry) -> Strategy:
    """Without an entry and the OR beside it."""
    after = _OR.match(line.body, gone.end)
    if after:
        return _spliced(strategy, line, gone.start, after.end(), "")
    return _spliced(strategy, line, gone.start - len(" or "), gone.end, "")


# Logic.


@_kind("forms of one word joined by AND", 2)
def _and_of_forms(strategy: Strategy, _: int) -> Iterator[Seed]:
    for line in strategy.lines:
        for entries in _lists(line, strategy.syntax):
            for first, second in pairwise(entries):
                joined = line.body[first.end : second.start]
                same = first.core[:5] == second.core[:5] and len(first.core) > 5
                if same and not first.heading and not second.heading and _OR.fullmatch(joined):
                    word = " and " if joined.islower() else " AND "
                    yield from _seed(
                        _spliced(strategy, line, first.end, second.start, word), line.number
                    )
                    return


@_kind("a heading and its words joined by AND", 2)
def _and_of_heading(strategy: Strategy, _: int) -> Iterator[Seed]:
    syntax = strategy.syntax
    for line, join in strategy.joins("OR"):
        parts = [strategy.line(number) for number in join.numbers]
        if any(_of_headings(part, syntax) for part in parts) and any(
            _of_text(part, syntax) for part in parts
        ):
            word = "and" if join.word.islower() else "AND"
            body = Join(word, join.numbers).text(syntax)
            yield from _seed(strategy.with_body(line.number, body), line.number)
            return


@_kind("concepts joined by OR", 2)
def _or_of_concepts(strategy: Strategy, _: int) -> Iterator[Seed]:
    for line, join in strategy.joins("AND"):
        body = Join("or" if join.word.islower() else "OR", join.numbers).text(strategy.syntax)
        yield from _seed(strategy.with_body(line.number, body), line.number)
        return
    line = strategy.lines[-1]
    if line.number is None and re.search(r"\)\s+and\s+\(", line.body, re.IGNORECASE):
        body = re.sub(r"(\)\s+)and(\s+\()", r"\1OR\2", line.body, flags=re.IGNORECASE)
        yield from _seed(strategy.with_body(None, body), None)


@_kind("AND and OR without brackets", 2)
def _brackets_gone(strategy: Strategy, _: int) -> Iterator[Seed]:
    syntax = strategy.syntax
    concepts = {line.number: join for line, join in strategy.joins("OR")}
    for line, join in strategy.joins("AND"):
        if (last := join.numbers[-1]) in concepts:
            before = Join(join.word, (*join.numbers[:-1], concepts[last].numbers[0])).text(syntax)
            rest = Join(concepts[last].word, concepts[last].numbers).text(syntax)
            if "/" in before or "/" in rest:
                continue
            after = rest.split(" ", 1)[1]
            seeded = strategy.with_body(line.number, f"{before} {after}")
            yield from _seed(seeded, line.number)
            return
    line = strategy.lines[-1]
    first = re.match(r"\(([^()]+ OR [^()]+)\)(?=\s+AND\s)", line.body)
    if line.number is None and first:
        yield from _seed(_spliced(strategy, line, 0, first.end(), first[1]), None)


_ANIMALS = {
    "ovid": "(animal* or rat or rats or mouse or mice).ti,ab.",
    "pubmed": "(animal*[tiab] OR rat[tiab] OR rats[tiab] OR mouse[tiab] OR mice[tiab])",
    "embase": "(animal* OR rat OR rats OR mouse OR mice):ti,ab",
    "cochrane": "(animal* or rat or rats or mouse or mice):ti,ab",
    "scopus": "TITLE-ABS-KEY(animal* OR rat OR rats OR mouse OR mice)",
    "wos": "TS=(animal* OR rat OR rats OR mouse OR mice)",
    "ebsco": "TI ( animal* OR rat OR rats OR mouse OR mice )",
    "sinomed": '"动物"[常用字段]',
    "proquest": "ti(animal* OR rat OR rats OR mouse OR mice)",
}


@_kind("NOT that takes wanted works away", 2)
def _not_of_wanted(strategy: Strategy, _: int) -> Iterator[Seed]:
    last = strategy.lines[-1]
    join = last.join
    if join and join.operator == "NOT":
        excluded = strategy.line(join.numbers[1])
        body = re.split(r" (?:not|NOT) ", excluded.body)[0]
        if excluded.join is None:
            yield from _seed(
                strategy.with_body(excluded.number, body), excluded.number, last.number
            )
            return
    animals = _ANIMALS.get(strategy.syntax)
    word = "not" if strategy.syntax in ("ovid", "cochrane") else "NOT"
    if animals is None:
        return
    if last.number is None:
        yield from _seed(strategy.with_body(None, f"({last.body}) {word} {animals}"), None)
        return
    sign = Join(word, (last.number, 0)).text(strategy.syntax).removesuffix("0").rstrip("#S")
    seeded = strategy.with_line(f"{sign}{animals}")
    yield from _seed(seeded, seeded.lines[-1].number)


# Lines.


@_kind("a line that nothing uses", 2, 5)
def _unused_line(strategy: Strategy, number: int) -> Iterator[Seed]:
    for line, join in strategy.joins("OR"):
        if len(join.numbers) > 2:
            gone = join.numbers[-1 if number % 2 else 0]
            kept = tuple(each for each in join.numbers if each != gone)
            body = Join(join.word, kept).text(strategy.syntax)
            yield from _seed(strategy.with_body(line.number, body), gone, line.number)
            return


@_kind("a number of a line that is not before it", 2, 5)
def _wrong_reference(strategy: Strategy, number: int) -> Iterator[Seed]:
    for line in strategy.lines:
        if join := line.join:
            own = line.number or 0
            later = own + 1 if own < len(strategy.lines) else own + 40
            wrong = (own, later, len(strategy.lines) + 30)[number % 3]
            body = Join(join.word, (*join.numbers[:-1], wrong)).text(strategy.syntax)
            yield from _seed(strategy.with_body(line.number, body), own)
            return


@_kind("the number of the line beside", 2, 5)
def _shifted_reference(strategy: Strategy, number: int) -> Iterator[Seed]:
    concepts = {line.number for line, _ in strategy.concepts()}
    for line, join in strategy.joins("AND"):
        hit = [each for each in join.numbers if each in concepts]
        if hit:
            meant = hit[number % len(hit)]
            numbers = tuple(each - 1 if each == meant else each for each in join.numbers)
            body = Join(join.word, numbers).text(strategy.syntax)
            yield from _seed(strategy.with_body(line.number, body), line.number, meant)
            return


@_kind("a line that repeats another", 2, 5)
def _repeated_line(strategy: Strategy, _: int) -> Iterator[Seed]:
    for _line, parts in strategy.concepts():
        for first, second in pairwise(parts):
            if first.join is None and second.join is None:
                seeded = strategy.with_body(second.number, first.body, first.hits)
                yield from _seed(seeded, first.number, second.number)
                return


@_kind("a line that adds nothing", 2, 4, 5)
def _idle_line(strategy: Strategy, _: int) -> Iterator[Seed]:
    whole = re.compile(r"([^()]*\()([^()]+)(\)[^()]*)")
    for _line, parts in strategy.concepts():
        for wide, other in combinations(parts, 2):
            for first, second in ((wide, other), (other, wide)):
                if not _of_text(first, strategy.syntax) or second.join is not None:
                    continue
                match = whole.fullmatch(first.body)
                if match is None and ("(" in first.body or strategy.syntax != "pubmed"):
                    continue
                before, listed, after = match.groups() if match else ("", first.body, "")
                one = _OR.split(listed)[0]
                # No more hits than it can have.
                hits = re.sub("[0-9,]+", f"{first.count // 2:,}", second.hits)
                seeded = strategy.with_body(second.number, f"{before}{one.strip()}{after}", hits)
                yield from _seed(seeded, first.number, second.number)
                return


@_kind("a term that repeats another", 2, 4, 5)
def _repeated_term(strategy: Strategy, _: int) -> Iterator[Seed]:
    for line in strategy.lines:
        for entries in _lists(line, strategy.syntax):
            texts = [entry for entry in entries if not entry.heading]
            if len(texts) > 3 and len(texts) == len(entries):
                word = " or " if " or " in line.body else " OR "
                added = f"{texts[-1].text}{word}{texts[0].text}"
                seeded = _spliced(strategy, line, texts[-1].start, texts[-1].end, added)
                yield from _seed(seeded, line.number)
                return


@_kind("hits that cannot be", 2, 5)
def _impossible_hits(strategy: Strategy, number: int) -> Iterator[Seed]:
    operator = ("OR", "AND")[number % 2]
    for line, join in strategy.joins(operator):
        if line.hits:
            counts = [strategy.line(each).count for each in join.numbers]
            wrong = max(counts) // 3 if operator == "OR" else min(counts) * 3
            hits = re.sub("[0-9,]+", f"{wrong:,}", line.hits)
            yield from _seed(strategy.with_body(line.number, line.body, hits), line.number)
            return


# Words.


@_kind("a root that is cut", 4)
def _cut_root(strategy: Strategy, _: int) -> Iterator[Seed]:
    for line, entry in _texts(strategy):
        stem = re.search(r"[A-Za-z]{7,}(?=\*)", entry.text)
        if stem:
            start = entry.start + stem.start()
            yield from _seed(
                _spliced(strategy, line, start, entry.start + stem.end(), stem[0][:3]),
                line.number,
            )
            return


@_kind("truncation where quotes switch it off", 4, 5)
def _quoted_stem(strategy: Strategy, _: int) -> Iterator[Seed]:
    frame = {"scopus": "{{{}* effect}}"} | dict.fromkeys(
        ("cochrane", "ieee", "vhl", "acm"), '"{}* effect"'
    )
    if strategy.syntax not in frame:
        return
    for line, entry in _texts(strategy):
        if re.fullmatch(r"[a-z]{5,}\*?", entry.text):
            new = frame[strategy.syntax].format(entry.text.rstrip("*"))
            yield from _seed(_spliced(strategy, line, entry.start, entry.end, new), line.number)
            return


#: Names and new words that few lists of words have, and Spanish ones.
_NAMES = re.compile(
    r"haloperidol|procalcitonin|imidacloprid|medihoney|nano|plasmodium|electro|onco|"
    r"agro|titanium|gluten|micro|neo|comuni|control|vecto|dengue|osmia|preservice|taichi|tai chi|"
    r"pro-calc|4v",
    re.IGNORECASE,
)


def _misspelt(word: str, number: int) -> str:
    """One error of a typist in the midst of a word."""
    at = len(word) // 2
    while word[at] == word[at + 1]:
        at += 1
    if number % 4 == 0:
        return word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    if number % 4 == 1:
        return word[:at] + word[at + 1 :]
    if number % 4 == 2:
        return word[:at] + word[at] + word[at:]
    return word[:at] + ("x" if word[at] != "x" else "k") + word[at + 1 :]


def _misspelling(strategy: Strategy, number: int, pattern: str) -> Iterator[Seed]:
    for line, entry in _texts(strategy):
        word = re.search(pattern, entry.text)
        if word and not _NAMES.search(entry.text):
            start = entry.start + word.start()
            new = _misspelt(word[0], number)
            yield from _seed(
                _spliced(strategy, line, start, start + len(word[0]), new), line.number
            )
            return


@_kind("a misspelt word", 4, 5)
def _misspelt_word(strategy: Strategy, number: int) -> Iterator[Seed]:
    return _misspelling(strategy, number, r"(?<![\w-])[a-z]{8,}(?![\w*?-])")


@_kind("a misspelt stem", 4, 5)
def _misspelt_stem(strategy: Strategy, number: int) -> Iterator[Seed]:
    return _misspelling(strategy, number, r"(?<![\w-])[a-z]{7,}(?=\*)")


#: Syntaxes whose databases look for words as typed: no plurals, no other spelling.
_AS_TYPED = ("ovid", "pubmed", "embase")


def _one_of_two(
    strategy: Strategy, number: int, alike: Callable[[str, str], bool]
) -> Iterator[Seed]:
    """Without one of two words beside one another that are alike."""
    for line in strategy.lines:
        for entries in _lists(line, strategy.syntax):
            for pair in pairwise(entries):
                first, second = (entry.core.lower() for entry in pair)
                if not first or first == second or _NAMES.search(first):
                    continue
                if alike(first, second):
                    gone = pair[number % 2]
                    yield from _seed(_without_entry(strategy, line, gone), line.number)
                    return


def _american(word: str) -> str:
    for british, american in (("ae", "e"), ("oe", "e"), ("our", "or"), ("ll", "l")):
        word = word.replace(british, american)
    return re.sub(r"is(?=ation|ed|e\b|ing)", "iz", word)


@_kind("British spelling without the American, or the reverse", 4, 5)
def _one_spelling(strategy: Strategy, number: int) -> Iterator[Seed]:
    if strategy.syntax in _AS_TYPED:
        yield from _one_of_two(
            strategy, number, lambda first, second: _american(first) == _american(second)
        )


@_kind("hyphenated or solid alone", 4, 5)
def _one_hyphenation(strategy: Strategy, number: int) -> Iterator[Seed]:
    def alike(first: str, second: str) -> bool:
        # Most databases take a hyphen for a blank: only the solid form is another.
        solid = [re.sub("[- *]", "", word) for word in (first, second)]
        return solid[0] == solid[1] and any(map(str.isalnum, (first.strip("*"), second.strip("*"))))

    yield from _one_of_two(strategy, number, alike)


_WHOLE = re.compile(
    r"(?<![\w-])(?:stroke|parent|mother|father|nurse|student|teacher|infant|child|patient|headache|"
    r"antibiotic|telephone|workload|caregiver|migraine|smartphone|youth|song|pupil|tumou?r|cancer|"
    r"oocyte|embryo|girl|adult)(?=\*)"
)


@_kind("singular without plural", 4, 5)
def _singular_alone(strategy: Strategy, _: int) -> Iterator[Seed]:
    if strategy.syntax not in _AS_TYPED:
        return
    for line, entry in _texts(strategy):
        word = _WHOLE.match(entry.text)
        if word:
            end = entry.start + word.end()
            yield from _seed(_spliced(strategy, line, end, end + 1, ""), line.number)
            return
    yield from _one_of_two(strategy, 1, lambda first, second: f"{first}s" == second)


# Headings.


@_kind("a misspelt heading", 3, 5)
def _misspelt_heading(strategy: Strategy, number: int) -> Iterator[Seed]:
    for line in strategy.lines:
        for name in re.finditer(_NAME.get(strategy.syntax, "(?!)"), line.body):
            word = max(name[0].replace(",", " ").split(), key=len)
            if len(word) > 6:
                start = name.start() + name[0].index(word)
                new = _misspelt(word, number)
                yield from _seed(
                    _spliced(strategy, line, start, start + len(word), new), line.number
                )
                return


def _one_side(strategy: Strategy, *, headings: bool) -> Iterator[Seed]:
    """Without the headings of a concept, or without its words."""
    syntax = strategy.syntax
    for line, parts in strategy.concepts():
        of_headings = [part for part in parts if _of_headings(part, syntax)]
        of_text = [part for part in parts if _of_text(part, syntax)]
        if not of_headings or not of_text or len(of_headings) + len(of_text) < len(parts):
            continue
        gone = of_headings if headings else of_text
        kept = of_text if headings else of_headings
        if line.number is None or kept[0].number is None:
            continue
        numbers = [part.number for part in gone if part.number is not None]
        instead = {}
        if len(kept) == 1:  # nothing is left to join
            numbers.append(line.number)
            instead = {line.number: kept[0].number}
        seeded = strategy.without(numbers, instead)
        first = min(part.number or 0 for part in parts)
        lines = set(range(first, first + len(kept) + (len(kept) > 1)))
        yield from _seed(seeded, *lines)
        return


@_kind("a concept without its heading", 3, 4)
def _no_heading(strategy: Strategy, _: int) -> Iterator[Seed]:
    return _one_side(strategy, headings=True)


@_kind("a heading without words", 3, 4)
def _no_words(strategy: Strategy, _: int) -> Iterator[Seed]:
    return _one_side(strategy, headings=False)


#: Headings with narrower ones, exploded and not.
_EXPLODED = {
    "ovid": (
        "exp (?=(?:Stroke|Dementia|Asthma|Back Pain|Neuralgia|Psychotherapy|Exercise|Aged)/)",
        "",
    ),
    "pubmed": (
        (
            r'("(?:Vaccines|Parents|Diabetes Mellitus, Type 2|Malaria|Nurses|Infant, Premature|'
            r'Hip Fractures|Sleep Wake Disorders)")\[Mesh\]'
        ),
        r"\1[Mesh:NoExp]",
    ),
    "cochrane": (r"(?<=\[mh )(?=\"(?:Wounds|Labor))", "^"),
}

# Platforms, limits.

#: Syntax -> a field as it is written there, and one of another platform.
_FIELDS = {
    "ovid": (r"\.ti,ab(?:,kf|,id)?\.", "[tiab]"),
    "pubmed": (r"\[tiab\]", ".ti,ab."),
    "embase": (":ti,ab,kw", "[tiab]"),
    "cochrane": (":ti,ab,kw", ".ti,ab."),
    "scopus": (r"TITLE-ABS-KEY\(", "TS=("),
    "wos": (r"TS=\(", "TITLE-ABS-KEY("),
    "ebsco": (r"TI \(", "TITLE-ABS-KEY("),
    "proquest": (r"ti,ab\(", "TITLE-ABS-KEY("),
    "ieee": ('"Abstract":', "TS="),
    "europepmc": ("TITLE_ABS:", "TITLE-ABS-KEY"),
    "acm": (r"Abstract:\(", "TITLE-ABS-KEY("),
    "vhl": (r"tw:\(", "TITLE-ABS-KEY("),
    "cnki": ("(?:SU|TKA)=", "TS="),
    "sinomed": (r"\[常用字段:智能\]", "[tiab]"),
}
_OPERATORS = {
    "ovid": (r"\badj([0-9])", r"NEAR/\1"),
    "embase": (r"\bNEAR/([0-9])", r"adj\1"),
    "cochrane": (r"\bnear/([0-9])", r"adj\1"),
    "scopus": (r"\bW/([0-9])", r"adj\1"),
    "wos": (r"\bNEAR/([0-9])", r"adj\1"),
    "ebsco": (r"\bN([0-9])\b", r"adj\1"),
    "proquest": (r"\bNEAR/([0-9])", r"adj\1"),
}
#: A sign of truncation that the database does not have.
_WILDCARDS = dict.fromkeys(
    ("pubmed", "scopus", "ebsco", "cochrane", "proquest"), (r"(?<=[a-z])\*", "$")
)


def _exchanged(
    strategy: Strategy, table: dict[str, tuple[str, str]], *, texts: bool = False
) -> Iterator[Seed]:
    """With the first match of the pattern of the syntax exchanged."""
    old, new = table.get(strategy.syntax, ("(?!)", ""))
    for line in strategy.lines:
        body = re.sub(old, new, line.body, count=1)
        if body != line.body and not (texts and _of_headings(line, strategy.syntax)):
            yield from _seed(strategy.with_body(line.number, body), line.number)
            return


@_kind("a field of another platform", 5)
def _foreign_field(strategy: Strategy, _: int) -> Iterator[Seed]:
    return _exchanged(strategy, _FIELDS)


@_kind("an operator of another platform", 2, 5)
def _foreign_operator(strategy: Strategy, _: int) -> Iterator[Seed]:
    return _exchanged(strategy, _OPERATORS)


@_kind("a sign of truncation of another platform", 4, 5)
def _foreign_wildcard(strategy: Strategy, _: int) -> Iterator[Seed]:
    return _exchanged(strategy, _WILDCARDS, texts=True)


@_kind("a bracket or quote that is missing", 2, 5)
def _unbalanced(strategy: Strategy, number: int) -> Iterator[Seed]:
    signs = ')"' if number % 2 else '")'
    for sign in signs:
        for line in strategy.lines:
            at = line.body.rfind(sign)
            if at >= 0 and line.join is None:
                yield from _seed(_spliced(strategy, line, at, at + 1, ""), line.number)
                return


_LIMITS = {
    "pubmed": "English[lang]",
    "embase": "[english]/lim",
    "scopus": 'LIMIT-TO(LANGUAGE,"English")',
    "wos": "LA=(English)",
    "ebsco": "LA English",
    "proquest": "LA(English)",
    "vhl": 'la:"en"',
    "europepmc": 'LANG:"eng"',
}


@_kind("a limit to one language", 6)
def _limit(strategy: Strategy, _: int) -> Iterator[Seed]:
    last = strategy.lines[-1]
    if strategy.syntax == "ovid":
        seeded = strategy.with_line(f"limit {last.number} to english language")
        yield from _seed(seeded, seeded.lines[-1].number)
    elif strategy.syntax in _LIMITS:
        body = f"{last.body} AND {_LIMITS[strategy.syntax]}"
        if last.join and last.join.operator == "NOT":
            body = f"({last.body}) AND {_LIMITS[strategy.syntax]}"
        yield from _seed(strategy.with_body(last.number, body), last.number)


@_kind("a heading that is not exploded", 3)
def _unexploded(strategy: Strategy, _: int) -> Iterator[Seed]:
    return _exchanged(strategy, _EXPLODED)


#: Strategy -> a word that is an entry term of its heading in MeSH, with the OR beside it.
_SYNONYMS = {
    "ovid stroke": " or cerebrovascular accident*",
    "ovid asthma": "telehealth or tele-health or ",
    "pubmed diabetes": ' OR NIDDM[tiab] OR "adult onset diabetes"[tiab]',
    "pubmed sleep": ' OR "light therapy"[tiab]',
    "pubmed preterm": " OR premature[tiab] OR prematurity[tiab]",
}


@_kind("a synonym that is missing", 1, 4)
def _missing_synonym(strategy: Strategy, _: int) -> Iterator[Seed]:
    gone = _SYNONYMS.get(strategy.name, "\0")
    for line in strategy.lines:
        if gone in line.body:
            body = line.body.replace(gone, "")
            headings = [
                part.number
                for _line, parts in strategy.concepts()
                if line in parts
                for part in parts
            ]
            yield from _seed(strategy.with_body(line.number, body), line.number, *headings)
