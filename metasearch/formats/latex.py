"""LaTeX to text and text to LaTeX, as far as titles, names and abstracts use it; macros of
journals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import Any

from metasearch.bib import normalise
from metasearch.formats.text import line

# LaTeX to text, as far as titles, names and abstracts use it: accents, letters, symbols, grouping,
# small formulas. pylatexenc, which knows what hundreds of commands mean, gives the symbols. Its own
# decoder is not used: it drops commands that it does not know together with their argument, raises
# on others, takes 0.2 ms for an accent, and follows nested braces until Python's stack ends.

#: Accent commands -> combining character.
_ACCENTS = {
    "'": "\u0301", "`": "\u0300", "^": "\u0302", '"': "\u0308", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "k": "\u0328",
    "r": "\u030a", "d": "\u0323", "b": "\u0331", "t": "\u0361",
}  # fmt: skip
#: Commands that pylatexenc does not know, or gives as a letter that no author types.
_SYMBOLS = {
    "textless": "<", "textgreater": ">", "textbar": "|", "textbraceleft": "{",
    "textbraceright": "}", "textasciicircum": "^", "textasciitilde": "~", "texttildelow": "~",
    "textbackslash": "\\", "backslash": "\\", "textunderscore": "_", "textquotedbl": '"',
    "textquotesingle": "'", "pounds": "£", "copyright": "©", "S": "§", "P": "¶", "euro": "€",
    "EUR": "€", "slash": "/", "textperiodcentered": "·", "lbrace": "{", "rbrace": "}",
    "textvisiblespace": " ", "quad": " ", "qquad": " ", "newline": " ", "par": " ",
    "linebreak": " ", "space": " ", "i": "i", "j": "j", "sqrt": "√", "degree": "°", "celsius": "°C",
    "nobreakspace": " ", "TeX": "TeX", "LaTeX": "LaTeX", "hyphen": "-", "cprime": "ʹ",
    "cdprime": "ʺ",
}  # fmt: skip
#: Of \href{address}{text} only the text is meant to be read.
_HREF = re.compile(r"\\href\s*\{[^{}]{0,2000}\}")
_TOKEN = re.compile(
    r"\\([A-Za-z]+)\*?[ \t\n]*|\\(.?)|([{}])|(\$+)|([_^])|(~)|(-{2,3})|(``|'')|([^\\{}$_^~`'-]+|.)",
    re.DOTALL,
)
_SPECIAL = re.compile(r"[\\{}$~]|--|``|''")
_BLANKS = frozenset(" ,;:>\n\t\\")


def decode(value: str) -> str:
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
            elif symbol := _symbol(command) if command else _meaning_of_escape(sign):
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


def _meaning_of_escape(sign: str) -> str:
    r"""What a backslash before a sign means: "\&" is "&", "\," a thin blank, "\-" a break."""
    if sign in _BLANKS:
        return " "
    return "" if sign in "-/!" else sign


@cache
def _macros() -> Any:
    from pylatexenc.latex2text import get_default_latex_context_db

    return get_default_latex_context_db()


@lru_cache(maxsize=4096)
def _symbol(command: str) -> str:
    """The character of a command; "" where it only says how its argument looks."""
    if command in _SYMBOLS:
        return _SYMBOLS[command]
    symbol = getattr(_macros().get_macro_spec(command), "simplify_repl", None)
    return symbol if isinstance(symbol, str) and "%" not in symbol else ""


#: Commands that say how text looks, or where a line may end, and that pylatexenc does not know.
_SILENT = frozenset(
    """
    it rm sc bf em tt sl sf up cal boldmath tiny scriptsize footnotesize small normalsize large
    relax protect string unskip ignorespaces nobreak allowbreak penalty selectfont hskip vskip sep
    newblock textup displaystyle textstyle limits nolimits left right big bigl bigr Big mathstrut
""".split()
)
_COMMAND = re.compile(r"\\([A-Za-z]{1,60})(?![A-Za-z])\s{0,9}([{\[]?)(\}?)")


@cache
def _commands() -> frozenset[str]:
    return frozenset(spec.macroname for spec in _macros().iter_macro_specs())


def unknown_commands(values: Iterable[str]) -> list[str]:
    """The commands of values that stand for a text that is not known, each once. What stands in
    braces behind a command is read, and is not lost.
    """
    found = (
        hit[1]
        for value in values
        if "\\" in value
        for hit in _COMMAND.finditer(value)
        if (not hit[2] or hit[3])
    )
    return [
        name
        for name in dict.fromkeys(found)
        if not (
            name in _SILENT
            or name in _SYMBOLS
            or name in _ACCENTS
            or name.lower() in JOURNALS
            or name in _commands()
        )
    ]


# Text, names and titles as BibTeX and LaTeX read them: escaped, with braces where they are needed.
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

_brace = re.compile("[{}]")
#: Where LaTeX would make one sign of two: a dash of hyphens, a quotation mark of quotes.
_ligature = re.compile(r"(?<=-)(?=-)|(?<=`)(?=`)|(?<=')(?=')|(?<=[?!])(?=`)")
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


def escape(text: str | None) -> str:
    shown = line(text)
    return _ligature.sub("{}", shown.translate(_escapes(shown)))


def _escapes(text: str) -> dict[int, str]:
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


def title_of(title: str, language: str | None) -> str:
    """The title escaped, in braces those words whose capitals a style must not lower.

    These are words with a capital past their first letter (DNA, mRNA), single capitals (hepatitis
    C), and, where the title is written in sentence case, every capitalised word but the first (a
    history of {Paris}).
    """
    words = title.split(" ")
    escapes = _escapes(title)
    if not any(c.islower() for c in title):
        return _ligature.sub("{}", title.translate(escapes))
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
    return _ligature.sub("{}", " ".join(shown))


def _is_title_hyphenated(word: str) -> bool:
    """Whether capitals within a word begin its parts ("Self-Attention", not "COVID-19")."""
    parts = word.split("-")
    return len(parts) > 1 and all(len(part) > 1 and not _has_capital(part[1:]) for part in parts)


def _has_capital(text: str) -> bool:
    return any(character.isupper() for character in text)


def as_in_file(value: str) -> str:
    """A value as in a file, with its LaTeX; escaped where braces or commands may do harm."""
    shown = line(value)
    commands = {hit[1] for hit in _command.finditer(shown)} - {None}
    safe = commands <= _COMMANDS and "^^" not in shown and not shown.endswith("\\")
    return shown if safe and _pairs(shown) else escape(shown)


# The macros that stand for journals in the BibTeX of the Astrophysics Data System: those of AASTeX,
# which A&A's class has, too. https://ui.adsabs.harvard.edu/help/actions/journal-macros

_TABLE = """
aas American Astronomical Society Meeting Abstracts
aj The Astronomical Journal
actaa Acta Astronomica
araa Annual Review of Astronomy and Astrophysics
apj The Astrophysical Journal
apjl The Astrophysical Journal Letters
apjlett The Astrophysical Journal Letters
apjs The Astrophysical Journal Supplement Series
apjsupp The Astrophysical Journal Supplement Series
ao Applied Optics
applopt Applied Optics
apss Astrophysics and Space Science
aap Astronomy and Astrophysics
astap Astronomy and Astrophysics
aapr The Astronomy and Astrophysics Review
aaps Astronomy and Astrophysics Supplement Series
aplett Astrophysical Letters
apspr Astrophysics and Space Physics Research
azh Astronomicheskii Zhurnal
baas Bulletin of the American Astronomical Society
bac Bulletin of the Astronomical Institutes of Czechoslovakia
bain Bulletin of the Astronomical Institutes of the Netherlands
caa Chinese Astronomy and Astrophysics
cjaa Chinese Journal of Astronomy and Astrophysics
dps AAS/Division for Planetary Sciences Meeting Abstracts
fcp Fundamentals of Cosmic Physics
gca Geochimica et Cosmochimica Acta
grl Geophysical Research Letters
iaucirc International Astronomical Union Circular
icarus Icarus
jaavso Journal of the American Association of Variable Star Observers
jcap Journal of Cosmology and Astroparticle Physics
jcp The Journal of Chemical Physics
jgr Journal of Geophysical Research
jqsrt Journal of Quantitative Spectroscopy and Radiative Transfer
jrasc Journal of the Royal Astronomical Society of Canada
maps Meteoritics & Planetary Science
memras Memoirs of the Royal Astronomical Society
memsai Memorie della Società Astronomica Italiana
mnras Monthly Notices of the Royal Astronomical Society
na New Astronomy
nar New Astronomy Reviews
nat Nature
nphysa Nuclear Physics A
pasa Publications of the Astronomical Society of Australia
pasj Publications of the Astronomical Society of Japan
pasp Publications of the Astronomical Society of the Pacific
physrep Physics Reports
physscr Physica Scripta
planss Planetary and Space Science
pra Physical Review A
prb Physical Review B
prc Physical Review C
prd Physical Review D
pre Physical Review E
prl Physical Review Letters
procspie Proceedings of SPIE
psj The Planetary Science Journal
qjras Quarterly Journal of the Royal Astronomical Society
rmp Reviews of Modern Physics
rmxaa Revista Mexicana de Astronomía y Astrofísica
skytel Sky and Telescope
solphys Solar Physics
sovast Soviet Astronomy
ssr Space Science Reviews
zap Zeitschrift für Astrophysik
"""
#: Macro, without its backslash -> the journal.
JOURNALS: Mapping[str, str] = dict(row.split(" ", 1) for row in _TABLE.strip().splitlines())
_MACRO = re.compile(r"\\([A-Za-z]{1,20})(?![A-Za-z])(?:\{\})?(?:\\ |\\?$)?")


def with_names(raw: str) -> str:
    r"""A value of BibTeX with the names of the journals that its macros stand for: of `{\apj}`,
    "{The Astrophysical Journal}". Other commands stay.
    """
    return _MACRO.sub(_name, raw) if "\\" in raw else raw


def _name(hit: re.Match[str]) -> str:
    name = JOURNALS.get(hit[1].lower())
    if name is None:
        return hit[0]
    behind = " " if hit[0].endswith("\\ ") else ""
    return name.replace("&", r"\&") + behind
