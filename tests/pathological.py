"""Text that is bad for patterns: a few characters again and again, behind a head and before an end
that spoil it.

`UNITS` are repeated; each is what some pattern looks for, begins with, or may go back over:
brackets, blanks, marks, separators of names, tags, entities, escapes, digits, beginnings of
identifiers, marks above letters in every order.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable

from tests.growth import MOST, TIMES, least, seconds

UNITS = (
    # brackets and quotes
    "(", ")", "[", "]", "{", "}", "()", "(a", "[a", "a)", "a]", "<", ">", "<<", "<a", "<a ", "<a>",
    "</a>", "<!--",
    "-->", "<![CDATA[", "<math>", '"', "'", "’", "«", "（", "【a", "<ORIGINAL>", "<<a>>", "¬",
    # blanks and what separates
    " ", "  ", "\t", "\n", "\r\n", "\u00a0", "\u200b", "\u3000", "\x00", "\u2028", " a", "a ", ",",
    ", ", ".", ". ",
    "..", ";", "; ", ":", ": ", " : ", "/", " /", " / ", "/a", " / 1", " = ", "=", "-", " - ", "--",
    "–", "—", "_",
    "*", "?", "!", "&", " & ", " and ", "and ", ", and ", "|", "·", "、", "，", "；", "…", "#", "@",
    "a@", "^", "~",
    # letters and digits
    "a", "A", "aA", "A.", "A. ", "A.-", "J. R. ", "ab. ", "x, y ", "Smith, J., ", "Smith J, ", "0",
    "1", "1 ", "1,",
    "1.", "1-", "1/", "12(3)", "v1", "vol. ", "no. 1 ", "p. ", "i", "iv ", "part 1 ", "ﬁ", "ß", "İ",
    "é", "α",
    # beginnings of identifiers
    "10.", "10.1/(", "10.1000", "10.1000/", "10.1000.1", "10.1000/a)", "10.1000/<", ".1", "arxiv",
    "arxiv:", "arxiv.",
    "cs/", "cs/010", "2104.", "2104.1", "pmc", "PMC0", "pmid:", "isbn ", "978", "978-", "1234-",
    "0000-", "http://",
    "http://a.b/", "//", "?a=b&", "a=b;", "%", "%2", "%41", "%E4", "%5C", "(OCoLC)", "orcid",
    # escapes and entities
    "&amp;", "&amp", "&lt;", "&#", "&#1", "&#1;", "&#x", "\\", "\\\\", "\\u201", "\\'", "{\\", "$",
    "$$", "\\a{",
    "\\url{", "{\\'e}", "%%",
    # other scripts, and marks that stand above and below letters
    "中", "中,", "中 ", "中a", "中；", "王伟 ", "等", "著", "（中）", "第", "第一", "一", "十", "○",
    "한",
    "\u1100", "\u1161",
    "\u1100\u1161", "ガ", "\uff76\uff9e", "\uff9e\u0300", "\u0301", "\u0301\u0316", "\u0316\u0301",
    "\u0345\u0334",
    "\u05b0\u0591", "\u0f71\u0f72", "a\u0301", "\u3099\u0301", "\U0001d165\u0301", "\ud800",
    "\U0001f600", "\ufeff",
    # words that are looked for
    "by ", "et al ", "jr ", "ed. ", "author, ", "abstract ", "review ", "reply ", "vol 1, ", "jan ",
    "2001 ", "2001-",
    "[i.e. ", "RETRACTED: ", "Conference: ", "Size: ", "pages ", "page 1 ", "the ", "of ", "van ",
    "LA: en ",
    "[review]",
)  # fmt: skip
#: What stands before, so that a pattern begins to match, ...
HEADS = ("", "a", "10.1000/", "http://a.org/", "(", "中")
#: ... and behind, so that it fails at the end.
TAILS = ("", "x", "!")

#: Characters. A pattern that goes back over four times as many takes 20 ms and more.
SHORT = 750
#: Seconds below which nothing is measured: a busy machine would fail it.
FLOOR = 0.004


def text(unit: str, size: int, head: str = "", tail: str = "") -> str:
    """A text of that many characters."""
    return head + (unit * (size // len(unit) + 1))[: size - len(head) - len(tail)] + tail


#: What no unit makes by itself: a beginning, what is repeated, an end.
TOGETHER = (
    ("10.1000/", ")", ""), ("10.1000/", "]", ""), ("", "10.1000", ""), ("10.1000", ".1", ""), ("",
    "arxiv", ""),
    ("", "a", ""), ("a", " ", "x"), ("a", "\n", "x"), ("a", "\r\n", "x"), ("x", "(a", ""),
    ("a, b (", ",", "x"),
    ("(", ". ", "x"), ("(", "1", ""), ("(OCoLC)", " ", "x"), ("(OCoLC)", "0", "x"), ("PMC", "0",
    "x"),
    ("a", "\uff9e\u0300", ""), ("a", "\u0301\u0316", ""), ("Title ", "/", "a/"), ("Title ", " /",
    "x"),
    ("a ", ":", "x:"), ("vol. ", " ", "x"), ("p. ", "1-", "x"), ("[", ";", ""), ("Size: ", "1",
    "x"), ("中", "1", "x"),
    ("中", "☆", "x"), ("第", "一", "x"), ("http://a.org/", "?", " "), ("<a ", " ", ""), ("&#", "1",
    ""),
    ("Smith, ", "J", ""), ("Smith, ", "J", "!"), ("", "ab, ", "x"), ("", "Jr, ", "x"),
    ("a (", "x ", ""), ("et al", ".", "x"),
)  # fmt: skip


def samples() -> list[Callable[[int], str]]:
    """Makers of texts: each unit once, with heads and ends by turns, and what is known to be bad
    for some pattern."""
    turns = [
        functools.partial(
            text, unit, head=HEADS[number % len(HEADS)], tail=TAILS[number % len(TAILS)]
        )
        for number, unit in enumerate(UNITS)
    ]
    return [
        *turns,
        *(functools.partial(text, unit, head=head, tail=tail) for head, unit, tail in TOGETHER),
    ]


def too_slow(
    call: Callable[[str], object],
    make: Callable[[int], str],
    short: int = SHORT,
    *,
    floor: float = FLOOR,
) -> str:
    """Why a function is not linear in such texts: how long it took; "" where it is.

    Half of a length is compared with four times that length (tests/growth.py). Work that is quick
    at the latter is not measured again, so that thousands of calls are made in seconds; and what
    seems slow is so only if it is at twice the size as well.
    """
    long = make(TIMES * short)
    if seconds(lambda: call(long)) < floor:
        return ""
    if min(seconds(_afresh(call, long)) for _ in range(2)) < floor:
        return ""
    return _steep(call, make, short) and _steep(call, make, 2 * short)


def _steep(call: Callable[[str], object], make: Callable[[int], str], short: int) -> str:
    sizes = short // 2, TIMES * short
    shorter, longer = least(*(_afresh(call, make(size)) for size in sizes))
    if longer <= MOST * shorter:
        return ""
    return f"{sizes[0]:,} characters: {1000 * shorter:.1f} ms, {sizes[1]:,}: {1000 * longer:.1f} ms"


def _afresh(call: Callable[[str], object], given: str) -> Callable[[], object]:
    def run() -> object:
        _forget()
        return call(given)

    return run


def _forget() -> None:
    """Empty the caches of functions, so that a call computes again."""
    for cache in _caches():
        cache.cache_clear()


@functools.cache
def _caches() -> list[functools._lru_cache_wrapper[object]]:
    """Those of the package that hold values; tables that are read once are left."""
    gc.unfreeze()  # what is frozen (tests/conftest.py) is not listed
    caches = [
        it
        for it in gc.get_objects()
        if isinstance(it, functools._lru_cache_wrapper)
        and it.__module__.startswith("metasearch.")
        and (it.cache_parameters()["maxsize"] or 0) >= 256
    ]
    gc.freeze()
    return caches
