"""Names of people and of bodies, as databases, catalogues and files write them: one name, and
several in one string.

Their words stand in `name_words.py`, the converters of `authors` and `editors` in `authors.py`.
Chinese names have a file of their own, `chinese_names.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from typing import Concatenate, NamedTuple, ParamSpec, TypeVar

from metasearch.bib import identifiers, name_words
from metasearch.bib.name_words import (
    BETWEEN_BODIES,
    BODIES,
    BODIES_IN_BYLINES,
    BODIES_OR_NAMES,
    COUNTED_OTHERS,
    FIRMS,
    HAN_ET_AL,
    NOBILITY,
    OTHERS,
    OTHERS_SHORT,
    PARTICLES,
)
from metasearch.bib.texts import plain_text as plain
from metasearch.bib.texts import says_nothing, starts_of_nobody
from metasearch.late_pattern import late_pattern
from metasearch.record import Author, new_author

# What stands beside a name in one field: "Jr.", degrees, years of life, what the person did for the
# work, titles of nobility. Of these only "Jr." and the like are a part of the name.

#: A longer text between commas is nothing that stands beside a name.
LONGEST_BESIDE = 80


def suffix_of(word: str) -> str:
    """ "Jr." for "jr", "III" for "3rd": one form of each, whatever a source writes; "" for no
    suffix.
    """
    return name_words.SUFFIXES.get(word.rstrip(".").casefold(), "")


class NameAndSuffix(NamedTuple):
    """A name without the suffix behind it, and that, or ""."""

    name: str
    suffix: str


def without_suffix(name: str, least: int = 1) -> NameAndSuffix:
    """A part of a name without the suffix at its end: "Cobb Jr." -> ("Cobb", "Jr.").

    `least`: so many words stand before "II" and "JR", which behind fewer words may be initials
    ("Smith II").
    """
    rest, _, last = name.rpartition(" ")
    if not rest or len(last) > _LONGEST_SUFFIX or not (found := suffix_of(last)):
        return NameAndSuffix(name, "")
    rest = rest.rstrip(" ,")
    # "II", and "JR", which may be initials; "Ii" is a name.
    is_short = last.isalpha() and (last.isupper() or found not in _WORDS)
    if not rest or (is_short and (not last.isupper() or rest.count(" ") + 1 < least)):
        return NameAndSuffix(name, "")
    return NameAndSuffix(rest, found)


_LONGEST_SUFFIX = max(map(len, name_words.SUFFIXES)) + 1
#: Suffixes that are no numerals.
_WORDS = frozenset({"Jr.", "Sr."})


#: Titles that no given name is.
SURE_TITLES = frozenset("saint pope pape papst emperor empress".split())
#: What makes the part behind a comma more than a given name: marks, digits, small letters at its
#: beginning, "of" and the like in a title.
_MORE = re.compile(rf"[,\d()\[\]]|(?:{'|'.join(sorted(name_words.OF_TITLES))})\b")


def is_given_name(part: str) -> bool:
    """Whether what stands behind the only comma of a name is surely a given name, as nearly always;
    `part` has no blanks at its ends.
    """
    if _MORE.search(part) or not part[:1].isupper():
        return False
    if " " not in part:
        word = part.replace(".", "").casefold()
        return not (
            word in name_words.SUFFIXES or word in SURE_TITLES or word in name_words.DEGREES
        )
    return suffix_of(part.rpartition(" ")[2]) == "" and not is_degree(part)


class NameParts(NamedTuple):
    """What stands between the commas of a field that holds one name.

    Attributes:
        name: The parts of the name, without what stands beside it.
        suffix: "Jr.", or "".
        beside: The parts that are no name: years, titles, relators, degrees.
    """

    name: list[str]
    suffix: str
    beside: list[str]


def parts_of(value: str) -> NameParts:
    """Divide a name at its commas, and tell the name from what stands beside it."""
    head, *others = [part for text in value.split(",") if (part := text.strip())] or [""]
    name, beside, behind = [head], [], ""
    small = head[:1].islower()
    for part in others:
        if found := suffix_of(part):
            behind = behind or found
        elif is_beside(part, first=len(name) == 1, head=head, small=small):
            beside.append(part)
        elif len(name) > 1 and name_words.PARTICLES.issuperset(part.split()):
            name[-1] += f" {part}"  # "Berg, Ludwig, van der"
        else:
            if len(name) > 1 and beside and not are_dates(beside[-1]):
                name.append(beside.pop())  # "Smith, Ann, King, Lia": a name stands behind no title
            name.append(part)
    bare = without_dates(name[-1]) if len(name) > 1 else without_span(name[0])
    if bare != name[-1]:
        beside.append(name[-1][len(bare) :].strip())
        name[-1] = bare
    return NameParts(name, behind, beside)


def is_beside(part: str, *, first: bool, head: str, small: bool) -> bool:
    """Whether a part behind a comma is no name. `first`: whether no given name stands before it.
    `small`: whether the whole name is in small letters.
    """
    if len(part) > LONGEST_BESIDE:
        return False
    if are_dates(part):
        return True
    if is_degree(part) and (not first or (" " in head and "." not in head)):
        return True
    if first and (small or not part[0].islower()):  # "Hooker, Earl", "Smith, Ed"
        return is_title(part, whole=True) or part in name_words.JAPANESE
    if is_relator(part) or is_title(part, whole=False):
        return True
    # "Falk, Greta, dir.", "Falk, Greta, 1950- author", "Falk, Greta, (Chemist)": no name begins so,
    # but with a particle.
    begins_as_none = part[0].isdecimal() or part[0] in "([" or (part[0].islower() and not small)
    word = part.partition(" ")[0]
    return not first and begins_as_none and word not in _NO_BEGINNING


#: With these a part of a name may begin, and a further name: "on behalf of the Kites Group".
_NO_BEGINNING = name_words.PARTICLES | {"and", "und", "&", "on", "for"}


#: The number of one who reigns, with a stop as in German: "XIV."; without it, "Smith III" may be a
#: family name.
_NUMBER_OF_RULER = late_pattern(r"[IVX]{1,6}\.")


def ruler(first: str, others: Sequence[str]) -> str:
    """The name of one who reigns, which is what stands before the first comma: "Elisabeth II" of
    "Elisabeth II., Großbritannien, Königin"; "" of all others. `others`: the parts behind.

    What tells them is a title behind a number, or a rank that stands behind its country.
    """
    is_numbered = _NUMBER_OF_RULER.fullmatch(first.rpartition(" ")[2]) is not None
    for part in others:
        if part.casefold() in name_words.RULERS or (is_numbered and is_title(part, whole=False)):
            return first.rstrip(".") if is_numbered else first
    return ""


def byname(additions: str) -> str:
    """What tells a person who is entered under the forename from namesakes, of what stands behind
    that: "von Aquin" of "von Aquin, Heiliger"; "" where there are ranks, years or a country only.
    """
    parts = [part.strip() for part in additions[: 2 * LONGEST_BESIDE].split(",")]
    if any(part.casefold() in name_words.RULERS for part in parts):
        return ""
    return next(
        (
            part.rstrip(". ")
            for part in parts
            if part
            and part[0].isalpha()
            and not (are_dates(part) or is_title(part, whole=False) or is_relator(part))
        ),
        "",
    )


def is_degree(part: str) -> bool:
    """Whether a part is "MD", "Ph.D." or "M.Sc. PhD", with a capital."""
    words = part.replace(".", "").split()
    return (
        0 < len(words) <= 3
        and all(word.casefold() in name_words.DEGREES for word in words)
        and (len(words) > 1 or sum(map(str.isupper, words[0])) > 1)
    )


# Years of life. No name has a number: so words that consist of numbers, and of what catalogues
# write beside those, are no name.

_NUMBER = late_pattern(r"\d{1,4}(?:st|nd|rd|th|e|年|生)?")
_ROMAN_CENTURY = late_pattern(r"[XVI]{1,5}(?:e|th)?")
#: Marks between and around years: "(1828-1905)", "1828?–1905", "19..-".
_MARKS = re.compile(r"[\s.,()\[\]{}<>?/~*+†=:;‐‑‒–—―-]+")


def are_dates(part: str) -> bool:
    """Whether a text consists of years, months and words beside them, and has a year."""
    words = [word for word in _MARKS.split(part[:LONGEST_BESIDE]) if word]
    return (
        len(part) <= LONGEST_BESIDE
        and any(word[:1].isdigit() or word[:1] in "XVI" for word in words)
        and all(map(_is_of_dates, words))
        and _has_year(words, part)
    )


def _is_of_dates(word: str) -> bool:
    return (
        _NUMBER.fullmatch(word) is not None
        or word in name_words.DATES
        or _ROMAN_CENTURY.fullmatch(word) is not None
    )


def _has_year(words: list[str], part: str) -> bool:
    numbers = [word for word in words if word[0].isdecimal()]
    return (
        any(len(word) > 2 and word[:3].isdecimal() for word in numbers)
        or not name_words.CENTURIES.isdisjoint(words)
        or (bool(numbers) and ".." in part)
        or ("BC" in part.replace(".", "") and bool(numbers))
    )


def without_dates(text: str) -> str:
    """The text without years at its end: "Jules 1828-1905", "Jules (1828-1905)" -> "Jules"."""
    if not any(map(str.isdecimal, text)):
        return text
    words = text.split()
    end = len(words)
    while end > 1 and are_dates_or_word(words[end - 1]):
        end -= 1
    if end == len(words) or not are_dates(" ".join(words[end:])):
        return text
    return " ".join(words[:end]).rstrip(" ,;")


def are_dates_or_word(word: str) -> bool:
    """Whether all of a word without blanks may stand in dates: "(1828-1905)", "ca."."""
    if len(word) > LONGEST_BESIDE:
        return False
    return all(_is_of_dates(part) for part in _MARKS.split(word) if part)


#: From a year on, behind a name in natural order, where a bare number may belong to a body ("Expo
#: 98") or tell namesakes apart.
_SPAN = late_pattern(r"(?:1\d|20)\d\d\??\s?[-–—](?:\s?(?:1\d|20)\d\d)?\??[)\]]?$")
_DIGIT = late_pattern(r"\d")


def without_span(text: str) -> str:
    """A name without a comma without the years of a life at its end: "Jules Verne (1828-1905)"."""
    if not _DIGIT.search(text, max(len(text) - 12, 0)):
        return text
    found = _SPAN.search(text, max(len(text) - 14, 0))
    return text[: found.start()].rstrip(" ([,") or text if found else text


# What somebody did for the work, and titles.

BETWEEN_RELATORS = re.compile(r"\s*(?:/|&|\b(?:and|und|et|y|e|og|och|en)\b)\s*")
_BRACKETS = "[]()."


def is_relator(part: str) -> bool:
    """Whether a part is a word of catalogues for what a person did: "author", "joint author",
    "Hrsg.".
    """
    if len(part) > LONGEST_BESIDE:
        return False
    words = BETWEEN_RELATORS.split(part.strip(_BRACKETS).casefold())
    return all(
        (bare := word.strip(" .[]()")) in name_words.RELATORS
        or bare in name_words.WRITTEN_OUT
        or bare in name_words.JAPANESE
        or bare in name_words.CHINESE
        for word in words
    )


def relator_in_brackets(name: str) -> str:
    """The name without "[Verfasser]" or "(editor)" at its end, and without all behind the years of
    a life: "Hugo, Victor (1802-1885). Auteur du texte".
    """
    if (end := name.find("). ")) > 0:
        start = name.rfind("(", 0, end)
        if start > 0 and are_dates(name[start + 1 : end]):
            return name[:start].rstrip(" ,")
    if not name.endswith((")", "]")):
        return name
    start = max(name.rfind("("), name.rfind("["))
    inner = name[start + 1 : -1].strip()
    if (
        start > 0
        and inner
        and len(inner) <= LONGEST_BESIDE
        and (is_relator(inner) or are_dates(inner))
    ):
        return name[:start].rstrip(" ,")
    return name


def is_title(part: str, *, whole: bool) -> bool:
    """Whether a part is a title of nobility, office or courtesy: "Earl of Chester", "duc de".

    `whole`: it stands where a given name may stand, and "Earl" is one; so it must be longer, and
    name what it is of.
    """
    words = part.casefold().replace(".", "").split()
    if not words:
        return False
    if whole:
        of = not name_words.OF_TITLES.isdisjoint(words[1:])
        return words[0] in name_words.NOBILITY and of if len(words) > 1 else words[0] in SURE_TITLES
    return words[0] in name_words.TITLES or (
        len(words) < 4 and not name_words.NOBILITY.isdisjoint(words)
    )


# Words that stand for further authors.

#: By which nearly all names are told from those.
_FIRST_OF_OTHERS = frozenset(words.split()[0] for words in OTHERS | OTHERS_SHORT)
_LAST_OF_OTHERS = frozenset(words.split()[-1] for words in OTHERS | OTHERS_SHORT) | COUNTED_OTHERS
#: Characters of such words, with what counts them, and words.
_LONGEST_OTHERS, _MOST_OF_OTHERS = 3 * max(map(len, OTHERS)), 4
_AROUND_OTHERS = " .,;()[]{}"
_AT_END_HAN = late_pattern(rf"(?:^|(?<=\w\w)|[\s\[]+){HAN_ET_AL}\]?$")  # 王等 is a name
_NO_LETTERS = late_pattern(r"[\W\d_]+")


def means_others(name: str) -> bool:
    """Whether a name is "et al.", "u.a.", "others" or 等, which stand for further authors; "U. A."
    and "E. Altri" begin with an initial.
    """
    start = name.partition(" ")[0]
    if (start.isalpha() and start.lower() not in _FIRST_OF_OTHERS) or len(name) > _LONGEST_OTHERS:
        return False
    bare = name.strip(_AROUND_OTHERS)
    if bare[1:2] == "." and bare[0].isupper():
        return False
    words = _NO_LETTERS.sub(" ", bare.lower()).strip()
    if words in OTHERS:
        return True
    if words in OTHERS_SHORT:
        return bare == bare.lower()
    first, _, counted = words.rpartition(" ")
    is_counted = counted in COUNTED_OTHERS and any(map(str.isdecimal, bare))
    return is_counted and (not first or means_others(first))  # "+5 more"


def without_others(names: str) -> str:
    """One name or several without such words at the end: "Falk, Greta [u.a.]"; "" where there are
    no others.
    """
    last = names.rpartition(" ")[2]
    if not last.isalpha():
        last = last.strip(_AROUND_OTHERS).rpartition(".")[2]
    if last[-1:] > "\u3000":  # East Asian
        end = names[-_LONGEST_OTHERS:]
        if (bare := _AT_END_HAN.sub("", end)) != end:
            return (names[:-_LONGEST_OTHERS] + bare).rstrip()
    elif len(last) > 1:
        last = last.lower()
    if last not in _LAST_OF_OTHERS:
        return names
    if means_others(names):
        return ""
    for count in range(_MOST_OF_OTHERS, 0, -1):
        before, *behind = names.rsplit(None, count)
        words = " ".join(behind)
        if len(behind) == count and means_others(words):
            has_mark = words[-1] in ".])" and not names.islower()
            is_short = _NO_LETTERS.sub(" ", words.lower()).strip() in OTHERS_SHORT
            return names if is_short and not has_mark else before.rstrip(" ,;")
    return names


# Functions that remember what they made of short texts. Several answers hold the same works, and a
# list of works has the same names again and again.

T = TypeVar("T")
Options = ParamSpec("Options")

#: Texts that a function remembers, and characters of the longest of them: a megabyte at most.
MOST_REMEMBERED, LONGEST_REMEMBERED = 2_000, 100


def remember(
    make: Callable[Concatenate[str, Options], T],
) -> Callable[Concatenate[str, Options], T]:
    """The same function, which remembers the last texts and what it made of them."""
    known = lru_cache(maxsize=MOST_REMEMBERED)(make)

    @wraps(make)
    def make_or_recall(text: str, /, *args: Options.args, **options: Options.kwargs) -> T:
        read = known if len(text) <= LONGEST_REMEMBERED else make
        return read(text, *args, **options)  # type: ignore[arg-type]

    return make_or_recall


# Which names with a comma are those of bodies, whose parts must not be turned round as "Family,
# Given" is. "Association for Computing Machinery, Special Interest Group on Graphics" names a body
# and a part of it, as "Oak Ridge National Laboratory, Tennessee" names one and its place. What
# tells them from persons are words: those of institutions, and "of", "for", "and", "the" between
# the others, which family and given names do not hold. Three things are not such a sign. A family
# name may be a word of institutions ("Service, Robert W."): so one that stands alone before the
# comma decides nothing. Titles of nobility and office hold "of" ("Chesterfield, Philip Stanhope,
# Earl of"). And behind the name of a person there may be where that person works ("Wilhite, Stephen
# C., Widener University").

_INITIAL = late_pattern(r"(?:^|[\s.-])\w\.")


def is_body(left: str, right: str) -> bool:
    """Whether "LEFT, RIGHT" names a body; `left` has no blanks at its ends."""
    if " " not in left and " " not in right:  # "Smith, John": nearly all names
        return False
    before, behind = left.casefold().split(), right.casefold().replace(",", " ").split()
    if len(before) > 1:
        if not BODIES.isdisjoint(before) or not BETWEEN_BODIES.isdisjoint(before):
            return True
        if before[-1] in BODIES_OR_NAMES and before[0] not in PARTICLES:
            return True
    if not BODIES.isdisjoint(behind) or (len(before) > 1 and behind[-1:] == ["group"]):
        return True
    return not BETWEEN_BODIES.isdisjoint(behind) and NOBILITY.isdisjoint(behind)


def given_name_and_employer(left: str, right: str) -> tuple[str, str] | None:
    """(given name, where that person works) of a person whose name is followed by that; None for
    all others. `left`: what stands before the first comma: one word, or two at most.
    """
    given, comma, works_at = right.partition(",")
    works_at = works_at.strip()
    named = left.count(" ") < 2 and _INITIAL.search(given) is not None
    return (
        (given.strip(), works_at)
        if comma and works_at and named and not is_body(left, given)
        else None
    )


# One person's (or body's) written name -> an `Author`.

# A part of a body, behind the body: "Australia. Dept. of Communications, Information Technology and
# the Arts".
_UNIT = late_pattern(rf"\. (?:{'|'.join(sorted(name_words.UNITS)).title()})\b")
#: What stands behind the comma of a firm's name, and is no given name: "Apple Computer, Inc."
_FIRM = late_pattern(
    rf"(?:co\.?,? ?)?(?:{'|'.join(sorted(name_words.FIRMS_BEHIND_COMMA))})\.?", re.IGNORECASE
)
#: Words of where somebody comes from, behind "von": "der Vogelweide".
_MOST_OF_PLACE = 2
#: More words before a comma are no family name.
_MOST_FAMILY_WORDS = 4
_IN_CHARACTERS = re.compile(
    "[\u3005-\u3007\u3041-\u3096\u30a1-\u30fa\u30fc\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+"
)
_KATAKANA = re.compile("[\u30a0-\u30ff]+")
#: Words of institutions, and those that bind their words; "and" and "&" divide names, too.
_WORDS_OF_BODIES = BODIES_IN_BYLINES | BODIES_OR_NAMES | FIRMS
#: An ORCID behind a name: OpenCitations' index writes "Byron, Ada, 0000-0002-1825-0097".
_NAME_ORCID = re.compile(
    r"(.+?),? \(?(?:orcid: ?)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\)?", re.IGNORECASE
)
# What DataCite's schema (appendix 3) has repositories write where no author is known: (:unav),
# (:unkn), (:tba) ...
_NOBODY = late_pattern(r"\(:(?:una[aclpsv]|unkn|none|null|tba|etal)\)", re.IGNORECASE)


#: "Family, Given" in Latin letters, the family name one word that is not written in capitals.
_LETTERS, _CAPITALS = (
    "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f",
    "A-Z\u00c0-\u00d6\u00d8-\u00de",
)
_USUAL = re.compile(
    rf"([{_LETTERS}][{_LETTERS}'’-]*[a-z\u00df-\u00f6\u00f8-\u00ff]), "
    rf"([{_CAPITALS}][{_LETTERS}]*(?:(?:\.[ -]?|[ -])[{_CAPITALS}][{_LETTERS}]*)*\.?)"
)
#: What may stand behind that comma and is no given name, without full stops.
_NOT_GIVEN = (
    name_words.SUFFIXES.keys()
    | name_words.DEGREES
    | SURE_TITLES
    | BODIES
    | BETWEEN_BODIES
    | FIRMS
    | {"ed", "eds", "and", "und"}
)


def author_at_a_glance(name: str) -> Author | None:
    """The author of a name as nearly all are written, at a glance; None of all others."""
    hit = _USUAL.fullmatch(name)
    if hit is None:
        return None
    family, given = hit.groups()
    if not _NOT_GIVEN.isdisjoint(given.replace(".", "").casefold().split()):
        return None
    shown = f"{given} {family}"
    return None if is_anonymous(shown) else new_author(shown, family, given, None, None)


def person(
    name: str,
    family: str | None = None,
    given: str | None = None,
    orcid: str | None = None,
    suffix: str | None = None,
) -> Author | None:
    """Return the author of what a source writes, or None where that names no author.

    "Family, Given" is turned round for display, also where the parts are given beside it, but not
    the name of a body. A plain "Given Family" is left as it is and not split, because
    the split is a guess (it is made when names are compared). "Jr." goes into the suffix wherever
    it stands; years of life, titles, degrees and relators behind a comma are left out.
    """
    if (
        "," in name
        and not (family or given or orcid or suffix)
        and (found := author_at_a_glance(name))
    ):
        return found
    affiliation: str | None = None
    family = plain(family) if family else None
    given = plain(given) if given else None
    behind = suffix_of(plain(suffix)) or plain(suffix) if suffix else ""
    name = plain(name) if name else ""
    if "-" in name[-6:] and (both := _NAME_ORCID.fullmatch(name)):
        name, orcid = both[1], orcid or both[2]
    if name and not family and not given:
        name = without_others(name)
        name, family, given, affiliation, end = _divide(name)
        behind = behind or end
    elif family and given and name.startswith(f"{family},"):
        name = ""
    if family:
        # Crossref's publishers write "Cobb Jr." for a family name, or "Fields W., Jr." for a given
        # one.
        if " " in family:
            family, end = without_suffix(family)
            behind = behind or end
        if given and " " in given:
            given, end = without_suffix(given)
            behind = behind or end
    if name and names_nobody(name):
        return None
    if not name:
        name = display_name(given or "", family or "")
        if names_nobody(name):  # "No authorship, indicated" has a comma
            return None
    elif behind:
        name, _ = without_suffix(name)
    known = identifiers.orcid(orcid) if orcid else None
    if not name.strip():
        return None
    if behind:
        name = f"{name} {behind}"
    return new_author(
        name, family or None, given or None, known, affiliation, suffix=behind or None
    )


#: `person` of a name alone.
of_name = remember(person)


def _divide(name: str) -> tuple[str, str | None, str | None, str | None, str]:
    """(name, family name, given name, affiliation, suffix) of what stands in one field; the whole
    name is "" where its parts say it.
    """
    name = relator_in_brackets(name)
    left, comma, right = name.partition(",")
    if not comma:
        bare = without_span(name)
        cut, suffix = without_suffix(bare, least=2)
        if suffix and not holds_word_of_body(cut):
            return cut, None, None, None, suffix
        return bare, None, None, None, ""
    left, right = left.strip(), right.strip()
    if _comes_from(left, right):
        return f"{left} {right}", None, None, None, ""
    if is_given_name(right):
        if _may_be_inverted(left, right) and not is_body(left, right):
            return "", left, right, None, ""
        return name, None, None, None, ""
    parts = parts_of(name)
    left = parts.name[0]
    given = ", ".join(parts.name[1:])
    if parts.beside and (reigns := ruler(left, parts.beside)):
        return reigns, None, None, None, ""
    if not given:
        is_dated = any(map(are_dates, parts.beside))  # "Congress on Kites, 1998"
        is_whole = is_dated and is_body(left, right)
        return (name if is_whole else left), None, None, None, parts.suffix
    if (given.startswith("of ") and parts.beside) or _comes_from(left, given):
        return f"{left} {given}", None, None, None, ""
    if _may_be_inverted(left, given):
        if not is_body(left, given):
            return "", left, given, None, parts.suffix
        if (at_work := given_name_and_employer(left, given)) is not None:
            return "", left, at_work[0], at_work[1], parts.suffix
    return name, None, None, None, ""


def _comes_from(left: str, right: str) -> bool:
    """Whether "LEFT, RIGHT" is a name and where its bearer comes from: "Thomas, von Aquin". Behind
    a family name, a particle stands last: "Beethoven, Ludwig van".
    """
    if " " in left or right[:1].isupper():
        return False
    particle, *place = right.split() or [""]
    return (
        0 < len(place) <= _MOST_OF_PLACE
        and particle in PARTICLES
        and all(word in PARTICLES for word in place[:-1])
        and place[-1][:1].isupper()
        and not place[-1].endswith(".")
    )


def holds_word_of_body(name: str) -> bool:
    """Whether a name without a comma has a word of institutions."""
    words = {word.strip(".,()").casefold() for word in name.split()}
    return not words.isdisjoint(_WORDS_OF_BODIES)


def _may_be_inverted(left: str, right: str) -> bool:
    """Whether "LEFT, RIGHT" may be "Family, Given" by its form; `is_body` judges its words."""
    if not left or not right or left.count(" ") >= _MOST_FAMILY_WORDS:
        return False
    return not _FIRM.fullmatch(right) and not (". " in left and _UNIT.search(left))


#: Letters of a name by which most are told from words for nothing.
_START = 3


def is_anonymous(name: str) -> bool:
    """Whether words for nothing stand in the place of a name: "Anonymous", "n.a."."""
    start = name[:_START].casefold()[:_START]
    return not (start.isalpha() and start not in starts_of_nobody(_START)) and says_nothing(
        "authors", name
    )


def names_nobody(name: str) -> bool:
    """Whether a source wrote "et al.", a code for "unknown" or bare marks instead of a name."""
    if name.startswith("(:") and _NOBODY.match(name):
        return True
    if means_others(name) or is_anonymous(name):
        return True
    # arXiv puts a ":" behind a collaboration's name, as an author.
    return len(name) < 3 and not any(map(str.isalnum, name))


def display_name(given: str, family: str) -> str:
    """Return the whole name: "Ada Byron", but "王征", family first and without a blank, where both
    parts are Han, Hangul or kana; two words in Katakana keep the blank.
    """
    if family.isascii():
        return f"{given} {family}".strip()
    if _KATAKANA.fullmatch(family) and _KATAKANA.fullmatch(given):
        return f"{family} {given}"
    if _IN_CHARACTERS.fullmatch(family) and _IN_CHARACTERS.fullmatch(given):
        return family + given
    return f"{given} {family}".strip()
