"""Names of people in BibTeX and biblatex: divided by BibTeX's rule, and written so that BibTeX
divides them as they are meant.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from metasearch.bib import names, normalise, texts
from metasearch.bib.bylines import people_in, without_homonym
from metasearch.bib.name_words import BETWEEN_BODIES, BODIES, PARTICLES
from metasearch.bib.names import of_name, person, without_others
from metasearch.bib.names_in_field import authors_in_field
from metasearch.formats.latex import decode, escape
from metasearch.formats.reference import are_corporate
from metasearch.record import Author

_EXTENDED = re.compile(
    r"(?<![a-z])(family|given|prefix|suffix)(?:-i)?\s*=\s*(\"[^\"]*\"|\{[^{}]*\}|[^,]*)",
    re.IGNORECASE,
)
_EXTENDED_STARTS = ("family=", "given=", "prefix=", "family-i=", "given-i=", "suffix=")
_OTHER_SEPARATOR = re.compile("[;；，、]")
#: Two names with "&" between them, each of several words.
_AMPERSAND = re.compile(r"(?<=\S) \\?& (?=[^\s,]{1,100} \S)")
#: A whole name before a comma, initials first, behind which another one stands.
_LIST = re.compile(r"(?:\w\.[\s~-]?){1,5}[^\W\d_]{2}[^,.]{0,60},\s?(?:\w\.[\s~-]?){1,5}[^\W\d_]{2}")
#: Initials before a comma: "Falk G., Osei K."
_MAY_BE_LIST = re.compile(r"[^\s{}]\s[A-Z][A-Z.-]{0,6},\s")
_COMMAS, _BLANKS = re.compile("[{},]"), re.compile(r"[{}]|[\s~]+")
#: Between names, in any case; what is in braces, or part of a word, is none.
_AND = re.compile(r"[{}]|(?<![^\s~])and(?![^\s~])", re.IGNORECASE)
#: Characters at the end of a list in which words for others stand.
_LAST_NAME = 60
#: Initials behind a family name, which are no family name: "Smith JA", "Smith J.A.".
_INITIALS = re.compile(r"(?:[^\W\d_]\.-?){1,4}|[^\W\d_]{1,2}")


def people(raw: str) -> tuple[Author, ...]:
    """The people of a field, still in LaTeX: names apart by "and", in any of BibTeX's forms."""
    raw = " ".join(raw.split())
    if not raw:
        return ()
    if _AMPERSAND.search(raw) and not _names_body(raw):
        raw = _AMPERSAND.sub(" and ", raw)
    parts = [bare for part in _parts(raw, _AND) if (bare := without_others(part))]
    if len(parts) == 1 and normalise.has_cjk(raw) and not raw.startswith(("{", *_EXTENDED_STARTS)):
        return authors_in_field(decode(parts[0]))  # "김민수, 이서연", "王，小明"
    if _LIST.match(raw):
        return people_in(decode(raw))
    if (
        len(parts) == 1
        and not raw.startswith(("{", *_EXTENDED_STARTS))
        and (_OTHER_SEPARATOR.search(parts[0]) or _has_many_commas(parts[0]))
    ):
        # names apart by something else, which BibTeX would take for one
        return people_in(decode(parts[0]))
    if len(parts) == 1 and _MAY_BE_LIST.search(parts[0]):
        found = authors_in_field(decode(parts[0]))
        if len(found) > 1:
            return found
    return tuple(author for part in parts if (author := _author(part)))


def ends_with_others(raw: str) -> bool:
    """Whether a list of names ends in "and others" or "et al."."""
    end = " ".join(raw.split())[-_LAST_NAME:]
    return any(without_others(part) != part for part in _parts(end, _AND)[-1:])


def _parts(raw: str, mark: re.Pattern[str]) -> list[str]:
    """The parts of a name between marks outside of braces, without the empty ones."""
    parts, depth, start = [], 0, 0
    for hit in mark.finditer(raw):
        if (char := hit.group()) == "{":
            depth += 1
        elif char == "}":
            depth = max(depth - 1, 0)
        elif depth == 0:
            parts.append(raw[start : hit.start()])
            start = hit.end()
    return [bare for part in (*parts, raw[start:]) if (bare := part.strip("~ "))]


def _is_suffix(raw: str) -> bool:
    return bool(names.suffix_of(raw.strip("{} ")))


def _has_many_commas(raw: str) -> bool:
    """Whether more than two parts stand between commas, and none of three is "Jr."."""
    parts = _parts(raw, _COMMAS)
    return len(parts) > 3 or (len(parts) == 3 and not any(map(_is_suffix, parts[1:])))


def _author(raw: str) -> Author | None:
    """One name; that of a body stays whole."""
    raw = raw.strip(", ")
    if raw.startswith("{") and _closes_at_end(raw):
        name = texts.text(decode(raw))
        return Author(name) if name else None
    if raw.startswith(_EXTENDED_STARTS):
        return _by_named_parts(raw)
    if raw.count(",") == 1 and "{" not in raw and "\\" not in raw:
        family, given = raw.replace("~", " ").split(",")
        if not _is_suffix(given):
            return of_name(f"{family.strip()}, {given.strip()}")
    parts = _parts(raw, _COMMAS)
    suffix = next((part.strip("{} ") for part in parts[1:] if _is_suffix(part)), "")
    parts = [part for part in parts if part.strip("{} ") != suffix]
    if not suffix:
        # "Martin Luther King Jr.", "{King, Jr.}, Martin", "King, Martin L. Jr."
        for at, part in enumerate(parts):
            bare = part.strip("{}").replace("~", " ")
            cut = names.without_suffix(bare, least=2 if len(parts) == 1 else 1)
            if cut.suffix:
                parts[at], suffix = cut
                break
    if len(parts) < 2:
        return _natural(parts[0], suffix) if parts else None
    family, given = decode(parts[0]), decode(", ".join(parts[1:]))
    if suffix or "{" in raw or "\\" in raw:  # the first comma surely stands behind the family name
        return person("", family, given, suffix=suffix)
    return person(f"{family}, {given}")


def _names_body(raw: str) -> bool:
    words = set(raw.casefold().replace(",", " ").split()) - {"&", r"\&"}
    return not BODIES.isdisjoint(words) or not BETWEEN_BODIES.isdisjoint(words)


def _natural(raw: str, suffix: str = "") -> Author | None:
    """A name in natural order, divided as BibTeX does: the family name begins with the first word
    in small letters, else it is the last word. What is in braces is one word, and a capital.
    """
    whole = decode(raw)
    in_braces = raw.startswith("{") and _closes_at_end(raw)  # a family name, before "Jr."
    if normalise.has_cjk(whole) or (not in_braces and ("&" in whole or _names_body(raw))):
        return person(whole, suffix=suffix)
    if raw[-4:].isdecimal():
        raw = without_homonym(raw)
    words = _parts(raw, _BLANKS)
    last = words[-1] if words else ""
    if len(words) > 1 and last.isupper() and _INITIALS.fullmatch(last):
        return person(whole, suffix=suffix)  # "Smith JA" is no name of BibTeX
    small = [at for at, word in enumerate(words[:-1]) if _is_small(word)]
    if len(small) == len(words) - 1 and _is_small(last):  # a name all in small letters
        small = [at for at in small if words[at] in PARTICLES]
    first = small[0] if small else len(words) - 1
    family, given = (decode(" ".join(some)) for some in (words[first:], words[:first]))
    return person("", family, given, suffix=suffix)


def _is_small(word: str) -> bool:
    in_braces = word.startswith("{") and not word.startswith("{\\")
    return not in_braces and decode(word)[:1].islower()


def _by_named_parts(raw: str) -> Author | None:
    """biblatex's "family=Beethoven, given=Ludwig, prefix=van"."""
    parts = {name.lower(): decode(value.strip(' "')) for name, value in _EXTENDED.findall(raw)}
    family = " ".join(filter(None, (parts.get("prefix"), parts.get("family"))))
    return person("", family, parts.get("given"), suffix=parts.get("suffix"))


def _closes_at_end(raw: str) -> bool:
    """Whether the brace that opens a name is closed by its last character."""
    depth = 0
    for index, char in enumerate(raw):
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return index == len(raw) - 1
    return False


_and = re.compile(r"\band\b", re.IGNORECASE)


def names_of(authors: Sequence[Author]) -> str:
    """The names with "and" between them, as BibTeX takes them apart."""
    bodies = are_corporate(authors)
    return " and ".join(
        _name_of(author, body=body) for author, body in zip(authors, bodies, strict=True)
    )


def _name_of(author: Author, *, body: bool) -> str:
    """A name that BibTeX takes apart as we mean it; braces keep whole what it would split."""
    family, given = escape(author.family), escape(author.given)
    if not family:
        name = escape(author.name)
        alone = " " not in name and not normalise.has_cjk(name)  # no family name, as BibTeX thinks
        in_braces = body or alone or _splits(name) or name.count(",") > 1
        return f"{{{name}}}" if in_braces else name
    suffix = escape(author.suffix)
    if _splits(family) or "," in family or (not given and " " in family):
        family = f"{{{family}}}"
    if _splits(given) or "," in given:
        given = f"{{{given}}}"
    if "," in suffix:
        suffix = f"{{{suffix}}}"
    return ", ".join(filter(None, (family, suffix, given)))


def _splits(name: str) -> bool:
    """Whether BibTeX would read an end of the name, or "et al.", into it."""
    return _and.search(name) is not None or name.casefold() == "others"
