"""LaTeX to text and text to LaTeX, as far as titles, names and abstracts use it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any

from metasearch.bib import normalise
from metasearch.formats.reference import are_corporate, inverted
from metasearch.formats.text import line
from metasearch.record import Author

# LaTeX to text, as far as titles, names and abstracts use it: accents, letters, symbols, grouping,
# small formulas.
#
# pylatexenc, which knows what hundreds of commands mean, gives the symbols. Its own decoder is not
# used: it drops commands that it does not know together with their argument, raises on others,
# takes 0.2 ms for an accent, and follows nested braces until Python's stack ends.

#: Accent commands -> combining character.
_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304",
    ".": "\u0307",
    "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328", "r": "\u030a",
    "d": "\u0323",
    "b": "\u0331", "t": "\u0361",
}  # fmt: skip
#: Commands that pylatexenc does not know, or gives as a letter that no author types.
_SYMBOLS = {
    "textless": "<", "textgreater": ">", "textbar": "|", "textbraceleft": "{",
    "textbraceright": "}",
    "textasciicircum": "^", "textasciitilde": "~", "texttildelow": "~", "textbackslash": "\\",
    "backslash": "\\",
    "textunderscore": "_", "textquotedbl": '"', "textquotesingle": "'", "pounds": "£",
    "copyright": "©", "S": "§",
    "P": "¶", "euro": "€", "EUR": "€", "slash": "/", "textperiodcentered": "·", "lbrace": "{",
    "rbrace": "}",
    "textvisiblespace": " ", "quad": " ", "qquad": " ", "newline": " ", "par": " ",
    "linebreak": " ", "space": " ",
    "i": "i", "j": "j", "sqrt": "√",
}  # fmt: skip
#: Of \href{address}{text} only the text is meant to be read.
_HREF = re.compile(r"\\href\s*\{[^{}]{0,2000}\}")
_TOKEN = re.compile(
    r"\\([A-Za-z]+)\*?[ \t\n]*|\\(.?)|([{}])|(\$+)|([_^])|(~)|(-{2,3})|(``|'')|([^\\{}$_^~`'-]+|.)",
    re.DOTALL,
)
_SPECIAL = re.compile(r"[\\{}$~]|--|``|''")
_BLANKS = frozenset(" ,;:>\n\t\\")


def decoded(value: str) -> str:
    """The text of a value without braces; in linear time, without expanding or loading."""
    if _SPECIAL.search(value) is None:
        return value
    if "\\href" in value:
        value = _HREF.sub("", value)
    out: list[str] = []
    accents: list[str] = []
    formula = False
    for command, sign, brace, dollar, script, tie, dash, quote, text in _TOKEN.findall(value):
        if command or sign:
            if command in ("(", ")") or sign in ("(", ")", "[", "]"):
                formula = sign in ("(", "[")
            elif (name := command or sign) in _ACCENTS and not (formula and command):
                accents.append(name)
            elif symbol := _symbol(command) if command else _escaped(sign):
                _put(out, symbol, accents)
        elif text:
            _put(out, text, accents)
        elif brace == "}":
            # An accent over nothing is the sign itself: \~{} and \^{}.
            out += [accent for accent in accents if accent in "~^"]
            accents.clear()
        elif dollar:
            formula = not formula
        elif script:
            if not formula:
                _put(out, script, accents)
        elif tie:
            out.append(" ")
        elif dash:
            out.append("–" if len(dash) == 2 else "—")
        elif quote:
            out.append("“" if quote == "``" else "”")
    return normalise.normalize("NFC", "".join(out)) if "\\" in value else "".join(out)


def _put(out: list[str], text: str, accents: list[str]) -> None:
    """Append a text; accents that wait for a letter go onto its first."""
    if accents:
        text = text.lstrip()
        if not text:
            return
        text = text[0] + "".join(_ACCENTS[accent] for accent in accents) + text[1:]
        accents.clear()
    out.append(text)


def _escaped(sign: str) -> str:
    r"""What a backslash before a sign means: "\&" is "&", "\," a thin blank, "\-" a break."""
    if sign in _BLANKS:
        return " "
    return "" if sign in "-/!" else sign


@cache
def _known() -> Any:
    from pylatexenc.latex2text import get_default_latex_context_db

    return get_default_latex_context_db()


@lru_cache(maxsize=4096)
def _symbol(command: str) -> str:
    """The character of a command; "" where it only says how its argument looks."""
    if command in _SYMBOLS:
        return _SYMBOLS[command]
    symbol = getattr(_known().get_macro_spec(command), "simplify_repl", None)
    return symbol if isinstance(symbol, str) and "%" not in symbol else ""


# Text, names and titles as BibTeX and LaTeX read them: escaped, with braces where they are needed.
#
# The braces of a value always balance, also for BibTeX, which counts those behind a backslash too.

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
