"""Names as title pages, reference lists and databases print them: in natural order, with initials
behind the family name, with the word for what somebody did, and several in one string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, NamedTuple

from metasearch.bib import name_words, normalise, texts
from metasearch.bib.marc import Part
from metasearch.bib.name_words import BODIES_IN_BYLINES, EDITOR_IN_BRACKETS, ET_AL, FIRMS, PARTICLES
from metasearch.bib.names import (
    BETWEEN_RELATORS,
    LONGEST_BESIDE,
    holds_word_of_body,
    person,
    suffix_of,
    without_others,
    without_suffix,
)
from metasearch.bib.texts import first
from metasearch.late_pattern import late_pattern
from metasearch.record import Author, new_author

#: A role of two characters or more stands behind a name in characters; a single one may end it.
_HAN_ROLE = late_pattern(
    rf"[\s\u3000]+({name_words.HAN_ROLES})$|[\[(\uff08\uff3b\u3010]({name_words.HAN_ROLES})[\])\uff09\uff3d\u3011]$"
    rf"|(?<=\w\w)(主[编編]|[编編][著译譯]|[翻主]?[译譯][者著]|監修|监修)$"
)


#: Longer words are no given names: "Greta Falk, Editor", but "Falk Osei, Ed".
_LONGEST_SHORT = 5


#: Parts in a work for which a record has a field beside that of the authors; those for which a word
#: behind a name is no name.
_OWN_FIELDS: tuple[Part, ...] = ("editor", "translator")


_ROLES = frozenset((*_OWN_FIELDS, "author", "helper"))


class Role(NamedTuple):
    """What stands in a field for people.

    Attributes:
        names: Without the word for what they did.
        part: What that was, "editor" or "translator"; None where no such word stands behind them.
        several: The word is that for several people: "eds."
    """

    names: str
    part: Part | None = None
    several: bool = False


def role_of(value: str) -> Role:
    """Tell an editor or a translator by the word behind the name: "Falk, Greta (Hrsg.)", "G. Falk,
    ed.", "王伟 主编". Words for other parts stay.
    """
    if not value.isascii() and (
        hit := _HAN_ROLE.search(value, max(0, len(value) - LONGEST_BESIDE))
    ):
        part = name_words.part_of(next(filter(None, hit.groups()), ""))
        return Role(value[: hit.start()].rstrip(), part) if part in _OWN_FIELDS else Role(value)
    if value.endswith((")", "]", ").", "].")):
        start = max(value.rfind("("), value.rfind("["))
        before, inner, is_sure = value[:start], value[start + 1 :].rstrip(")]."), start > 0
    else:
        before, _, inner = value.rpartition(",")
        inner = inner.strip()
        is_sure = (
            "," in before
            or (inner[:1].islower() and not value.islower())
            or (" " in before and (inner.endswith(".") or len(inner) > _LONGEST_SHORT))
        )
    if not is_sure or not before or len(inner) > LONGEST_BESIDE:
        return Role(value)
    words = [
        " ".join(word.replace(".", " ").split())
        for word in BETWEEN_RELATORS.split(inner.casefold())
    ]
    several = any(word.endswith("s") and name_words.part_or_none(word[:-1]) for word in words)
    parts = {
        name_words.part_or_none(word) or name_words.part_or_none(word.removesuffix("s"))
        for word in words
    }
    if not _ROLES.issuperset(parts):
        return Role(value)
    own = () if "author" in parts else _OWN_FIELDS
    return Role(before.rstrip(" ,"), next((one for one in own if one in parts), None), several)


_HOMONYM = late_pattern(r"\s\d{4}$")


#: Letters of the initials in "Smith JA".
_MOST_INITIALS = 5


_HONORIFICS = frozenset(word.capitalize() for word in name_words.HONORIFICS)


def initials_last(name: str) -> Author | None:
    """Read "Smith JA" or "Smith J.A." as family name Smith with initials as given names.

    Any other form, "Smith, Jo A" too, is read as `person` reads it.
    """
    name, suffix = without_suffix(name, least=2)
    head, _, tail = name.rpartition(" ")
    if not head or "," in head or ("." in tail and "." in head.replace("r.", "")):
        return person(f"{name} {suffix}" if suffix else name)  # "Smith J. A." has two blanks
    letters = tail.replace("-", "").replace(".", "")
    if tail.isupper() and letters.isalpha() and len(letters) <= _MOST_INITIALS:
        return person("", head, tail, suffix=suffix)
    return person(f"{name} {suffix}" if suffix else name)


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


def natural_order(name: str) -> Author | None:
    """Read a name whose source defines natural order, as BibTeX and DBLP do: "Ludwig van Hoven".

    By BibTeX's rule the family name begins with the first word in small letters, else it is the
    last word. Names of bodies and names in characters stay whole, and so does "Falk GA", which may
    end with initials; a single initial at the end ("Falk G") is no family name. A name with a comma
    is read as `person` reads it.
    """
    whole = person(name)
    if whole is None or whole.family or whole.collective or normalise.has_cjk(whole.name):
        return whole
    bare = without_suffix(whole.name)[0] if whole.suffix else whole.name
    words = bare.split()
    if len(words) < 2 or "," in bare or not _AND_WITHIN.isdisjoint(words):
        return whole
    if any(map(str.isdecimal, bare)) or holds_word_of_body(bare):
        return whole
    last = words[-1].replace(".", "").replace("-", "")
    is_family = len(last) > 1 and ("." not in words[-1] or not last.isupper())
    if not is_family:
        return person("", " ".join(words[:-1]), words[-1], whole.orcid, whole.suffix)
    if (chinese := _chinese(words)) is not None:
        return person("", *chinese, whole.orcid, whole.suffix)
    if len(words) == 2 and last.isupper() and len(last) <= 3 and not words[0].isupper():
        return whole  # "Falk GA" beside "Wei LI": nothing tells the two apart
    small = [at for at, word in enumerate(words[:-1]) if word[0].islower()]
    if len(small) == len(words) - 1 and words[-1][0].islower():  # "ada van byron"
        small = [at for at in small if words[at] in PARTICLES]
    first = small[0] if small else len(words) - 1
    family, given = " ".join(words[first:]), " ".join(words[:first])
    return person("", family, given, whole.orcid, whole.suffix)


_AND_WITHIN = frozenset(("and", "&", "+", "/", "@"))


# Bylines: several names in one string, in any style. "Smith, J., Jones, K. L." and "J. Smith, K. L.
# Jones, and M. Lee" hold commas of two meanings. What a comma parts is told from what stands
# between the commas: bare initials belong to the name before them, and a piece that has initials of
# its own is a whole name. Where both readings are possible ("Smith, John"), it is the one that
# databases write.

#: Longest byline that is looked at, in characters: a collaboration of five thousand.
LONGEST_BYLINE = 200_000

_NOT_NAMES = late_pattern(rf"{ET_AL}|{EDITOR_IN_BRACKETS}|, ?eds?\.?$", re.IGNORECASE)
_SEMICOLON = late_pattern(r" ?[;；] ?")
#: Behind initials, words that are particles elsewhere, too: "Osei, J. y Falk, K."
_AND = late_pattern(
    r"(?:(?<=[ ,])|^)(?:and|und|&)(?=[ ,]|$)|(?-i:(?<=[A-Z]\. )(?:et|y|e|u\.)(?= [A-ZÀ-Þ]))",
    re.IGNORECASE,
)
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
    R."), "word" (one word, particles before it not counted) or "words". `suffix`: "Jr.".
    """

    text: str
    kind: str
    suffix: str = ""


def people_in(text: str) -> tuple[Author, ...]:
    """The authors of a byline, in order; () where it holds no name. Never raises."""
    text = without_others(texts.without_markup(text[:LONGEST_BYLINE]))
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


def kinds_of(text: str) -> list[list[str]]:
    """The kinds of the pieces of a byline in Latin letters, in the groups that "and" divides: see
    `_Piece`.
    """
    shouted = text.isupper()
    groups = [_pieces(group, shouted=shouted) for group in _AND.split(text[:LONGEST_BYLINE])]
    return [[piece.kind for piece in pieces] for pieces in groups if pieces]


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
        return (new_author(_bare(text)),)
    inverted = _are_inverted(groups)
    if not inverted and is_first_inverted([[piece.kind for piece in group] for group in groups]):
        family, given, *others = groups[0]
        groups[0] = [_Piece(f"{family.text}, {given.text}", "words", given.suffix), *others]
    return tuple(
        author for group in groups for author in _people(group, inverted=inverted, shouted=shouted)
    )


def _pieces(group: str, *, shouted: bool) -> list[_Piece]:
    """The pieces of what stands between two "and"s, without "Jr." and the like."""
    out: list[_Piece] = []
    for text in _COMMA.split(group):
        text = _bare(text)
        word = text.rstrip(".").lower()
        if not word or (out and _is_degree_behind(text, out)):
            continue
        if found := suffix_of(word):
            if out:
                out[-1] = out[-1]._replace(suffix=found)
            continue
        if word in FIRMS and out:
            out[-1] = _Piece(f"{out[-1].text}, {text}", "words")
            continue
        glued = _GLUED.fullmatch(text)
        text = f"{glued[1]} {glued[2]}" if glued else text
        written = text.rpartition(" ")[2]
        text, found = without_suffix(text, least=2)
        tokens = text.split()
        if found and not shouted and written.isupper() and written.isalpha():
            ends = (tokens[0], tokens[-1])
            if not any(_is_initials(token, shouted=shouted) for token in ends):
                text, found = f"{text} {written}", ""  # "Van Der Berg II": initials
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
            out.append(_Piece(text, _kind(tokens, shouted=shouted), found))
    return out


def _is_degree_behind(text: str, before: list[_Piece]) -> bool:
    """Whether "MD" or "PhD" is a degree, and not the initials of the family name before it."""
    word = text.replace(".", "")
    if word.casefold() not in ("md", "phd"):
        return False
    is_family = before[-1].kind in ("word", "words") and (
        len(before) == 1 or before[-2].kind not in ("word", "words")
    )
    return not word.isupper() or not is_family


def _bare(text: str) -> str:
    """Without marks at its ends; the full stop stays behind an initial and an abbreviation."""
    text = text.strip(" ,:;")
    last = text.rpartition(" ")[2]
    return (
        text.rstrip(" .") if last.endswith(".") and len(last) > 3 and last.count(".") == 1 else text
    )


def _is_initials(token: str, *, shouted: bool) -> bool:
    """ "J", "J.", "J.R.", "J.-P." and, where not all is written in capitals, "JR"; not "LLC"."""
    if normalise.has_cjk(token) or token.lower() in name_words.FIRMS_BEHIND_COMMA:
        return False
    return _DOTTED.fullmatch(token.rstrip(".")) is not None or (
        not shouted and 2 <= len(token) <= 4 and token.isalpha() and token.isupper()
    )


def _kind(tokens: list[str], *, shouted: bool) -> str:
    if not shouted and _chinese(tokens) is not None:
        return "whole"
    initials = [_is_initials(token, shouted=shouted) for token in tokens]
    if all(initials):
        return "initials"
    if initials[0]:
        return "whole"
    if initials[-1]:
        return "trailing"
    return "word" if sum(token.lower() not in PARTICLES for token in tokens) <= 1 else "words"


def is_first_inverted(kinds: list[list[str]]) -> bool:
    """Whether the first name alone has its family name ahead, as bibliographies write it: "Falk,
    Greta, Ada Byron, and Kofi Osei". `kinds`: see `kinds_of`.
    """
    first, *others = kinds or [[]]
    return (
        bool(others)
        and len(first) > 1
        and first[0] == "word"
        and first[1] in ("word", "words", "trailing")
        and {"words", "whole"}.issuperset(chain(first[2:], *others))
    )


#: A syllable of Chinese in capitals, as a family name is written that stands first or last.
_SYLLABLE = late_pattern(r"[B-DF-HJ-NP-TW-Z]{0,2}[AEIOU]{1,3}(?:NG?)?")


def _chinese(tokens: list[str]) -> tuple[str, str] | None:
    """(family name, given name) of a Chinese name in Latin letters whose family name is in
    capitals: "WANG Xiaoming", "San-feng ZHANG"; None for all others, initials among them: "LI Wei"
    may be L. I. Wei.
    """
    if len(tokens) != 2 or tokens[0].isupper() is tokens[1].isupper():
        return None
    family, given = tokens if tokens[0].isupper() else reversed(tokens)
    if len(family) < 3 or not _SYLLABLE.fullmatch(family):
        return None
    from metasearch.bib.chinese_names import is_spelled, latin_surnames

    is_chinese = family.lower() in latin_surnames() and is_spelled(given.replace("-", "").lower())
    return (family, given) if is_chinese else None


def _are_inverted(groups: list[list[_Piece]]) -> bool:
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
            author = person("", piece.text, following.text, suffix=following.suffix or piece.suffix)
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
    tokens = piece.text.split()
    if not shouted and (chinese := _chinese(tokens)) is not None:
        return person("", *chinese)
    whole = f"{piece.text} {piece.suffix}".strip()
    if piece.kind not in ("whole", "trailing"):
        return person(whole)
    initials = [_is_initials(token, shouted=shouted) for token in tokens]
    turn = next(index for index, one in enumerate(initials) if one is not initials[0])
    before, behind = " ".join(tokens[:turn]), " ".join(tokens[turn:])
    family, given = (behind, before) if piece.kind == "whole" else (before, behind)
    alone = _kind(family.split(), shouted=True) == "word" and len(set(initials[turn:])) == 1
    return person("", family, given, suffix=piece.suffix) if alone else person(whole)
