"""BibTeX: one entry a hit, which both classic BibTeX with LaTeX and biblatex read.

Text stays UTF-8; only what TeX would act on is escaped. The braces of a value always balance,
whatever upstream sent, also for BibTeX, which counts those behind a backslash too. Fields that no
style prints tell the provenance: `sources` and `provenance`, and of files also `database` and
`origins`.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, count

from metasearch.bib import unicode_forms
from metasearch.formats.origins import NOTHING, Beside, BesideHits, joined
from metasearch.formats.reference import (
    date_parts,
    field_sources,
    full_title,
    identifiers,
    inverted,
    is_corporate,
    journal_like,
    link,
    page_ranges,
)
from metasearch.formats.romanised import romanised
from metasearch.formats.text import line
from metasearch.record import Author, Hit, Record

#: `Record.type` -> entry type; classic ones only, so what they lack is "misc".
BIBTEX_TYPES = {
    "article": "article",
    "preprint": "misc",
    "conference-paper": "inproceedings",
    "proceedings": "proceedings",
    "book": "book",
    "chapter": "incollection",
    "thesis": "phdthesis",
    "report": "techreport",
    "dataset": "misc",
    "software": "misc",
    "patent": "misc",
    "standard": "misc",
    "review": "article",
    "editorial": "article",
    "letter": "article",
    "erratum": "article",
    "retraction": "article",
    "reference-entry": "incollection",
    "journal": "misc",
    "map": "misc",
    "score": "misc",
    "audio": "misc",
    "video": "misc",
    "image": "misc",
    "webpage": "misc",
    "other": "misc",
}
#: Where an entry type names what contains the work, and who brought it out.
_VENUE_FIELD = {
    "article": "journal",
    "inproceedings": "booktitle",
    "incollection": "booktitle",
    "misc": "howpublished",
    "proceedings": "series",
    "book": "series",
    "techreport": "series",
    "phdthesis": "series",
}
_PUBLISHER_FIELD = {"phdthesis": "school", "techreport": "institution"}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

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
_apart = re.compile("[,;]")
_field_name = re.compile(r"[a-z][a-z0-9_-]{0,60}")
_key_word = re.compile(r"[a-z]{2,}[a-z0-9]*")
_ignored_word = re.compile(
    r"the|an|on|of|in|for|and|to|with|from|by|at|de|la|le|les|der|die|das|ein|eine|el|los", re.ASCII
)
#: Letters that decomposition does not take to ASCII.
_LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "Ae", "œ": "oe", "đ": "d"}
)
#: German writes every noun with a capital, in every style.
_CAPITAL_LANGUAGES = frozenset({"de", "deu", "ger", "german"})


def write(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> bytes:
    """The hits as BibTeX in UTF-8, in the order given; b"" for none.

    Args:
        hits: In the order of the entries.
        beside: What files say beside the records, by `Hit.id`.
    """
    chosen = list(hits)
    around = beside or {}
    entries = (
        _entry(hit, key, around.get(hit.id, NOTHING))
        for hit, key in zip(chosen, citation_keys(chosen), strict=True)
    )
    return "\n".join(entries).encode()


def citation_keys(hits: Iterable[Hit]) -> list[str]:
    """A key for each hit, in ASCII and unique among them: "vaswani2017attention".

    Hits that would share a key all get a hash of their id behind it, so that a key depends on which
    hits there are but not on their order, and the same search gives the same keys tomorrow.
    """
    chosen = list(hits)
    bases = [_base_key(hit.record) for hit in chosen]
    shared = Counter(bases)
    keys = [""] * len(chosen)
    taken: set[str] = set()
    for index in sorted(range(len(chosen)), key=lambda i: chosen[i].id):
        base = bases[index]
        keys[index] = base if shared[base] == 1 else _distinct(base, chosen[index].id, taken)
        taken.add(keys[index])
    return keys


def _distinct(base: str, hit_id: str, taken: set[str]) -> str:
    """The base with as much behind it as sets it apart; the hyphen occurs in no base."""
    digest = hashlib.sha256(hit_id.encode("utf-8", "replace")).hexdigest()
    suffixes = chain((digest[:6],), (f"{digest[:6]}-{n}" for n in count(2)))
    return next(key for suffix in suffixes if (key := f"{base}-{suffix}") not in taken)


def _base_key(record: Record) -> str:
    author = record.authors[0] if record.authors else None
    family = ""
    if author is not None:
        family = author.family or (
            author.name if "," not in author.name else author.name.partition(",")[0]
        )
        family = (
            family
            if author.family or is_corporate(author, record.authors)
            else family.rpartition(" ")[2]
        )
    name = re.sub(r"[^a-z0-9]", "", _ascii(family))[:24]
    if family and not name[:1].isalpha():
        name = romanised(family, family=bool(author and author.family))[:24]
    words = _key_word.findall(_ascii(record.title))
    word = next((w for w in words if not _ignored_word.fullmatch(w)), "")[:24]
    year = str(record.year) if record.year is not None and 0 < record.year < 10_000 else ""
    # A key that begins with a digit trips some tools.
    return f"{name if name[:1].isalpha() else 'anon' + name}{year}{word}"


def _ascii(text: str) -> str:
    decomposed = unicode_forms.normalize("NFKD", text[:300].translate(_LETTERS))
    return "".join(c for c in decomposed if c.isascii()).lower()


def _entry(hit: Hit, key: str, beside: Beside) -> str:
    entry_type = _type(hit.record)
    fields = dict(_fields(hit, entry_type))
    _add_beside(fields, beside)
    lines = [f"@{entry_type}{{{key}"]
    lines += [f"  {name} = {value}" for name, value in fields.items()]
    return ",\n".join(lines) + "\n}\n"


def _add_beside(fields: dict[str, str], beside: Beside) -> None:
    """Put the fields of files behind ours; several values of one are apart by semicolons. A name of
    ours is ours.
    """
    given: dict[str, list[str]] = {}
    for name, value in beside.fields:
        if (
            _field_name.fullmatch(name)
            and (name == "note" or name not in fields)
            and (shown := _as_given(value))
        ):
            known = given.setdefault(name, [])
            if shown not in known and shown not in "; ".join(known).split("; "):
                known.append(shown)
    for name, values in given.items():
        ours = [fields[name][1:-1]] if name in fields else []
        fields[name] = f"{{{'; '.join(dict.fromkeys([*ours, *values]))}}}"
    for name, text in (
        ("database", "; ".join(beside.databases)),
        ("origins", joined(beside.origins)),
    ):
        if text:
            fields[name] = f"{{{_escaped(text)}}}"


def _as_given(value: str) -> str:
    """A value as it stood in a file, with its LaTeX; escaped where braces do not pair up or a
    command may do harm.
    """
    shown = line(value)
    commands = {hit[1] for hit in _command.finditer(shown)} - {None}
    safe = commands <= _COMMANDS and "^^" not in shown and not shown.endswith("\\")
    return shown if safe and _pairs(shown) else _escaped(shown)


def _type(record: Record) -> str:
    if record.type is None and journal_like(record):
        return "article"
    return BIBTEX_TYPES.get(record.type or "other", "misc")


def _publisher(record: Record, entry_type: str) -> str | None:
    """Who stands in the field of the publisher: of theses and reports the body that the type
    names.
    """
    return (
        record.institution or record.publisher
        if entry_type in _PUBLISHER_FIELD
        else record.publisher
    )


def _listed(keywords: Iterable[str]) -> str:
    """Keywords apart by commas, as biblatex and Zotero part them; one that holds a comma stands in
    braces.
    """
    shown = (_escaped(it) for it in keywords)
    return ", ".join(f"{{{it}}}" if _apart.search(it) else it for it in shown if it)


def _fields(hit: Hit, entry_type: str) -> Iterator[tuple[str, str]]:
    """Names and values, the values with their delimiters."""
    it = hit.record
    arxiv = it.ids.get("arxiv")
    values = (
        ("title", _title(full_title(it), it.language)),
        ("author", " and ".join(_name(a, it.authors) for a in it.authors)),
        ("editor", " and ".join(_name(a, it.editors) for a in it.editors)),
        (_VENUE_FIELD[entry_type], _escaped(it.venue)),
        (_PUBLISHER_FIELD.get(entry_type, "publisher"), _escaped(_publisher(it, entry_type))),
        ("type", "Thesis" if entry_type == "phdthesis" else ""),
        ("year", f"{it.year:04d}" if it.year is not None and 0 < it.year < 10_000 else ""),
        ("edition", _escaped(it.edition)),
        ("volume", _escaped(it.volume)),
        ("number", _escaped(it.issue)),
        (
            "pages",
            ", ".join(
                f"{_escaped(a)}--{_escaped(b)}" if b else _escaped(a)
                for a, b in page_ranges(it.pages)
            ),
        ),
        ("doi", _verbatim(it.doi)),
        ("url", _verbatim(link(it))),
        ("eprint", _escaped(arxiv)),
        ("archiveprefix", "arXiv" if arxiv else ""),
        ("isbn", _escaped(", ".join(it.isbn))),
        ("issn", _escaped(", ".join(it.issn))),
        ("identifiers", _escaped("; ".join(identifiers(it)))),
        ("language", _escaped(it.language)),
        ("keywords", _listed(dict.fromkeys(it.keywords + it.subjects))),
        ("abstract", _escaped(it.abstract)),
        ("note", "Retracted" if it.retracted else ""),
        ("sources", _escaped(", ".join(hit.sources))),
        ("provenance", _escaped("; ".join(field_sources(hit)))),
    )
    for name, value in values:
        if value:
            yield name, f"{{{value}}}"
        if name == "year" and (month := _month_macro(it.date)):
            yield "month", month


def _month_macro(date: str | None) -> str | None:
    """The macro that every style defines: "mar" for "2020-03-15"."""
    number = int(date_parts(date)[1] or 0)
    return _MONTHS[number - 1] if 1 <= number <= 12 else None


def _escaped(text: str | None) -> str:
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


def _verbatim(text: str | None) -> str:
    return line(text).translate(_VERBATIM_ESCAPES)


def _name(author: Author, authors: tuple[Author, ...]) -> str:
    """A name that BibTeX takes apart as we mean it; braces keep whole what it would split."""
    name = _escaped(inverted(author))
    family, given = line(author.family), line(author.given)
    if is_corporate(author, authors):
        return f"{{{name}}}"
    if not family:
        return f"{{{name}}}" if _splits(name) or name.count(",") > 1 else name
    family, given = _escaped(family), _escaped(given)
    if _splits(family) or "," in family or (not given and " " in family):
        family = f"{{{family}}}"
    if _splits(given) or "," in given:
        given = f"{{{given}}}"
    return f"{family}, {given}" if given else family


def _splits(name: str) -> bool:
    """Whether BibTeX would read an end of the name, or "et al.", into it."""
    return _and.search(name) is not None or name.casefold() == "others"


def _title(title: str, language: str | None) -> str:
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
        w
        for w in words[1:]
        if len(w) > 3 and w[0].isalpha() and not any(c.isupper() for c in w[1:])
    ]
    names_stand_out = (
        sum(w[0].isupper() for w in later) * 2 < len(later) or language in _CAPITAL_LANGUAGES
    )
    shown = []
    after_break = True
    for word in words:
        bare = word.strip("\"'()[]«»\u201c\u201d\u2018\u2019.,:;?!")
        capital = bare[:1].isupper() and not after_break
        inner = any(c.isupper() for c in bare[1:]) and not _is_title_hyphenated(bare)
        if inner or (capital and (names_stand_out or (len(bare) == 1 and bare != "A"))):
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
    """Whether the inner capitals of a word only begin its parts ("Self-Attention", but not
    "COVID-19" or "X-Ray").
    """
    parts = word.split("-")
    return len(parts) > 1 and all(len(p) > 1 and not any(c.isupper() for c in p[1:]) for p in parts)
