"""The names in a field of BibTeX or biblatex, still in LaTeX, as authors."""

from __future__ import annotations

import re

from metasearch.bib import converters, normalise
from metasearch.bib.names.byline import people_in
from metasearch.bib.names.person import person
from metasearch.bib.names.words import means_others
from metasearch.formats.bibtex.latex import decoded
from metasearch.record import Author

_EXTENDED = re.compile(
    r"(?<![a-z])(family|given|prefix|suffix)(?:-i)?\s*=\s*(\"[^\"]*\"|\{[^{}]*\}|[^,]*)",
    re.IGNORECASE,
)
_EXTENDED_STARTS = ("family=", "given=", "prefix=", "family-i=", "given-i=")
_OTHER_SEPARATOR = re.compile("[;；，、]")


def people(raw: str) -> tuple[Author, ...]:
    """The authors of a field, still in LaTeX: names apart by "and", in any of BibTeX's forms."""
    from bibtexparser.middlewares.names import split_multiple_persons_names

    raw = " ".join(raw.split())
    if not raw:
        return ()
    parts = split_multiple_persons_names(raw)
    if (
        len(parts) == 1
        and not raw.startswith(("{", *_EXTENDED_STARTS))
        and (_OTHER_SEPARATOR.search(raw) or raw.count(",") > 1)
    ):
        return people_in(
            decoded(raw)
        )  # names apart by something else, which BibTeX would take for one
    return tuple(
        author
        for part in parts
        if not means_others(part.strip("{} ")) and (author := _author(part))
    )


def _author(raw: str) -> Author | None:
    """One name; "Given Family" stays whole unless a particle or braces part it."""
    raw = raw.strip().rstrip(",")
    if raw.startswith("{") and _closes_at_end(raw):
        name = converters.text(decoded(raw))
        return Author(name) if name else None
    if raw.startswith(_EXTENDED_STARTS):
        return _extended(raw)
    if "{" not in raw and "\\" not in raw:
        if "," in raw:
            return person(raw.replace("~", " "))
        if not any(word[:1].islower() for word in raw.split()):
            return person(raw.replace("~", " "))
    return _in_parts(raw)


def _in_parts(raw: str) -> Author | None:
    from bibtexparser.middlewares.names import InvalidNameError, parse_single_name_into_parts

    try:
        parts = parse_single_name_into_parts(raw, strict=True)
    except InvalidNameError:
        return person(decoded(raw))
    family, given = decoded(" ".join([*parts.von, *parts.last])), decoded(" ".join(parts.first))
    particles = bool(parts.von) and normalise.family_key(" ".join([*parts.von, "x"])) == "x"
    in_braces = any("{" in word and " " in word for word in parts.last)
    if "," in raw or particles or in_braces:
        return person("", family, given)
    return person(decoded(raw))


def _extended(raw: str) -> Author | None:
    """biblatex's "family=Beethoven, given=Ludwig, prefix=van"."""
    parts = {name.lower(): decoded(value.strip(' "')) for name, value in _EXTENDED.findall(raw)}
    family = " ".join(filter(None, (parts.get("prefix"), parts.get("family"))))
    return person("", family, parts.get("given"))


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
