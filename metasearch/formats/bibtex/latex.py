"""LaTeX to text, as far as titles, names and abstracts use it: accents, letters, symbols, grouping,
small formulas.

pylatexenc, which knows what hundreds of commands mean, gives the symbols. Its own decoder is not
used: it drops commands that it does not know together with their argument, raises on others, takes
0.2 ms for an accent, and follows nested braces until Python's stack ends.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from metasearch.bib import unicode_forms

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
    return unicode_forms.normalize("NFC", "".join(out)) if "\\" in value else "".join(out)


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
