"""Names of people and of bodies, as databases, catalogues and files write them: one name, and
several in one string.

Their words stand in `name_words.py`, the converters of `authors` and `editors` in `authors.py`.
Chinese names have a file of their own, `chinese_names.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache, wraps
from typing import Any, NamedTuple, TypeVar

from metasearch.bib import identifiers, name_words, normalise, texts
from metasearch.bib.name_words import (
    ANONYMOUS,
    BETWEEN_BODIES,
    BODIES,
    BODIES_IN_BYLINES,
    BODIES_OR_NAMES,
    EDITOR_IN_BRACKETS,
    ET_AL,
    FIRMS,
    GENERATION_PATTERN,
    HAN_ET_AL,
    NOBILITY,
    PARTICLES,
    is_suffix,
    means_others,
)
from metasearch.bib.texts import first
from metasearch.bib.texts import plain_text as plain
from metasearch.late_pattern import late_pattern
from metasearch.record import Author, made_author

# Functions that remember what they made of short texts. Several answers hold the same works, and a
# list of works has the same names again and again.

T = TypeVar("T")

#: Texts that a function remembers, and characters of the longest of them: a megabyte at most.
MOST_REMEMBERED, LONGEST_REMEMBERED = 2_000, 100


def remembered(make: Callable[[str], T]) -> Callable[[str], T]:
    """The same function, which remembers the last texts and what it made of them."""
    known = lru_cache(maxsize=MOST_REMEMBERED)(make)

    @wraps(make)
    def made(text: str) -> T:
        return known(text) if len(text) <= LONGEST_REMEMBERED else make(text)

    return made


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
    if not BODIES.isdisjoint(behind):
        return True
    return not BETWEEN_BODIES.isdisjoint(behind) and NOBILITY.isdisjoint(behind)


def employed(left: str, right: str) -> tuple[str, str] | None:
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
#: More words before a comma are no family name.
_MOST_FAMILY_WORDS = 4
_HAN_OR_HANGUL = re.compile("[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_HOMONYM = late_pattern(r"\s\d{4}$")
#: An ORCID behind a name: OpenCitations' index writes "Byron, Ada, 0000-0002-1825-0097".
_NAME_ORCID = re.compile(
    r"(.+?),? \(?(?:orcid: ?)?(\d{4}-\d{4}-\d{4}-\d{3}[\dX])\)?", re.IGNORECASE
)
# What DataCite's schema (appendix 3) has repositories write where no author is known: (:unav),
# (:unkn), (:tba) ...
_NOBODY = late_pattern(r"\(:(?:una[aclpsv]|unkn|none|null|tba|etal)\)", re.IGNORECASE)
#: Letters of the initials in "Smith JA".
_MOST_INITIALS = 5
_HONORIFICS = frozenset(word.capitalize() for word in name_words.HONORIFICS)


def person(
    name: str, family: str | None = None, given: str | None = None, orcid: str | None = None
) -> Author | None:
    """Return the author of what a source writes, or None where that names no author.

    "Family, Given" is turned round for display, also where the parts are given beside it, but not
    the name of a body. A plain "Given Family" is left as it is and not split, because
    the split is a guess (it is made when names are compared).
    """
    affiliation: str | None = None
    family = plain(family) if family else None
    given = plain(given) if given else None
    name = plain(name) if name else ""
    if "-" in name[-6:] and (both := _NAME_ORCID.fullmatch(name)):
        name, orcid = both[1], orcid or both[2]
    if "," in name and not family and not given:
        left, right = _around_comma(name)
        if _may_be_inverted(left, right):
            if not is_body(left, right):
                family, given, name = left, right, ""
            elif (parts := employed(left, right)) is not None:
                family, name = left, ""
                given, affiliation = parts
    elif family and given and name.startswith(f"{family},"):
        name = ""
    if name and _names_nobody(name):
        return None
    if not name:
        name = displayed(given or "", family or "")
    known = identifiers.orcid(orcid) if orcid else None
    return (
        made_author(name, family or None, given or None, known, affiliation)
        if name.strip()
        else None
    )


#: `person` of a name alone.
of_name = remembered(person)


def _around_comma(name: str) -> tuple[str, str]:
    """What stands before the first comma and behind it, without "Jr." and the like."""
    left, _, right = name.partition(",")
    if "," not in right:
        right = right.strip()
        return left.strip(), "" if name_words.is_suffix(right) else right
    parts = [part.strip() for part in right.split(",")]
    return left.strip(), ", ".join(
        [part for part in parts if part and not name_words.is_suffix(part)]
    )


def _may_be_inverted(left: str, right: str) -> bool:
    """Whether "LEFT, RIGHT" may be "Family, Given" by its form; `is_body` judges its words."""
    if not left or not right or left.count(" ") >= _MOST_FAMILY_WORDS:
        return False
    return not _FIRM.fullmatch(right) and not (". " in left and _UNIT.search(left))


def _names_nobody(name: str) -> bool:
    """Whether a source wrote "et al.", a code for "unknown" or bare marks instead of a name."""
    if name.startswith("(:") and _NOBODY.match(name):
        return True
    if name_words.means_others(name):
        return True
    # arXiv puts a ":" behind a collaboration's name, as an author.
    return len(name) < 3 and not any(map(str.isalnum, name))


def displayed(given: str, family: str) -> str:
    """Return the whole name: "Ada Byron", but "王征", family first and without a blank, where both
    parts are Han or Hangul.
    """
    if (
        not family.isascii()
        and _HAN_OR_HANGUL.fullmatch(family)
        and _HAN_OR_HANGUL.fullmatch(given)
    ):
        return family + given
    return f"{given} {family}".strip()


def initials_last(name: str) -> Author | None:
    """Read "Smith JA" or "Smith J.A." as family name Smith with initials as given names.

    Any other form, "Smith, Jo A" too, is read as `person` reads it.
    """
    head, _, tail = name.rpartition(" ")
    if not head or "," in head or ("." in tail and "." in head):  # "Smith J. A." has two blanks
        return person(name)
    letters = tail.replace("-", "").replace(".", "")
    if tail.isupper() and letters.isalpha() and len(letters) <= _MOST_INITIALS:
        return person("", head, tail)
    return person(name)


def without_degrees(name: str) -> str:
    """Return a name without the degrees behind it: "Ada Byron, MD, PhD" -> "Ada Byron"."""
    head, *rest = [part.strip() for part in name.split(",")]
    if not rest or " " not in head:
        return name
    return head if all(_is_degree(part) for part in rest if part) else name


def _is_degree(part: str) -> bool:
    """Whether a part is "MD", "Ph.D." or "Prof. Dr. med.": a given name has one capital."""
    parts = part.split()
    if len(parts) > 3 or len(part) > 30:
        return False
    return sum(map(str.isupper, parts[0])) >= 2 or parts[0].rstrip(".") in _HONORIFICS


def without_homonym(name: str) -> str:
    """A name of DBLP without its number for homonyms: "Wei Wang 0001" -> "Wei Wang"."""
    return _HOMONYM.sub("", name)


# Bylines: several names in one string, in any style. "Smith, J., Jones, K. L." and "J. Smith, K. L.
# Jones, and M. Lee" hold commas of two meanings. What a comma parts is told from what stands
# between the commas: bare initials belong to the name before them, and a piece that has initials of
# its own is a whole name. Where both readings are possible ("Smith, John"), it is the one that
# databases write.

#: Longest byline that is looked at, in characters: a collaboration of five thousand.
LONGEST_BYLINE = 200_000

_NOT_NAMES = late_pattern(rf"{ET_AL}|{EDITOR_IN_BRACKETS}|, ?eds?\.?$", re.IGNORECASE)
_SEMICOLON = late_pattern(r" ?[;；] ?")
_AND = late_pattern(r"(?:(?<=[ ,])|^)(?:and|und|&)(?=[ ,]|$)", re.IGNORECASE)
_COMMA = late_pattern(r" ?[,，、] ?")
_YEAR = late_pattern(r" (?:1\d|20)\d\d\.?$")
#: "m. kearns. l. valiant": a full stop where a comma is meant, behind a word too long for an
#: abbreviation.
_STOP = late_pattern(r"(?<=[^\W\d_]{4}\.) (?=[^\W\d_]\.)")
#: "Adeli K.Lewis G. F.": names run together behind their initials.
_RUN_TOGETHER = late_pattern(r"(?<=[A-Z]\.)(?=[A-Z]['’]?[A-Z]?[a-z])")
#: "J.R.Smith"
_GLUED = late_pattern(r"((?:[^\W\d_]\.-?)+)([^\W\d_]{2}.*)")
_DOTTED = late_pattern(r"(?:[^\W\d_]\.-?)+[^\W\d_]?|[^\W\d_](?:-[^\W\d_])*")
_BODY = late_pattern(rf"\b(?:{'|'.join(sorted(BODIES_IN_BYLINES))})\b", re.IGNORECASE)


class _Piece(NamedTuple):
    """What stands between two separators.

    `kind`: "initials" ("J. R."), "whole" ("J. Smith": initials first), "trailing" ("Smith J", "John
    R."), "word" (one word, particles before it not counted) or "words".
    """

    text: str
    kind: str


def people_in(text: str) -> tuple[Author, ...]:
    """The authors of a byline, in order; () where it holds no name. Never raises."""
    text = texts.without_markup(text[:LONGEST_BYLINE])
    if normalise.has_cjk(text):
        from metasearch.bib.chinese_names import authors_in

        return tuple(author for name in authors_in(text) if (author := person(name)))
    text = _NOT_NAMES.sub("", text).strip(" ,，;；:、")
    if not text:
        return ()
    parts = _SEMICOLON.split(text)
    if len(parts) > 1:
        names = (_AND.sub("", _YEAR.sub("", part)).strip(" ,") for part in parts)
        return tuple(author for name in names if name for author in _of_commas(name))
    return _of_commas(text)


_BY = late_pattern(r"^\[?by\b\]?\s+", re.IGNORECASE)


def statement(found: Any) -> tuple[Author, ...]:
    """The authors of a statement such as "by Ada Byron and Tanaka Ken ; illustrated by ..."."""
    value = first(found)
    return people_in(_BY.sub("", value.strip().partition(" ;")[0]).rstrip(". ")) if value else ()


def _of_commas(text: str) -> tuple[Author, ...]:
    shouted = text.isupper()
    text = _STOP.sub(", ", text)
    groups = [pieces for group in _AND.split(text) if (pieces := _pieces(group, shouted=shouted))]
    pieces = [piece for group in groups for piece in group]
    if _BODY.search(text) and all(piece.kind in ("word", "words") for piece in pieces):
        return tuple(author for author in (person(_bare(text).replace(",", " ")),) if author)
    inverted = _inverted(groups)
    return tuple(
        author for group in groups for author in _people(group, inverted=inverted, shouted=shouted)
    )


def _pieces(group: str, *, shouted: bool) -> list[_Piece]:
    """The pieces of what stands between two "and"s, without "Jr." and the like."""
    out: list[_Piece] = []
    for text in _COMMA.split(group):
        text = _bare(text)
        word = text.rstrip(".").lower()
        if not word or is_suffix(word):
            continue
        if word in FIRMS and out:
            out[-1] = _Piece(f"{out[-1].text} {text}", "words")
            continue
        glued = _GLUED.fullmatch(text)
        text = f"{glued[1]} {glued[2]}" if glued else text
        tokens = text.split()
        if (
            len(tokens) > 2
            and not _is_initials(tokens[0], shouted=shouted)
            and _is_initials(tokens[-1], shouted=shouted)
        ):
            out += [
                _Piece(name, _kind(name.split(), shouted=shouted))
                for name in _RUN_TOGETHER.split(text)
            ]
        else:
            out.append(_Piece(text, _kind(tokens, shouted=shouted)))
    return out


def _bare(text: str) -> str:
    """Without marks at its ends; the full stop stays behind an initial and an abbreviation."""
    text = text.strip(" ,:;")
    last = text.rpartition(" ")[2]
    return (
        text.rstrip(" .") if last.endswith(".") and len(last) > 3 and last.count(".") == 1 else text
    )


def _is_initials(token: str, *, shouted: bool) -> bool:
    """ "J", "J.", "J.R.", "J.-P." and, where not all is written in capitals, "JR"."""
    if normalise.has_cjk(token):
        return False
    return _DOTTED.fullmatch(token.rstrip(".")) is not None or (
        not shouted and 2 <= len(token) <= 4 and token.isalpha() and token.isupper()
    )


def _kind(tokens: list[str], *, shouted: bool) -> str:
    initials = [_is_initials(token, shouted=shouted) for token in tokens]
    if all(initials):
        return "initials"
    if initials[0]:
        return "whole"
    if initials[-1]:
        return "trailing"
    return "word" if sum(token.lower() not in PARTICLES for token in tokens) <= 1 else "words"


def _inverted(groups: list[list[_Piece]]) -> bool:
    """Whether written-out given names stand behind the comma after the family name."""
    kinds = [[piece.kind for piece in group] for group in groups]
    if not kinds or any("initials" in group or "whole" in group for group in kinds):
        # "Smith, J., Jones, Kate" is too rare to be worth the danger to "Smith, J., Ann Jones"
        return False
    if any(normalise.has_cjk(piece.text) for group in groups for piece in group):
        return False
    if len(kinds) == 1:
        (only,) = kinds
        if len(only) == 2:
            return only[0] != "trailing"
        families, given = only[::2], only[1::2]
        return len(only) % 2 == 0 and set(families) == {"word"} and "trailing" in given
    if all(len(group) % 2 == 0 for group in kinds) and len(kinds[-1]) == 2:
        return "trailing" not in (group[0] for group in kinds)
    # "Smith, John and Jane Doe", but not "Smith, Jones and Doe"
    return (
        len(kinds) == 2 and len(kinds[0]) == 2 and kinds[0][0] == "word" and kinds[1] == ["words"]
    )


def _people(group: list[_Piece], *, inverted: bool, shouted: bool) -> Iterator[Author]:
    index = 0
    while index < len(group):
        piece = group[index]
        following = group[index + 1] if index + 1 < len(group) else None
        index += 1
        if (
            following is not None
            and piece.kind in ("word", "words")
            and (following.kind == "initials" or (inverted and following.kind != "whole"))
        ):
            author = person("", piece.text, following.text)
            index += 1
        else:
            author = _person(piece, shouted=shouted)
        if author is not None:
            yield author


def _person(piece: _Piece, *, shouted: bool) -> Author | None:
    """The author of a piece that is a name of its own; split where the split is certain.

    `shouted`: whether the whole byline is written in capitals, as it was when the piece was given
    its kind.
    """
    if piece.kind not in ("whole", "trailing"):
        return person(piece.text)
    tokens = piece.text.split()
    initials = [_is_initials(token, shouted=shouted) for token in tokens]
    turn = next(index for index, one in enumerate(initials) if one is not initials[0])
    before, behind = " ".join(tokens[:turn]), " ".join(tokens[turn:])
    family, given = (behind, before) if piece.kind == "whole" else (before, behind)
    alone = _kind(family.split(), shouted=True) == "word" and len(set(initials[turn:])) == 1
    return person("", family, given) if alone else person(piece.text)


# --------------------------------------------------------------------------- one field of a file

#: What stands behind a name in a field of a file: "eds.", "[Ed.]", "(1, 2)", "and".
_BEHIND_NAME = late_pattern(
    rf"\s*(?:,?\s+eds?\.?|{EDITOR_IN_BRACKETS}|[\[(]\d[\d, ]*[\])]?|,?\s+and|,)$", re.IGNORECASE
)
_GENERATION = late_pattern(rf"(?<=, )([^,;]+?),? {GENERATION_PATTERN}\.?$")
#: "Smith JA, ...": what is before the comma is a whole name, and the value a list of names.
_INITIALS_END = late_pattern(r"\s(?:[A-Z]\.?-?){1,4}$")
_INITIALS = late_pattern(r"(?:[A-Z]\b\.?[ -]?)+")
#: Marks that stand between names.
_BETWEEN_NAMES = late_pattern(r"[,;；&]|\sand\s")
_FOOTNOTES = late_pattern(r"[\[［][\d,，\s]*[\]］]")
_HAN_ET_AL = late_pattern(rf"{HAN_ET_AL}$")
_HAN_NAMES = late_pattern(
    r"[\u3400-\u4dbf\u4e00-\u9fff·]{2,5}(?:[ \u3000]+[\u3400-\u4dbf\u4e00-\u9fff·]{2,5})+"
)
_HAN_SEPARATORS = late_pattern(r"[;；,，、]")
_HAN_FAMILY_FIRST = late_pattern(r"([\u4e00-\u9fff])[,，]\s?([\u4e00-\u9fff]{1,2})")


def authors_in_field(value: str) -> tuple[Author, ...]:
    """Return the authors in a field of a reference manager's file, which should hold one name,
    "Family, Given", and may hold several in any style.

    `value`: text for display, without markup; its first `LONGEST` characters are read.
    """
    value = " ".join(value[:LONGEST_BYLINE].split())
    value = _GENERATION.sub(r"\1", _BEHIND_NAME.sub("", value)).strip(" ,;；")
    if not value or means_others(value) or value.rstrip(".").lower() in ANONYMOUS:
        return ()
    if normalise.has_cjk(value):
        return _han_authors(value)
    family, _, given = value.partition(", ")
    one_given = bool(given) and not _BETWEEN_NAMES.search(given)
    if one_given and _INITIALS.fullmatch(family):
        # "A, Arriagada Rodrigo": a program took the last initial of "Arriagada Rodrigo A" for the
        # family name.
        author = person(f"{given} {family}") if " " in given else person(value)
    elif (
        not given
        or _BETWEEN_NAMES.search(value.replace(",", "", 1))
        or _INITIALS_END.search(family)
    ):
        return people_in(value)
    else:
        author = person(value)
    return (author,) if author else ()


def _han_authors(value: str) -> tuple[Author, ...]:
    """Return the authors of a field in characters; marks, and blanks between names, divide it."""
    if pair := _HAN_FAMILY_FIRST.fullmatch(value):
        # One character is no whole name: "王, 伟" is one person.
        author = person("", pair[1], pair[2])
        return (author,) if author else ()
    names: list[str] = []
    for part in _HAN_SEPARATORS.split(_FOOTNOTES.sub("", value)):
        part = part.strip()
        names += part.split() if _HAN_NAMES.fullmatch(part) else [part]
    authors = [person(_BEHIND_NAME.sub("", _HAN_ET_AL.sub("", name))) for name in names]
    return tuple(author for author in authors if author)
