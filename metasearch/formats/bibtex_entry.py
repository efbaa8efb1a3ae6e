"""What stands in an entry of BibTeX: LaTeX to text and text to LaTeX, as far as titles, names and
abstracts use it, names of people, and fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from metasearch.bib import converters, normalise
from metasearch.bib import identifiers as identifier_forms
from metasearch.bib.name_words import means_others
from metasearch.bib.names import people_in, person
from metasearch.formats import origins
from metasearch.formats.reading import values, worktypes
from metasearch.formats.reading.result import Draft
from metasearch.formats.reference import are_corporate, inverted
from metasearch.formats.text import line
from metasearch.record import TYPES as RECORD_TYPES
from metasearch.record import Author

# LaTeX to text, as far as titles, names and abstracts use it: accents, letters, symbols, grouping,
# small formulas. pylatexenc, which knows what hundreds of commands mean, gives the symbols. Its own
# decoder is not used: it drops commands that it does not know together with their argument, raises
# on others, takes 0.2 ms for an accent, and follows nested braces until Python's stack ends.

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


# What the fields of a BibTeX or biblatex entry say of a work, LaTeX turned into text.

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


# What the fields of a BibTeX or biblatex entry say of a work, LaTeX turned into text.

#: Entry type -> `Record.type`; others say nothing.
TYPES: Mapping[str, str] = {
    "article": "article", "periodical": "journal", "suppperiodical": "article", "book": "book",
    "mvbook": "book",
    "collection": "book", "mvcollection": "book", "booklet": "book", "reference": "book",
    "mvreference": "book",
    "inbook": "chapter", "incollection": "chapter", "bookinbook": "chapter", "suppbook": "chapter",
    "suppcollection": "chapter", "inreference": "reference-entry",
    "inproceedings": "conference-paper",
    "conference": "conference-paper", "proceedings": "proceedings", "mvproceedings": "proceedings",
    "phdthesis": "thesis", "mastersthesis": "thesis", "bachelorsthesis": "thesis",
    "thesis": "thesis",
    "techreport": "report", "report": "report", "manual": "report", "dataset": "dataset",
    "software": "software",
    "patent": "patent", "standard": "standard", "online": "webpage", "electronic": "webpage",
    "www": "webpage",
    "webpage": "webpage", "preprint": "preprint", "audio": "audio", "music": "audio",
    "video": "video",
    "movie": "video", "image": "image", "artwork": "image", "map": "map", "review": "review",
    "letter": "letter",
}  # fmt: skip
#: Where the container stands: the first that has a text.
_VENUES = (
    "journal",
    "journaltitle",
    "booktitle",
    "maintitle",
    "eventtitle",
    "shortjournal",
    "howpublished",
    "series",
)
_PUBLISHERS = ("publisher", "institution", "organization", "school")
_THESIS_PUBLISHERS = ("school", "institution", "publisher")
_TITLES = ("origtitle", "titletranslation", "translatedtitle")
_PAGES = ("pages", "page", "eid", "articleno", "article-number", "art_number")
_LINKS = ("url", "howpublished", "link", "bdsk-url-1", "ee", "adsurl", "biburl")
#: Fields of which a record holds all, that our writer makes, or that mean nothing in another file.
_HELD = frozenset(
    """
    title subtitle author editor journal journaltitle booktitle year month day date volume number
    issue doi url link isbn issn eissn publisher school institution edition language langid abstract
    keywords keyword eprint archiveprefix eprinttype pmid pmcid identifiers sources provenance
    origins database pages page crossref xdata entrysubtype origtitle titletranslation
""".split()
)
_IDENTIFIERS = ("pmid", "pmcid", "lccn", "oclc", "arxiv", "arxivid", "openalex", "mag", "s2id")
_SCHEMES = {"arxivid": "arxiv", "s2id": "s2", "pubmed": "pmid", "medline": "pmid"}

_ARXIV = re.compile(r"\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?")
_ADDRESS = re.compile(r"\\(?:url|href|path)\b|^\s*https?://", re.IGNORECASE)
_ESCAPED_FORMATS = re.compile(r"\\([_&%#$~{}^-])(?:\{\})?")
_KEYWORD_FIELDS = ("keywords", "keyword", "author_keywords")
_KEYWORDS = re.compile(r"[;；\n]|\\sep\b")
_COMMAS = re.compile("[,，、]")
_ANY_MARK = re.compile("[,，、;；]")
_GROUP = re.compile(r"(?<![\\\w])\{[^{}]*\}")
#: Characters that stand for groups while the others are parted.
_FIRST_MARK, _MOST_MARKS = 0xE000, 2_000
_MARKS = re.compile(f"[{chr(_FIRST_MARK)}-{chr(_FIRST_MARK + _MOST_MARKS - 1)}]")


def draft(kind: str, key: str, fields: Mapping[str, str]) -> Draft:
    """A draft of an entry. `kind`: the entry type, lower case. `fields`: names in lower case ->
    values without their delimiters.
    """

    def texts(*names: str) -> list[str]:
        shown = (decoded(fields[name]).strip() for name in names if name in fields)
        return [text for text in shown if text]

    title, titles = values.titles(texts("title", *_TITLES))
    date = texts("date")[:1] or _dates(texts("year"), texts("month"), texts("day"))
    year = values.year([*texts("year"), *date])
    isbn, issn = values.standard_numbers(texts("isbn", "issn", "eissn"))
    links = values.links(_verbatim(fields.get(name, "")) for name in _LINKS)
    publisher = values.first_text(
        texts(*(_THESIS_PUBLISHERS if TYPES.get(kind) == "thesis" else _PUBLISHERS))
    )
    venue = values.first_text(_venues(fields))
    ids = _identifiers(fields, texts, venue or "")
    found = {
        "source_id": values.text(key[: values.SHORT])[:200],
        "url": values.landing_page(links),
        "title": title,
        "subtitle": values.first_text(texts("subtitle")),
        "titles": titles,
        "authors": people(fields.get("author", "")) or people(fields.get("editor", "")),
        "editors": people(fields.get("editor", "")) if fields.get("author") else (),
        "year": year,
        "date": values.date(date, year),
        "venue": values.thesis_venue(publisher, venue) if TYPES.get(kind) == "thesis" else venue,
        "publisher": publisher,
        "institution": publisher if TYPES.get(kind) in ("thesis", "report") else None,
        "edition": values.first_text(texts("edition")),
        "volume": values.volume(next(iter(texts("volume")), "")),
        "issue": values.first_text(texts("number", "issue")),
        "pages": next((pages for text in texts(*_PAGES) if (pages := values.pages(text))), None),
        "doi": values.doi([_verbatim(fields.get("doi", ""))]) or values.doi_of_links(links),
        "ids": ids | values.identifiers(texts("unique-id"), links, texts("note")) | ids,
        "isbn": isbn,
        "issn": issn,
        "type": _type(kind, fields, venue or "", ids),
        "language": values.language(texts("language", "langid")),
        "abstract": values.abstract(texts("abstract")[:1]),
        "keywords": keywords(_first_filled(fields, _KEYWORD_FIELDS)),
        "retracted": worktypes.retracted(texts("note")),
    }
    made_of = origins.read(texts("origins"))
    sources = next(iter(texts("sources")), "").split(", ")  # ours: several for a merged hit
    said = [*(sources if len(sources) == 1 else []), *texts("database", "source")][:1]
    database = (
        origins.named(made_of) if made_of else values.database(said, (), links, texts("unique-id"))
    )
    beside = [
        (name, value) for name, value in fields.items() if name not in _HELD and value.strip()
    ]
    given = [(name, value) for name, value in beside if decoded(value).strip() != venue]
    return Draft(found, database, origins=made_of, given=given)


def _first_filled(fields: Mapping[str, str], names: Iterable[str]) -> str:
    raw = (fields.get(name, "") for name in names)
    return next((value for value in raw if value.strip()), "")


def keywords(raw: str) -> tuple[str, ...]:
    """Keywords apart by semicolons, else by commas; no mark within braces parts any."""
    text, whole = _without_braces(raw)
    parts = (_KEYWORDS if _KEYWORDS.search(text) else _COMMAS).split(text)
    found = (_MARKS.sub(lambda hit: whole[ord(hit[0]) - _FIRST_MARK], part) for part in parts)
    return values.texts(decoded(part).strip() for part in found)


def _without_braces(raw: str) -> tuple[str, list[str]]:
    """The text with a character of private use for each group in braces that holds a mark between
    keywords, and these.

    Braces around all of it say nothing.
    """
    if raw[:1] == "{" and raw[-1:] == "}" and _GROUP.fullmatch(raw):
        raw = raw[1:-1]
    raw = _MARKS.sub("", raw)
    whole: list[str] = []

    def mark(hit: re.Match[str]) -> str:
        if len(whole) == _MOST_MARKS or not _ANY_MARK.search(hit[0]):
            return hit[0]
        whole.append(hit[0])
        return chr(_FIRST_MARK + len(whole) - 1)

    return _GROUP.sub(mark, raw), whole


def _dates(year: list[str], month: list[str], day: list[str]) -> list[str]:
    """Year, month ("mar", "3", "mar # {~15}") and day as one date."""
    if not year or not month:
        return []
    parts = month[0].replace("~", " ").replace(".", " ").split()
    number = converters.date([year[0], *parts[:1], *(parts[1:2] or day)])
    return [number] if number else []


def _venues(fields: Mapping[str, str]) -> Iterator[str]:
    r"""What contains the work; of `journal = {\apj}`, a publisher's macro, the name."""
    for name in _VENUES:
        raw = fields.get(name, "")
        if raw and not (name == "howpublished" and _ADDRESS.search(raw)):
            yield decoded(raw) or raw.strip("{}\\ ")


def _identifiers(
    fields: Mapping[str, str], texts: Callable[..., list[str]], venue: str
) -> dict[str, str]:
    found = values.identifiers(texts("identifiers"))
    for name in _IDENTIFIERS:
        for value in texts(name):
            found.setdefault(_SCHEMES.get(name, name), value[:100])
    eprint = next(iter(texts("eprint")), "")
    scheme = next(iter(texts("archiveprefix", "eprinttype")), "").lower()
    if eprint and (scheme == "arxiv" or (not scheme and _ARXIV.fullmatch(eprint))):
        found.setdefault("arxiv", eprint)
    elif eprint and re.fullmatch(r"[a-z][a-z0-9]{1,20}", scheme):
        found.setdefault(_SCHEMES.get(scheme, scheme), eprint[:100])
    if "arxiv" not in found and "arxiv" in venue.lower():
        found["arxiv"] = venue
    if "arxiv" in found:
        found["arxiv"] = identifier_forms.arxiv_id(found["arxiv"]) or ""
    return {scheme: value for scheme, value in found.items() if value}


def _type(kind: str, fields: Mapping[str, str], venue: str, ids: Mapping[str, str]) -> str | None:
    found = TYPES.get(kind)
    if (subtype := fields.get("entrysubtype", "")) in RECORD_TYPES:  # ours
        return subtype
    in_arxiv = "arxiv" in venue.lower()
    if found in (None, "article", "webpage") and (
        in_arxiv or ("arxiv" in ids and not fields.get("journal"))
    ):
        return "preprint"
    return worktypes.refined(found, [fields["type"]] if "type" in fields else [])


def _verbatim(raw: str) -> str:
    r"""A DOI or address, which styles print as it is: without escapes and what surrounds it."""
    if "\\" in raw:
        raw = re.sub(r"\\(?:url|href|path|doi)\b\s*", "", raw)
        raw = (
            _ESCAPED_FORMATS.sub(r"\1", raw)
            .replace("\\textasciitilde", "~")
            .replace("\\textunderscore", "_")
        )
    return raw.replace("{", "").replace("}", "").strip().strip("<>")
