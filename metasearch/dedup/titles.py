"""What a title says: its words, its subtitle, which part of a series it is, and its subject."""

from __future__ import annotations

import re
from functools import lru_cache

from metasearch.bib import normalise, number_keys
from metasearch.late_pattern import late_pattern

#: Words that stand where a title should be, or on thousands of works: such a title identifies
#: nothing.
GENERIC_TITLES = frozenset(
    """
    abstract abstracts announcement announcements appendix author index authorindex background
    backmatter bibliography bookreview bookreviews booksreceived callforpapers comment commentary
    comments conclusion conclusions contents contributors correction correspondence corrigendum
    cover discussion editorial editorialboard editorialcomment editorialcomments editorialnote
    editorialnotes editorscomments editorsnote editorsintroduction erratum errata foreword
    frontmatter fromtheeditor fromtheeditors guesteditorial inbrief index inmemoriam inthisissue
    introduction issueinformation letter letters lettertotheeditor letterstotheeditor
    listofcontributors masthead mastheads miscellany news newsandnotes note notes notice obituary
    openingremarks preface preliminary presidentsmessage proceedings prologue references reply
    response review reviews summary tableofcontents titlepage untitled welcome works 前言 序言 序
    目录 编者按 编后记 卷首语 后记 征稿启事 会议通知 书评 简讯 总目次 投稿须知 勘误
""".split()
)

# The names of columns and front matter consist of these words, and one of the first is among them.
_COLUMNS = frozenset(
    """
    announcement announcements author authors board calendar column comment commentary comments
    contents contributors correction corrections correspondence editor editorial editorials editors
    errata erratum foreword index introduction letter letters masthead message news note notes
    notice obituaries obituary preface president remarks reply response review reviewers reviews
    viewpoint welcome
""".split()
)
_COLUMN_WORDS = _COLUMNS | frozenset(
    """
    a about abstracts an and annual answer article articles associate at back book books brief by
    call chair chairs chief coming content cover current department desk director entry events
    features files for from front guest highlights i ii iii in inaugural information inside invited
    issue issues list looking matter meeting meetings miscellaneous newsletter next notices number
    of on online open opening our page papers past present presidents previous publisher publishers
    readers received report reports research reviewer s senior short special statement statements
    subject supplement table thank thanks the this to us view views volume we with word words work
    year years
""".split()
)

# Marks that end a part of a title wherever they stand, and those that need a blank beside them
# ("well-known", "U.S."); Embase's <ORIGINAL> stands before the title in the language of the work.
# The pattern begins with the set of their characters: all others are passed over quickly then.
_ANYWHERE = r":：;；()（）\[\]【】\u2014\u2500\u2501。？！"
_BEFORE_BLANK, _BETWEEN_BLANKS = ".?!", r"\-\u2010-\u2013\u2015/="
_BREAK = re.compile(
    rf"[{_ANYWHERE}{_BEFORE_BLANK}{_BETWEEN_BLANKS}<]"
    rf"(?:(?<=[{_ANYWHERE}])|(?<=[{_BEFORE_BLANK}]) |(?<= [{_BETWEEN_BLANKS}]) "
    r"|(?<=-)-|(?<=<)ORIGINAL>)"
)
_NUMBER = (
    r"(?:[ivxl]{1,6}|\d{1,3}[a-z]?"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|first|second|third)"
)
_PART = re.compile(
    rf"\b(?:part|parts|pt|teil|tome|vol|volume|band|bd|parte|partie|chapter|phase|study|experiment|lecture|paper|series|"
    rf"no|number)s?\s+({_NUMBER})\b"
)
_PART_WORDS = frozenset(
    "part parts pt pts teil tome vol volume volumes band bd parte partie chapter chapters phase "
    "study studys "
    "experiment lecture paper series no number numbers phases experiments lectures papers".split()
)
# Of more than one letter, up to 39: beyond that they are words and measures ("li", "xl", "mm").
_ROMAN_NUMBERS = frozenset(
    (tens + ones)
    for tens in ("", "x", "xx", "xxx")
    for ones in ("", *"i ii iii iv v vi vii viii ix".split())
) - {"", "i", "v", "x"}
_ROMANS = _ROMAN_NUMBERS | {"i", "v", "x"}
_WORD_NUMBERS = dict(
    zip("one two three four five six seven eight nine ten".split(), range(1, 11), strict=True)
)
_WORD_NUMBERS |= {"first": 1, "second": 2, "third": 3}

_NOTICES = (
    (
        "erratum",
        re.compile(
            r"^(?:errat(?:um|a)|corrigend(?:um|a)|(?:author |publisher )?corrections?)(?: "
            r"(?:to|for|in)\b|$)"
        ),
    ),
    (
        "retraction",
        re.compile(
            r"^(?:retraction|withdrawal|expression of concern|notice of retraction)\b",
        ),
    ),
    (
        "reply",
        re.compile(
            r"^(?:authors? |the authors? |in )?(?:reply|response|rejoinder|rebuttal)(?: to\b| "
            r"from\b|$)|^re$",
        ),
    ),
    (
        "comment",
        re.compile(
            r"^(?:(?:a |invited )?comments?(?:ary)? on\b|discussion (?:of|on)\b|letter (?:to|re)\b)"
        ),
    ),
    ("addendum", re.compile(r"^(?:addend(?:um|a)|supplement) to\b")),
    ("review", re.compile(r"^(?:book |a )?review of\b|^book review")),
)
# "Erratum- ..." and "Corrigendum –...": a dash with a blank on one side; without one
# ("Response-surface methods") only behind words that are nothing but a notice.
_DASHES = r"[\u2010-\u2015\u2212\ufe58\ufe63\uff0d-]"
_DASHED = re.compile(
    rf"\W*(?:(?:errat(?:um|a)|corrigend(?:um|a)|addend(?:um|a))\s?{_DASHES}|"
    rf"[^\W\d_]{{3,}}(?:{_DASHES}\s|\s{_DASHES}))",
    re.IGNORECASE,
)
_LAST_WORDS = frozenset(("reply", "response", "rejoinder"))
_REPLY_AT_END = re.compile(r"\b(?:the )?authors? (?:reply|response)$|\b(?:reply|rejoinder)$")
_NOTICE_WORDS = frozenset(
    "erratum errata corrigendum corrigenda correction corrections author publisher authors the in "
    "reply response "
    "rejoinder rebuttal re retraction withdrawal expression notice comment comments commentary a "
    "invited discussion letter addendum addenda supplement review book".split()
)


def is_generic(
    words: tuple[str, ...], compact: str, venue: tuple[str, ...], first: frozenset[str]
) -> bool:
    """Whether a title identifies nothing.

    It is empty or in the list, or consists of nothing but the words for a column and the names of
    the journal and its editor: "Remarks from the Editor of MIS Quarterly", "Weber / Editor's
    Comments", "Book review column".
    """
    if len(compact) < 2 or compact in GENERIC_TITLES:
        return True
    if len(words) > 12 or _COLUMNS.isdisjoint(words):
        return False
    return all(word in _COLUMN_WORDS or word in venue or word in first for word in words)


def title_words(title: str, subtitle: str | None) -> tuple[tuple[str, ...], frozenset[int]]:
    """Folded words of title and subtitle; numbers of those after which a mark ends a part."""
    breaks: list[int] = []
    words: list[str] = []
    for part in _BREAK.split(title):
        found = normalise.words(part)
        if found:
            words += found
            breaks.append(len(words))
    if subtitle:
        found = normalise.words(subtitle)
        # Some sources repeat the subtitle inside the title.
        if found and words[-len(found) :] != found:
            words += found
            breaks.append(len(words))
    return tuple(words), _places(tuple(breaks))


@lru_cache(maxsize=2_000)
def _places(breaks: tuple[int, ...]) -> frozenset[int]:
    """Many titles have their marks in the same places; each set is kept once."""
    return frozenset(breaks)


_ANY_MARK = late_pattern(r"[^\w\s'’-]|\s-|-\s|--")


def marks(title: str) -> frozenset[int]:
    """The numbers of words after which any mark stands, commas and full stops too."""
    found, count = set(), 0
    for part in _ANY_MARK.split(title):
        count += len(normalise.words(part))
        found.add(count)
    return frozenset(found)


def notice(text: str, words: tuple[str, ...], breaks: frozenset[int], title: str = "") -> str:
    """What kind of notice about another work the title announces: "Erratum: ...", "... Authors'
    reply".

    `breaks`: where a mark ends a part of it. `title`: as it stands, for the dashes that are no such
    mark: "Erratum- ...".
    """
    if words and words[-1] in _LAST_WORDS and len(words) > 2 and _REPLY_AT_END.search(text):
        return "reply"
    if words and words[0] in _NOTICE_WORDS:
        dashed = _DASHED.match(title)
        head = words[0] if dashed else " ".join(words[: min(breaks)]) if breaks else text
        for name, pattern in _NOTICES:
            if pattern.search(text) or pattern.search(head):
                return name
    return "protocol" if "protocol" in words else ""  # the plan of a study, published before it


#: Kept once: each empty set takes 216 bytes.
_NO_NUMBERS: frozenset[str] = frozenset()


def parts(text: str, words: tuple[str, ...]) -> frozenset[str]:
    """The numbers of the parts that the title names, as digits: "Part II" -> "2"."""
    found: set[str] = set()
    if not _PART_WORDS.isdisjoint(words):
        found.update(_PART.findall(text))
    if len(words) > 1 and words[-1] in _ROMANS:
        found.add(words[-1])
    return frozenset(map(_number, found)) if found else _NO_NUMBERS


_DIGITS = re.compile(r"\d+")
# "10 000", as the words of "10,000" are read.
_THOUSANDS = re.compile(r"\b\d{1,3}(?: \d{3})+(?!\d)")
# "II" as a machine reads it: "I1", "1l".
_MISREAD = re.compile(r"\b(?:[il]+1|1+[il])[il1]*\b")


def numbers(text: str, words: tuple[str, ...]) -> frozenset[str]:
    """All numbers in a title, also in words ("CO2") and Roman ones of several letters."""
    text = _MISREAD.sub(" ", text) if "1" in text else text
    digits = _DIGITS.findall(text)
    if len(digits) > 1 and any(len(number) == 3 for number in digits[1:]):
        digits = _DIGITS.findall(_THOUSANDS.sub(lambda found: found.group().replace(" ", ""), text))
    if not digits and _ROMAN_NUMBERS.isdisjoint(words):
        return _NO_NUMBERS
    found = {number.lstrip("0") or "0" for number in digits}
    found.update(str(number_keys.roman(word)) for word in _ROMAN_NUMBERS.intersection(words))
    return frozenset(found)


def numeral(word: str) -> str:
    """The number that a folded word is, in digits, also of Roman ones of several letters; or ""."""
    if word.isdecimal():
        return word.lstrip("0") or "0"
    return str(number_keys.roman(word)) if word in _ROMAN_NUMBERS else ""


def _number(value: str) -> str:
    value = normalise.fold(value)
    if value in _WORD_NUMBERS:
        return str(_WORD_NUMBERS[value])
    if value and all(c in "ivxl" for c in value):
        return str(number_keys.roman(value))
    return value.lstrip("0") or value
