"""What a title says: its words, its subtitle, which part of a series it is, and its subject."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from metasearch.bib import normalise, numbering, texts
from metasearch.bib.field_limits import LIMITS
from metasearch.dedup.words import (
    ROMAN_NUMBERS,
)
from metasearch.late_pattern import late_pattern
from metasearch.record import Author, Record

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
    | (?:guest\s)?editorial$ | special\sissue(?:\b.*)?$ | (?:book\s)?series(?:\s\#?\s?\d+)?$
    | signed(?:\s(?:book|copy|edition|by\s.*))?$ | reprint(?:ed)?(?:\sedition)?$
    | (?:hard|soft|paper)(?:cover|back)$ | large\sprint$ | first\sprinting$
    | corrected(?:\sand\srepublished.*)?$ | in\sprocess\scitation$
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
# What sellers and catalogues put behind a title without brackets.
_LAST_OF_ENDS = tuple(
    form(word) for word in ("edition", "book", "copy") for form in (str, str.capitalize, str.upper)
)
_END = late_pattern(
    r"\s*(?:[.,:;\u2013\u2014-]\s*)(?:reprint edition|signed (?:book|copy|edition)|"
    r"(?:book )?series\s?#\s?\d+)\.?$",
    re.IGNORECASE,
)
_OPENING = {")": "(", "]": "["}
#: Brackets that are taken off at most.
_MOST = 6


def without_affixes(title: str) -> tuple[str, Mark]:
    """The title proper, and what the affixes tell.

    A title that is nothing but an affix is left as it is.
    """
    if "#" in title or title.endswith(_LAST_OF_ENDS):
        title = _END.sub("", title) or title
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
    notitle ohnetitel openingremarks preface preliminary presidentsmessage proceedings prologue
    references reply neant sanstitre sintitulo senzatitolo semtitulo titreinconnu titleunknown
    unknowntitle sn response review reviews summary tableofcontents titlepage untitled welcome
    works 前言 序言 序 目录 编者按 编后记 卷首语 后记 征稿启事 会议通知 书评 简讯 总目次 投稿须知
    勘误 无题 无标题
""".split()
) | {normalise.compact(title) for title in texts.words_for_nothing("title")}

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
_ROMANS = ROMAN_NUMBERS | {"i", "v", "x"}
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


#: How the titles of columns begin, of which a journal has one in each issue.
_COLUMN_LABELS = frozenset(
    tuple(label.split())
    for label in """
    editorial/guest editorial/editors comments/editors comment/editors note/editors notes/
    editors introduction/editors page/editors corner/from the editor/from the editors/
    note from the editor/letter from the editor/remarks from the editor/special issue/
    introduction to the special issue/reminiscence/reminiscences/presidents message/
    message from the president/presidents page/in this issue
""".replace("\n", "").split("/")
)
_LONGEST_LABEL = max(map(len, _COLUMN_LABELS))
_EDITORS = frozenset("editor editors editorial editorials".split())
#: What stands in the issues beside the words of an editor.
_NO_EDITORIAL = frozenset("board boards index list associate reviewer reviewers errata".split())


def is_column(words: tuple[str, ...]) -> bool:
    """Whether a title begins as that of a column does, one of which stands in each issue."""
    return any(words[:end] in _COLUMN_LABELS for end in range(1, _LONGEST_LABEL + 1))


def is_editorial(words: tuple[str, ...]) -> bool:
    """Whether a title that says nothing is that of what an editor writes in an issue."""
    return not _EDITORS.isdisjoint(words) and _NO_EDITORIAL.isdisjoint(words)


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


PREPOSITIONS = frozenset(
    "of for to into on in with toward towards about against under beyond from by and".split()
)


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
    if not digits and ROMAN_NUMBERS.isdisjoint(words):
        return _NO_NUMBERS
    found = {number.lstrip("0") or "0" for number in digits}
    found.update(str(numbering.roman(word)) for word in ROMAN_NUMBERS.intersection(words))
    return frozenset(found)


def _number(value: str) -> str:
    value = normalise.fold(value)
    if value in _WORD_NUMBERS:
        return str(_WORD_NUMBERS[value])
    if value and all(c in "ivxl" for c in value):
        return str(numbering.roman(value))
    return value.lstrip("0") or value


# Titles in Chinese, Japanese or Korean, whose tables are imported when the first one comes.


def _words_of_characters(
    title: str, subtitle: str | None
) -> tuple[tuple[str, ...], frozenset[int], tuple[str, ...]]:
    """(as `title_words`, in simplified characters and without column heads; the title in another
    language).
    """
    from metasearch.bib.chinese_titles import (
        split_titles,
        with_breaks,
        with_digits,
        without_sections,
    )

    first, *others = split_titles(without_sections(title))
    words: list[str] = []
    breaks: list[int] = []
    for part in [
        *with_breaks(with_digits(normalise.simplify(first))).split("\n"),
        with_digits(normalise.simplify(subtitle or "")),
    ]:
        found = normalise.words(part)
        # Some sources repeat the subtitle inside the title.
        if found and words[-len(found) :] != found:
            words += found
            breaks.append(len(words))
    return tuple(words), frozenset(breaks), tuple(normalise.simplify(other) for other in others)


def notice_in_characters(title: str) -> str:
    """As `notice`."""
    from metasearch.bib import chinese_titles

    return chinese_titles.notice(title)


def numbers_in_characters(title: str) -> frozenset[str]:
    """As `numbers`, those of parts apart."""
    from metasearch.bib import chinese_titles

    return chinese_titles.numbers(title) - chinese_titles.part_number(title)


# All that is read of a title at once.

#: Characters of a title, or of its subtitle, that are compared, in time that grows with their
#: square. Records of databases and files have no longer ones; of what else makes records, the
#: beginnings are compared.
LONGEST_TITLE = LIMITS["title"].text
#: Shorter translated titles are not compared; in characters.
SHORTEST_OTHER, SHORTEST_OTHER_HAN = 8, 4
#: Authors who are looked for at the end of a title.
MOST_NAMED = 5
#: Words of titles that are kept once.
MOST_WORDS = 20_000
_NOBODY: frozenset[str] = frozenset()


class Title(NamedTuple):
    """What a title says; see `Fingerprint`. `mark`: what stood before or behind it."""

    words: tuple[str, ...]
    text: str
    compact: str
    others: frozenset[str]
    cjk: bool
    breaks: frozenset[int]
    parts: frozenset[str]
    generic: bool
    mark: Mark


def read_title(
    record: Record, families: tuple[frozenset[str], ...], venue: tuple[str, ...]
) -> Title:
    """What the title of a record says. `families`, `venue`: as in `Fingerprint`."""
    title, mark = without_affixes(record.title[:LONGEST_TITLE])
    subtitle = record.subtitle[:LONGEST_TITLE] if record.subtitle else None
    others = record.titles
    cjk = not title.isascii() and normalise.has_cjk(title)
    if cjk:
        words, breaks, translated = _words_of_characters(title, subtitle)
        others = (*others, *translated)
    else:
        words, breaks = title_words(title, subtitle)
        if " = " in title:
            others = (*others, *title.split(" = "))
    if "by" in words or (
        families and words and (words[-1] in families[0] or words[-1] in families[-1])
    ):
        end = _start_of_responsibility(words, record.authors)
        if end < len(words):
            words, breaks = words[:end], frozenset({at for at in breaks if at < end} | {end})
    words = tuple(map(_interned, words))
    text, compact = " ".join(words), "".join(words)
    generic = is_generic(words, compact, venue, families[0] if families else _NOBODY)
    if cjk:
        from metasearch.bib import chinese_titles

        numbers_of_parts = chinese_titles.part_number(f"{record.title} {record.subtitle or ''}")
        generic = generic or chinese_titles.is_generic(title)
    else:
        numbers_of_parts = parts(text, words)
    return Title(
        words,
        text,
        compact,
        _other_titles(others, compact) if others else _NOBODY,
        cjk,
        breaks,
        numbers_of_parts,
        generic,
        mark,
    )


def _start_of_responsibility(words: tuple[str, ...], authors: tuple[Author, ...]) -> int:
    """Where the names of the authors begin at the end of a title: "by Joyce Kilmer", and "JOHN DOE
    AND MARY ROE" where one of them is there with given and family name; else behind its last word.
    """
    whole = [normalise.words(author.name) for author in authors[:MOST_NAMED]]
    names = {word for name in whole for word in name}
    start = len(words)
    while start and (words[start - 1] in names or words[start - 1] in ("and", "by")):
        start -= 1
    end = {*words[start:]}
    if not start or end.isdisjoint(names):
        return len(words)
    if "by" not in end and (
        words[start - 1] in PREPOSITIONS
        or not any(len(name) > 1 and end.issuperset(name) for name in whole)
    ):
        return len(words)
    return start


class _Vocabulary(dict[str, str]):
    """Words that occur in many titles, each kept once."""

    def __missing__(self, word: str) -> str:
        if len(self) > MOST_WORDS:
            self.clear()
        self[word] = word
        return word


_interned = _Vocabulary().__getitem__


def _other_titles(titles: tuple[str, ...], compact: str) -> frozenset[str]:
    """Translated and original titles, and both halves of a parallel title ("Titel = Title")."""
    found = set()
    for title in (title[:LONGEST_TITLE] for title in titles[: LIMITS["titles"].items]):
        letters = normalise.compact(without_affixes(normalise.simplify(title))[0])
        if len(letters) >= (SHORTEST_OTHER_HAN if normalise.has_cjk(letters) else SHORTEST_OTHER):
            found.add(letters)
    return frozenset(found - {compact})
