"""How two titles relate, from "equal" to "far", with a word for each kind of difference."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal, Protocol

from rapidfuzz import fuzz

from metasearch.bib import normalise
from metasearch.late_pattern import late_pattern

#: "equal": same letters; "start": one is the other without its subtitle, or cut off; "end": one
#: stands in the other between marks, which has a heading too; "near": the words differ in spelling
#: only; "within": all words of one are in the other, which has more; "reworded": some words are
#: others; "far"; "missing": one side has none.
TitleRelation = Literal["equal", "start", "end", "near", "within", "reworded", "far", "missing"]

#: Titles this alike may differ by a typo or an encoding; measured as the ratio of rapidfuzz (indel
#: distance).
NEAR = 0.9
#: Titles less alike than this speak of different things.
FAR = 0.6
#: A main title of fewer letters is not looked for at the beginning of longer ones, nor elsewhere in
#: them.
SHORTEST_MAIN_TITLE = 6
SHORTEST_TAIL = 20
#: How alike in per cent the beginning of a title and a title without a subtitle are at least. Then
#: their lengths differ by a quarter at most, and a beginning of the same length is this alike:
#: 1 - 2 * .1 * (1 + 1.1 / .9) / 2 = .78.
START, BEGINNING = 90, 77
SHORTEST_WITHIN = 25
#: Words this alike are one word with a typo.
SPELLING = 78
#: Letters that may be missing: a short word that nobody misses.
DROPPED = 4
#: Runs of words this alike are the same words, torn apart or glued together.
GLUED = 88

#: Words that are only in one of two titles, and are looked for misspelt in the other one: each is
#: compared with each.
MOST_MISSPELT = 40

#: Words without which a title says the same.
SMALL_WORDS = frozenset(
    "the a an of and for in on to with by from at as is are or its der die das und le la les des "
    "du de et el los las y "
    "en il e un une ein eine".split()
)
# Chinese characters without which a title says the same.
_SMALL_HAN = frozenset("的之及与和了在其于对以")
_PREPOSITIONS = frozenset(
    "of for to into on in with toward towards about against under beyond from by and".split()
)
# Different in few letters, and the very opposite.
_OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in """
    hypo/hyper pre/post intra/inter intra/extra inter/extra macro/micro mono/poly endo/exo uni/bi
    uni/multi ante/post anti/pro over/under male/female males/females men/women man/woman boys/girls
    mother/father mothers/fathers maternal/paternal north/south east/west northern/southern
    eastern/western upper/lower left/right increase/decrease increased/decreased
    increasing/decreasing high/low acute/chronic homo/hetero iso/aniso syn/anti cis/trans in/ex
    deductive/inductive forward/backward symmetric/asymmetric linear/nonlinear invasive/noninvasive
    dependent/independent stable/unstable reversible/irreversible regular/irregular cohort/control
""".split()
)
# Lost where a PDF writes them as one character: "five" -> "ve", "buffering" -> "bufering".
_LIGATURES = late_pattern("ff[il]?|f[il]")
_PREFIXES = frozenset(
    """
    a an anti auto bi bio co counter de di dis down endo extra fe hetero homo hyper hypo il im in
    inter intra ir macro micro mis mono multi neo non over poly post pre proto pseudo re semi sub
    super supra trans tri ultra un under uni up wo
""".split()
)


class Titled(Protocol):
    """What is compared of a title; see `Fingerprint`."""

    words: tuple[str, ...]
    text: str
    compact: str
    breaks: frozenset[int]

    @property
    def cut(self) -> bool:
        """The title ends in an ellipsis."""

    @property
    def marks(self) -> frozenset[int]:
        """As `breaks`, for every mark: commas and full stops too."""

    @property
    def others(self) -> frozenset[str]:
        """Other titles of the work, compact."""


@lru_cache(maxsize=8)  # see evidence.py
def resemblance(a: Titled, b: Titled) -> TitleRelation:
    """The relation of two titles; quick to say "far", as of nearly all pairs."""
    if a.compact == b.compact:
        return "equal" if a.compact else "missing"
    if not a.compact or not b.compact:
        return "missing"
    relation = _relation(a, b) if len(a.compact) <= len(b.compact) else _relation(b, a)
    if (
        relation in ("far", "reworded", "within")
        and (a.others or b.others)
        and _another_equal(a, b)
    ):
        return "equal"
    return relation


def surely_far(a: str, b: str) -> bool:
    """Whether two titles are "far", whatever their marks, breaks and last letters are. `a`:
    `Titled.text` of one that has a title, and no other titles.
    """
    if fuzz.ratio(a, b, score_cutoff=FAR * 100) >= FAR * 100:
        return False
    one, other = a.replace(" ", ""), b.replace(" ", "")
    short, long = (one, other) if len(one) <= len(other) else (other, one)
    if short in long:  # as "start", "end" and "within" may have it
        return False
    words, others = a.split(" ", 2), b.split(" ", 2)
    if words[0] != others[0] and words[1:2] != others[1:2]:
        return True
    # "start": the short title is like a beginning of the long one, which may be somewhat longer or
    # shorter than the one that is looked at here.
    return fuzz.ratio(short, long[: len(short)], score_cutoff=BEGINNING) < BEGINNING


def title_score(a: Titled, b: Titled) -> float:
    """How alike the titles are, 0..1: the normalised indel similarity of their words."""
    return fuzz.ratio(a.text, b.text) / 100


def _another_equal(a: Titled, b: Titled) -> bool:
    """Whether a translated or original title of one is a title of the other."""
    return not (a.others | {a.compact}).isdisjoint(b.others | {b.compact})


def _relation(short: Titled, long: Titled) -> TitleRelation:
    if _starts(short, long):
        return "start"
    if short.compact in long.compact:
        if _between_marks(short, long):
            return "end"
        if _within(short, long):
            return "far" if _is_object(short, long) else "within"
    ratio = fuzz.ratio(short.text, long.text, score_cutoff=FAR * 100)
    if ratio < FAR * 100:
        return "far"
    left, right = unmatched(short.words, long.words)
    if _spelt_alike(left, right):
        return "near"
    return (
        "within" if len(short.compact) >= SHORTEST_WITHIN and _all_in(left, right) else "reworded"
    )


def _starts(short: Titled, long: Titled) -> bool:
    """Whether the short title is the long one up to a mark, or cut off inside."""
    if short.words[0] != long.words[0] and short.words[1:2] != long.words[1:2]:
        return False
    if len(short.compact) < SHORTEST_MAIN_TITLE:
        return False
    if short.cut and long.compact.startswith(short.compact):
        return True
    count = len(short.words)
    for end in long.breaks:
        # The same number of words but for one, because a typo or a hyphen can split a word.
        if abs(end - count) <= 1 and end < len(long.words):
            start = "".join(long.words[:end])
            if start == short.compact:
                return True
            if len(start) > 20 and fuzz.ratio(start, short.compact) >= START:
                return _spelt_alike(*unmatched(short.words, long.words[:end]))
    return False


def _between_marks(short: Titled, long: Titled) -> bool:
    """Whether the short title, whose letters stand in the long one, stands there between marks:
    without the name of a column, series or author.
    """
    if len(short.compact) < SHORTEST_TAIL:
        return False
    marks = long.marks | {0, len(long.words)}
    count = len(short.words)
    return any(
        start in marks
        and start + count in marks
        and long.words[start : start + count] == short.words
        for start in range(len(long.words) - count + 1)
    )


def _within(short: Titled, long: Titled) -> bool:
    """Whether the short title, whose letters stand in the long one, stands there as whole words in
    one piece; at the beginning also glued.
    """
    if len(short.compact) < SHORTEST_WITHIN:
        return False
    return long.compact.startswith(short.compact) or f" {short.text} " in f" {long.text} "


def _is_object(short: Titled, long: Titled) -> bool:
    """Whether the longer title is about what the shorter one names: "A system for ..."."""
    start = len(long.words) - len(short.words)
    return (
        start > 1 and long.words[start:] == short.words and long.words[start - 1] in _PREPOSITIONS
    )


def unmatched(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[list[str], list[str]]:
    """The words of each title that the other one has not, in order; of Chinese, the characters."""
    if not a[0].isascii() and normalise.has_cjk(a[0]):
        a, b = tuple("".join(a)), tuple("".join(b))
    in_a, in_b = set(a), set(b)
    return [w for w in a if w not in in_b], [w for w in b if w not in in_a]


def _spelt_alike(left: list[str], right: list[str]) -> bool:
    """Whether words of one title alone are spellings of one another: a typo changes letters."""
    if not left or not right:  # words dropped or added: "the", or nothing but their order
        more = [w for w in (left or right) if w not in SMALL_WORDS and w not in _SMALL_HAN]
        if any(map(normalise.has_cjk, more)):
            return False  # each character is a word
        return sum(map(len, more)) <= DROPPED and _PREFIXES.isdisjoint(more)
    if len(left) == len(right):
        return all(map(one_word, left, right))
    one, other = "".join(left), "".join(right)
    return one == other or (len(one) > 5 and fuzz.ratio(one, other) >= GLUED)


def _all_in(left: list[str], right: list[str]) -> bool:
    """Whether each word of the shorter title alone is misspelt or glued in the longer one."""
    if len(left) * len(right) > MOST_MISSPELT**2:
        return False
    glued = "".join(right)
    for word in left:
        if word in SMALL_WORDS or _is_among(word, right):
            continue
        if len(word) < 4 or word not in glued or any(_changed(word, other) for other in right):
            return False
    return True


def _is_among(word: str, others: list[str]) -> bool:
    """Whether a word that is no small one is `one_word` with any of the others."""
    size = len(word)
    for other in others:
        # Nearly all words differ so much in length, or in letters, that nothing else is asked.
        longer = len(other) - size
        if (
            100 * abs(longer) > (100 - SPELLING) * (2 * size + longer)
            and "f" not in other
            and "f" not in word
            and not (other.startswith(word) if longer > 0 else word.startswith(other))
        ):
            continue
        if one_word(word, other):
            return True
    return False


def _changed(word: str, other: str) -> bool:
    """Whether a word is another one with a syllable before it that changes its meaning."""
    return other != word and other.endswith(word) and other[: -len(word)] in _PREFIXES


def one_word(x: str, y: str) -> bool:
    """Whether two words are one, misspelt or inflected, and not opposites of one another."""
    if x in SMALL_WORDS and y in SMALL_WORDS:
        return True
    short, long = (x, y) if len(x) <= len(y) else (y, x)
    alike = (len(short) >= 4 and long.startswith(short)) or fuzz.ratio(x, y) >= SPELLING
    if not alike:
        return "f" in long and _LIGATURES.sub("", x) == _LIGATURES.sub("", y)
    return not _opposite(short, long) and not _changed(short, long)


def _opposite(x: str, y: str) -> bool:
    if frozenset((x, y)) in _OPPOSITES:
        return True
    same = 0
    while same < len(x) and x[-1 - same] == y[-1 - same]:
        same += 1
    # The same ending behind opposite beginnings, with or without a letter in common between them.
    return any(
        frozenset((x[: len(x) - same + more], y[: len(y) - same + more])) in _OPPOSITES
        for more in range(min(3, same + 1))
    )
