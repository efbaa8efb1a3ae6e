"""What a title says: its words, its subtitle, which part of a series it is, and its subject."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, Protocol

from rapidfuzz import fuzz

from metasearch.bib import normalise, numbering
from metasearch.late_pattern import late_pattern

# What databases hang onto titles: "[Review]", "(Provisional abstract)", "(vol 85, pg 553, 2010)".
# None of it is part of the title, and most of it differs from one database to the next; but some of
# it tells what the record is (an erratum, a conference abstract, a protocol).

#: What an affix tells about the record.
Mark = Literal["", "erratum", "abstract", "protocol"]

_LANGUAGES = (
    "afrikaans|arabic|bulgarian|catalan|chinese|croatian|czech|danish|dutch|english|estonian|finnish|flemish|french|"
    "german|greek|hebrew|hungarian|icelandic|italian|japanese|korean|latvian|lithuanian|macedonian|multilingual|"
    "norwegian|persian|polish|portuguese|romanian|russian|serbian|slovak|slovene|slovenian|spanish|swedish|thai|"
    "turkish|ukrainian|vietnamese"
)
# What stands between the last brackets of a title, lower case.
_SAYS_NOTHING = late_pattern(
    rf"""\d+\srefs?\.?$ | (?:in\s)?(?:{_LANGUAGES})(?:[,;/ ]+(?:{_LANGUAGES}))*$
    | (?:a\s)?(?:systematic\s)?reviews?$ | provisional\sabstract$ | see\scomments?$ | comments?$
    | letters?$
    | editorial$ | corrected(?:\sand\srepublished.*)?$ | in\sprocess\scitation$
    | author'?s?'?\stransl(?:ation)?\.?$
    | proceedings$ | electronic\sresource$ | texte\simprimé$ | elektronische\sressource$
    | sound\srecording$ | book$
    | text$ | print$ | (?:extended|panel|demo|poster|tutorial)\sabstract$ | tutorial$ | panel$
    | keynote$ | poster$
    | (?:experience|invited|short|demo|industrial|position|review)\s(?:paper|talk|article)$
    | demo(?:nstration)?$
    | (?:published\s)?errat(?:um|a)\s(?:appears|in)\b | corrections?\s(?:appears|in)\b
    | retracted(?:\sarticle)?$ | retracti?(?:on|ed)\s(?:in|by)\b | comments?\s(?:in|on)\b
    | summary\s(?:for|in)\b
    | (?:reprinted|republished|original\sreport)\s(?:in|from)\b | update\s(?:in|of)\b""",
    re.VERBOSE,
)
_MARKS: tuple[tuple[Mark, re.Pattern[str]], ...] = (
    (
        "abstract",
        late_pattern(
            r"(?:(?:conference|meeting|congress) )?abstracts?$|abstract (?:no|number|p|#)\b"
        ),
    ),
    ("protocol", late_pattern(r"(?:study |review )?protocol$")),
    # Web of Science: "(vol 85, pg 553, 2010)"; Embase: "(Journal (2009) 360 (542-544))".
    (
        "erratum",
        late_pattern(r"vol\.? \w+,? (?:pg|pp?|page|art|no|e)\b|[^()]*\((?:19|20)\d\d\)[ ,:]+\w"),
    ),
)
# Publishers put it before the article itself; a notice is called "Retraction".
_RETRACTED = late_pattern(
    r"^\W*(?:retracted|withdrawn)(?: article| paper)?\W*[:.\]-]\W*", re.IGNORECASE
)
_LANGUAGE_LABEL = late_pattern(r"\s+LA:\s?\w{2,12}\.?$")
_OPENING = {")": "(", "]": "["}
#: Brackets that are taken off at most.
_MOST = 6


def without_affixes(title: str) -> tuple[str, Mark]:
    """The title proper, and what the affixes tell.

    A title that is nothing but an affix is left as it is.
    """
    if (
        title[-1:].isalnum()
        and "[" not in title
        and "LA:" not in title
        and title[:1] not in "RrWw("
    ):
        return title, ""
    mark: Mark = ""
    cut = title.rfind("[")
    if cut > 2 and "]" not in title[cut:] and _SAYS_NOTHING.match(title[cut + 1 :].strip().lower()):
        title = title[:cut].rstrip()  # cut off inside
    if title[:12].lstrip("[( ").lower().startswith(("retracted", "withdrawn")):
        title = _RETRACTED.sub("", title) or title
    if "LA:" in title:
        title = _LANGUAGE_LABEL.sub("", title)
    for _ in range(_MOST):
        bare = title.rstrip(" .")
        opening = _OPENING.get(bare[-1:])
        if opening is None:
            break
        start = _start_of_group(bare, opening, bare[-1])
        rest = bare[:start].rstrip()
        if start < 0 or not rest or len(rest) < 3:
            break
        said = bare[start + 1 : -1].strip().lower()
        if not _SAYS_NOTHING.match(said):
            told = [name for name, pattern in _MARKS if pattern.match(said)]
            if not told:
                break
            mark = mark or told[0]
        title = rest
    return title, mark


def _start_of_group(text: str, opening: str, closing: str) -> int:
    """Where the bracket opens that the last character closes; -1 where none does."""
    depth = 0
    for at in range(len(text) - 1, -1, -1):
        if text[at] == closing:
            depth += 1
        elif text[at] == opening:
            depth -= 1
            if not depth:
                return at
    return -1


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
    found.update(str(numbering.roman(word)) for word in _ROMAN_NUMBERS.intersection(words))
    return frozenset(found)


def numeral(word: str) -> str:
    """The number that a folded word is, in digits, also of Roman ones of several letters; or ""."""
    if word.isdecimal():
        return word.lstrip("0") or "0"
    return str(numbering.roman(word)) if word in _ROMAN_NUMBERS else ""


def _number(value: str) -> str:
    value = normalise.fold(value)
    if value in _WORD_NUMBERS:
        return str(_WORD_NUMBERS[value])
    if value and all(c in "ivxl" for c in value):
        return str(numbering.roman(value))
    return value.lstrip("0") or value


# How two titles relate, from "equal" to "far", with a word for each kind of difference.

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
