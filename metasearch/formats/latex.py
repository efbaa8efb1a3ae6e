"""Text, names and titles as BibTeX and LaTeX read them: escaped, with braces where they are needed.

The braces of a value always balance, also for BibTeX, which counts those behind a backslash too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from metasearch.formats.reference import are_corporate, inverted
from metasearch.formats.text import line
from metasearch.record import Author

# Commands end in {} and never begin with a brace: "@misc{" in a title must not look like an entry
# to anyone.
_ESCAPED = {
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
}
#: For text whose braces pair up: the form that every reader decodes.
_PAIRED = str.maketrans(_ESCAPED | {"{": r"\{", "}": r"\}"})
#: For all other text: BibTeX counts a brace even behind a backslash, so a lone one must not stand
#: there.
_UNPAIRED = str.maketrans(_ESCAPED | {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"})
#: doi and url are printed verbatim; only what would end or unbalance the value, or spell a
#: backslash for TeX ("^^5c"), is encoded.
_VERBATIM_ESCAPES = str.maketrans({"{": "%7B", "}": "%7D", "\\": "%5C", "^": "%5E"})

_and = re.compile(r"\band\b", re.IGNORECASE)
_brace = re.compile("[{}]")
#: Commands of LaTeX that only say how text looks; what is written for our own escapes among them.
_COMMANDS = frozenset(
    """
    emph textit textbf textsc textsl texttt textrm textsuperscript textsubscript ensuremath url href
    path noopsort ss o O l L ae AE oe OE aa AA i j dh th c k v u H r b d t textbackslash
    textasciitilde textasciicircum textbraceleft textbraceright
""".split()
)
_command = re.compile(r"\\(?:([A-Za-z]+)|.)", re.DOTALL)
#: German writes every noun with a capital, in every style.
_CAPITAL_LANGUAGES = frozenset({"de", "deu", "ger", "german"})


def escaped(text: str | None) -> str:
    shown = line(text)
    return shown.translate(_escapes(shown))


def _escapes(text: str) -> dict[int, str]:
    """How the characters of this text are escaped."""
    return _PAIRED if _pairs(text) else _UNPAIRED


def _pairs(text: str) -> bool:
    depth = 0
    for brace in _brace.findall(text):
        depth += 1 if brace == "{" else -1
        if depth < 0:
            break
    return depth == 0


def verbatim(text: str | None) -> str:
    return line(text).translate(_VERBATIM_ESCAPES)


def names_of(authors: Sequence[Author]) -> str:
    """The names with "and" between them, as BibTeX takes them apart."""
    bodies = are_corporate(authors)
    return " and ".join(
        _name_of(author, body=body) for author, body in zip(authors, bodies, strict=True)
    )


def _name_of(author: Author, *, body: bool) -> str:
    """A name that BibTeX takes apart as we mean it; braces keep whole what it would split."""
    name = escaped(inverted(author))
    family, given = line(author.family), line(author.given)
    if body:
        return f"{{{name}}}"
    if not family:
        return f"{{{name}}}" if _splits(name) or name.count(",") > 1 else name
    family, given = escaped(family), escaped(given)
    if _splits(family) or "," in family or (not given and " " in family):
        family = f"{{{family}}}"
    if _splits(given) or "," in given:
        given = f"{{{given}}}"
    return f"{family}, {given}" if given else family


def _splits(name: str) -> bool:
    """Whether BibTeX would read an end of the name, or "et al.", into it."""
    return _and.search(name) is not None or name.casefold() == "others"


def title_of(title: str, language: str | None) -> str:
    """The title escaped, in braces those words whose capitals a style must not lower.

    These are words with a capital past their first letter (DNA, mRNA), single capitals (hepatitis
    C), and, where the title is written in sentence case, every capitalised word but the first (a
    history of {Paris}).
    """
    words = title.split(" ")
    escapes = _escapes(title)
    if not any(c.islower() for c in title):
        return title.translate(escapes)
    later = [
        word
        for word in words[1:]
        if len(word) > 3 and word[0].isalpha() and not _has_capital(word[1:])
    ]
    names_stand_out = (
        sum(word[0].isupper() for word in later) * 2 < len(later) or language in _CAPITAL_LANGUAGES
    )
    shown = []
    after_break = True
    for word in words:
        bare = word.strip("\"'()[]«»\u201c\u201d\u2018\u2019.,:;?!")
        capital = bare[:1].isupper() and not after_break
        inner = _has_capital(bare[1:]) and not _is_title_hyphenated(bare)
        stands_out = names_stand_out or (len(bare) == 1 and bare != "A")
        if inner or (capital and stands_out):
            before, _, behind = word.partition(bare)
            shown.append(
                f"{before.translate(escapes)}{{{bare.translate(escapes)}}}{behind.translate(escapes)}"
            )
        else:
            shown.append(word.translate(escapes))
        # Styles leave the first letter after a colon alone.
        after_break = word.endswith(":")
    return " ".join(shown)


def _is_title_hyphenated(word: str) -> bool:
    """Whether capitals within a word begin its parts ("Self-Attention", not "COVID-19")."""
    parts = word.split("-")
    return len(parts) > 1 and all(len(part) > 1 and not _has_capital(part[1:]) for part in parts)


def _has_capital(text: str) -> bool:
    return any(character.isupper() for character in text)


def as_given(value: str) -> str:
    """A value as in a file, with its LaTeX; escaped where braces or commands may do harm."""
    shown = line(value)
    commands = {hit[1] for hit in _command.finditer(shown)} - {None}
    safe = commands <= _COMMANDS and "^^" not in shown and not shown.endswith("\\")
    return shown if safe and _pairs(shown) else escaped(shown)
