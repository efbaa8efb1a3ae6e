"""BibTeX and biblatex (.bib): one entry a work, read and written."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import tee
from typing import Any

from metasearch.formats import reference
from metasearch.formats.bibtex_entry import FULLER, OUR_TYPE, SPOKEN, draft, holds
from metasearch.formats.bibtex_heads import (
    START,
    with_plain_head,
    without_comment_blocks,
    without_comments,
)
from metasearch.formats.bibtex_names import names_of
from metasearch.formats.citation_keys import CitationKeys, citation_keys
from metasearch.formats.latex import (
    JOURNALS,
    as_in_file,
    escape,
    title_of,
    unknown_commands,
    verbatim,
)
from metasearch.formats.origins import NOTHING, Beside, BesideHits, one_text, with_beside
from metasearch.formats.reading.encodings import FileText
from metasearch.formats.reading.result import Draft, EntryCollector, FileReading
from metasearch.formats.reading.worktypes import IN_JOURNALS
from metasearch.record import TYPES, Hit, Record

# Values of BibTeX: delimiters, `#` between operands, and macros.

#: Characters that macros may give to one value, and that an entry may take from another: a file
#: must not be able to say in a few letters what takes hours to read.
MOST_REPEATED = 2_000

_JOURNALS = frozenset({"journal", "journaltitle", "booktitle"})
_MONTHS = frozenset("jan feb mar apr may jun jul aug sep oct nov dec".split())
_NEXT_FIELD = re.compile(r"(?<=[}\"\w])\s{1,50}([A-Za-z][\w-]{1,30})\s{0,9}=\s{0,9}(?=[{\"\d])")
_MARK = re.compile(r"\\.|[{}\"#]", re.DOTALL)


class Values:
    """Takes delimiters off values, and puts in what macros stand for; each set once."""

    def __init__(self, strings: Mapping[str, str]) -> None:
        self._strings = strings
        self._done: dict[int, dict[str, str]] = {}
        self._told: set[str] = set()

    def of(self, raw: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
        """The fields of an entry, which the caller may change, and remarks on macros not remarked
        on before.

        `raw`: names -> values as they are delimited in the file; must live as long as this does.
        """
        remarks: list[str] = []
        done = self._done.get(id(raw))
        if done is None:
            done = self._done[id(raw)] = {}
            for key, value in raw.items():
                done[key], unknown = evaluate(value, self._strings)
                journal = None
                if key in _JOURNALS and unknown == [done[key]]:
                    journal = JOURNALS.get(unknown[0].removeprefix("\\").lower())
                    done[key] = journal or done[key]
                for name in unknown:
                    if name not in self._told:
                        self._told.add(name)
                        stands = "the journal that AASTeX calls so" if journal else "its name"
                        remarks.append(
                            f"the macro {name[:60]!r} is defined nowhere; {stands} stands for it"
                        )
        return dict(done), remarks


def evaluate(raw: str, strings: Mapping[str, str]) -> tuple[str, list[str]]:
    """The text of `{...}`, `"..."`, `1999` or `jan # "~1"`, and macros that are not defined."""
    if raw[:1] == "{" and raw[-1:] == "}" and "#" not in raw:
        return raw[1:-1], []
    out: list[str] = []
    unknown: list[str] = []
    room = MOST_REPEATED
    for operand in _operands(raw):
        part = operand.strip()
        if len(part) > 1 and part[0] + part[-1] in ("{}", '""'):
            out.append(part[1:-1])
        elif (macro := strings.get(part.lower())) is not None:
            out.append(macro[:room])
            room -= len(out[-1])
        else:
            out.append(part)
            if not (part.isdecimal() or part.lower() in _MONTHS) and re.fullmatch(
                r"[^\s{}\"#,=]{1,60}", part
            ):
                unknown.append(part)
    return "".join(out), unknown


def _operands(raw: str) -> list[str]:
    """The parts that "#" joins, outside of braces and quotes."""
    if "#" not in raw:
        return [raw]
    parts: list[str] = []
    depth, quoted, start = 0, False, 0
    for hit in _MARK.finditer(raw):
        mark = hit.group()
        if mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
        elif mark == '"' and depth <= 0:
            quoted = not quoted
        elif mark == "#" and depth <= 0 and not quoted:
            parts.append(raw[start : hit.start()])
            start = hit.end()
    return [*parts, raw[start:]]


def split_fields(key: str, value: str) -> Iterator[tuple[str, str]]:
    """The field, and those behind it that a missing comma made part of its value."""
    depth = quotes = start = at = 0
    for hit in _NEXT_FIELD.finditer(value) if "=" in value else ():
        depth += value.count("{", at, hit.start(1)) - value.count("}", at, hit.start(1))
        quotes += value.count('"', at, hit.start(1))
        at = hit.start(1)
        if depth == 0 and quotes % 2 == 0:
            yield key, value[start:at].strip()
            key, start = hit[1].lower(), hit.end()
    yield key, value[start:].strip()


# BibTeX and biblatex (.bib), as written by reference managers, publishers, and hand. The text is
# cut at lines that begin an entry, and bibtexparser reads each piece by itself, so that an entry
# that is broken costs only itself. What stands between entries is a comment by BibTeX's rules;
# where it looks like an entry that was damaged, that is told.

#: Characters of an entry, and of the comment behind it.
LARGEST = 4_000_000
#: Entries that describe no work.
_NO_WORKS = frozenset(
    {"comment", "string", "preamble", "set", "control", "xdata", "bibtex", "alias"}
)
#: What an entry takes from the one that it names in `crossref`: of the volume, never what is the
#: volume's own alone.
_INHERITED = frozenset(
    "booktitle year date month publisher editor series volume journal journaltitle language langid "
    "school institution organization issn address location edition".split()
)
#: Entries that one may take from, directly or not.
_MOST_REFERENCES = 10
_CHILDREN = frozenset(
    {"inproceedings", "conference", "incollection", "inbook", "inreference", "bookinbook"}
)

_FIRST = re.compile(
    r"^[ \t]*@\s{0,50}(?:(?:string|preamble|comment)\s{0,50}[{(]"
    r"|[a-z]{1,40}\s{0,50}[{(]\s{0,50}"
    r"(?:[^\n,{}()=\"#%]{0,200}|[^\s,{}()=\"#%]{0,200}\s{0,50}),)",
    re.IGNORECASE | re.MULTILINE,
)
_HEAD = re.compile(r"@\s{0,50}([A-Za-z]{1,40})\s{0,50}[{(]\s{0,50}([^\n,{}()=\"#%]{0,200}),")
_KIND = re.compile(r"@\s{0,50}([A-Za-z]{1,40})\s{0,50}[{(]")
_DAMAGED_HEAD = re.compile(
    r"^[ \t]{0,9}@[A-Za-z]|[A-Za-z]{1,20}\s{0,9}[{(][ \t]{0,9}[^\s,{}()=\"]{1,200}[ \t]{0,9},",
    re.MULTILINE,
)
#: The line that ends an entry.
_ENTRY_END = re.compile(r"\n[ \t]*[})]\s*\Z")
_WITHOUT_BRACES = str.maketrans("", "", "{}")
_FIELD_LINE = re.compile(r"^[ \t]*,?[ \t]*[A-Za-z][\w-]{1,30}[ \t]*=[ \t]*[{\"\d]", re.MULTILINE)

logging.getLogger("bibtexparser").addHandler(
    logging.NullHandler()
)  # what it complains of is told in our own words


@dataclass(slots=True)
class _BibtexEntry:
    """Its values are still as they are delimited in the file."""

    kind: str
    key: str
    line: int
    fields: dict[str, str]
    remarks: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Loss:
    """What is no entry: how many works are lost by it, and why."""

    line: int
    why: str
    count: int


@dataclass(slots=True)
class _BibFile:
    found: list[_BibtexEntry | _Loss] = field(default_factory=list)
    strings: dict[str, str] = field(default_factory=dict)


def looks_like(head: str) -> bool:
    """With an entry, however much comment is before it."""
    return _FIRST.search(without_comments(head)[0]) is not None


def read(text: FileText, reading: FileReading) -> None:
    """Read a .bib file, held as a whole because its entries name one another."""
    file = _BibFile()
    whole, in_comments = without_comments(text.whole())
    whole, in_blocks = without_comment_blocks(whole)
    for line in sorted(in_comments + in_blocks):
        reading.count_strange("an entry that is commented out, which was left out", line)
    for line, piece in _pieces(whole):
        if len(piece) > LARGEST and len(piece.strip()) > LARGEST:
            file.found.append(
                _Loss(line, f"an entry of more than {LARGEST:,} characters was left out", 1)
            )
        else:
            _parse(piece, line, file)
    collector = EntryCollector(reading)
    entries = {
        entry.key.lower(): entry
        for entry in reversed(file.found)
        if isinstance(entry, _BibtexEntry) and entry.key
    }
    values = Values(file.strings)
    seen: dict[str, int] = {}
    for block in file.found:
        if isinstance(block, _Loss):
            collector.lose(block.line, block.why, block.count) if block.count else collector.remark(
                block.line, block.why
            )
        elif block.kind not in _NO_WORKS:
            if block.key and (first := seen.setdefault(block.key, block.line)) != block.line:
                block.remarks.append(
                    f"the key {block.key[:100]!r} is that of the entry in line {first}, too; both "
                    f"were kept"
                )
            collector.put(block.line, _describer(block, entries, values, reading))
    if not file.found:
        collector.remark(0, "no entry was found: one begins with @article{key, or the like")


def _describer(
    entry: _BibtexEntry, entries: dict[str, _BibtexEntry], values: Values, reading: FileReading
) -> Callable[[], Draft]:
    def describe() -> Draft:
        fields, remarks = values.of(entry.fields)
        remarks += _inherit(fields, entry, entries, values)
        made = draft(entry.kind, entry.key, fields)
        made.problems += [*entry.remarks, *remarks]
        for command in unknown_commands(fields[name] for name in SPOKEN if name in fields):
            reading.count_strange(f"the command \\{command[:60]}, which is not known", entry.line)
        return made

    return describe


def _inherit(
    fields: dict[str, str], entry: _BibtexEntry, entries: dict[str, _BibtexEntry], values: Values
) -> list[str]:
    """Fill in from `crossref`'s entry, and from those of `xdata`; remarks on their values."""
    remarks: list[str] = []
    names = _references(fields)
    for how, name in names:  # to which those of the entries behind these are added
        parent = entries.get(name.lower())
        if parent is entry:
            continue
        if parent is None:
            remarks.append(f"the entry {name[:100]!r}, named in {how}, is not in the file")
            continue
        inherited, told = values.of(parent.fields)
        remarks += told
        further = [one for one in _references(inherited) if one not in names]
        names += further[: _MOST_REFERENCES - len(names)]
        for key, value in inherited.items():
            if how == "xdata" or key in _INHERITED:
                fields.setdefault(key, value[:MOST_REPEATED])
            elif key in ("title", "subtitle") and entry.kind in _CHILDREN:
                fields.setdefault(f"book{key}", value[:MOST_REPEATED])
    return remarks


def _references(fields: Mapping[str, str]) -> list[tuple[str, str]]:
    """The entries that one names to take from them, and the field that names them."""
    found = [("crossref", fields.get("crossref", ""))]
    found += [("xdata", name) for name in fields.get("xdata", "").split(",")]
    return [(how, name.strip()) for how, name in found if name.strip()][:_MOST_REFERENCES]


def _pieces(text: str) -> Iterator[tuple[int, str]]:
    """The text cut before every line that begins an entry, each piece with its first line."""
    start, line = 0, 1
    for cut in [*(hit.start() for hit in START.finditer(text)), len(text)]:
        if cut > start:
            piece = text[start:cut]
            yield line, piece
            start, line = cut, line + piece.count("\n")


def _parse(piece: str, line: int, file: _BibFile, *, again: bool = True) -> None:
    """Put a piece into the file. `again`: whether to look for entries in a broken one."""
    from bibtexparser import model
    from bibtexparser.entrypoint import parse_string

    if "=" not in piece:  # nothing in it has a value: spared the parser, which is slow to give up
        _without_fields(piece, line, file)
        return
    try:
        blocks = parse_string(with_plain_head(piece), parse_stack=[]).blocks
    except Exception as exc:
        _broken(piece, line, f"{type(exc).__name__}: {exc}", file, again=again)
        return
    for block in blocks:
        at = line + (block.start_line or 0)
        if isinstance(block, model.DuplicateBlockKeyBlock | model.DuplicateFieldKeyBlock):
            twice = ", ".join(sorted(getattr(block, "duplicate_keys", ())))
            remark = [f"given twice, the first with a text was taken: {twice}"] if twice else []
            inner = block.ignore_error_block
            if isinstance(inner, model.Entry):
                file.found.append(_entry(inner, at, remark))
            elif isinstance(inner, model.String):
                _define(inner, file)
        elif isinstance(block, model.Entry):
            file.found.append(_entry(block, at, []))
        elif isinstance(block, model.String):
            _define(block, file)
        elif isinstance(block, model.ImplicitComment):
            _remains(block.comment or "", at, file)
        elif isinstance(block, model.ParsingFailedBlock):
            reason = getattr(block.error, "abort_reason", str(block.error))
            _broken(block.raw or "", at, " ".join(str(reason).split()), file, again=again)


def _without_fields(piece: str, line: int, file: _BibFile) -> None:
    heads = [hit for hit in _KIND.finditer(piece) if hit[1].lower() not in _NO_WORKS]
    if heads:
        file.found.append(_Loss(line, "the entry has no fields and was left out", len(heads)))


def _entry(block: Any, line: int, remarks: list[str]) -> _BibtexEntry:
    fields: dict[str, str] = {}
    for known in block.fields:
        name = known.key.strip().lower()
        for key, value in split_fields(name, known.value):
            if not fields.get(key, "").strip('{}" \t\n'):
                fields[key] = value
            if key != name:
                remarks = [
                    *remarks,
                    f"a comma is missing before {key}; it was read as if it were there",
                ]
    return _BibtexEntry(block.entry_type.strip().lower(), block.key.strip(), line, fields, remarks)


def _define(block: Any, file: _BibFile) -> None:
    value, _ = evaluate(str(block.value), file.strings)
    file.strings[block.key.strip().lower()] = value[:MOST_REPEATED]


def _broken(raw: str, line: int, reason: str, file: _BibFile, *, again: bool) -> None:
    """Tell a block that cannot be read; entries that it has swallowed are read by themselves."""
    heads = [hit for hit in _HEAD.finditer(raw) if hit[1].lower() not in _NO_WORKS]
    if again and len(heads) == 1 and (mended := _in_balance(raw)):
        before = len(file.found)
        _parse(mended, line, file, again=False)
        entries = file.found[before:]
        if len(entries) == 1 and isinstance(entries[0], _BibtexEntry):
            entries[0].remarks.append(f"its braces do not balance, so some were left out: {reason}")
            return
        del file.found[before:]
    kind = raw.lstrip()[1:].partition("{")[0].partition("(")[0].strip().lower()
    own = [] if kind in _NO_WORKS else heads[:1]
    inner = heads[len(own) :] if again else []
    if kind in ("string", "preamble"):
        file.found.append(_Loss(line, f"@{kind} could not be read: {reason}", 0))
    elif kind not in _NO_WORKS:
        name = f"the entry {own[0][2].strip()[:100]!r}" if own else "an entry"
        count = 1 if again else max(1, len(heads))
        file.found.append(
            _Loss(line, f"{name} could not be read and was left out: {reason}", count)
        )
    ends = [*(hit.start() for hit in inner[1:]), len(raw)]
    at = 0
    for hit, end in zip(inner, ends, strict=False):
        line += raw.count("\n", at, hit.start())
        at = hit.start()
        _parse(raw[at:end], line, file, again=False)


def _in_balance(raw: str) -> str:
    """An entry without the braces in values that lack one, where each field begins a line, as all
    programs write them; "" of others.
    """
    starts = [hit.start() for hit in _FIELD_LINE.finditer(raw)]
    if not starts:
        return ""
    parts = [raw[: starts[0]]]
    ends = [*starts[1:], len(_ENTRY_END.sub("", raw))]
    for start, end in zip(starts, ends, strict=True):
        name, _, value = raw[start:end].partition("=")
        value = value.strip().rstrip(",").rstrip()
        if value.count("{") != value.count("}"):
            value = "{" + value.translate(_WITHOUT_BRACES).strip('" ') + "}"
        parts.append(f"{name}= {value},\n")
    return "".join(parts) + "}\n"


def _remains(comment: str, line: int, file: _BibFile) -> None:
    """Tell text between entries that is no comment of a person: what is left of a damaged entry."""
    lines = len(_FIELD_LINE.findall(comment))
    heads = len(_DAMAGED_HEAD.findall(comment)) if lines or "=" in comment else 0
    if heads:
        why = "what looks like an entry does not begin as one (@article{key, ...) and was left out"
        file.found.append(_Loss(line, why, heads))
    elif lines:
        file.found.append(_Loss(line, "fields behind the end of an entry were left out", 0))


# BibTeX: one entry a hit, which both classic BibTeX with LaTeX and biblatex read. Text stays UTF-8;
# only what TeX would act on is escaped. The braces of a value always balance, whatever upstream
# sent, also for BibTeX, which counts those behind a backslash too. Fields that no style prints tell
# the provenance: `sources` and `provenance`, and of files also `database` and `origins`.

#: `Record.type` -> entry type; classic ones only, so what they lack is "misc".
BIBTEX_TYPES = {
    **dict.fromkeys(TYPES, "misc"),
    **dict.fromkeys(IN_JOURNALS, "article"),
    "conference-paper": "inproceedings",
    "proceedings": "proceedings",
    "book": "book",
    "chapter": "incollection",
    "reference-entry": "incollection",
    "thesis": "phdthesis",
    "report": "techreport",
}
#: Entry type -> the type that every reader takes it for.
_PLAIN = {
    "article": "article",
    "inproceedings": "conference-paper",
    "proceedings": "proceedings",
    "book": "book",
    "incollection": "chapter",
    "phdthesis": "thesis",
    "techreport": "report",
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
_MONTH_MACROS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")

_apart = re.compile("[,;]")
_field_name = re.compile(r"[a-z][a-z0-9_-]{0,60}")


def write(
    hits: Iterable[Hit], *, beside: BesideHits | None = None, keys: Sequence[str] | None = None
) -> bytes:
    """See `Format.parts`; b"" for no hit. `keys`: the key of each hit, where these are some of
    more, all of which have keys of their own.
    """
    chosen = list(hits)
    return b"".join(_entries(chosen, beside, keys or citation_keys(chosen)))


def parts(
    hits: Iterable[Hit], *, beside: BesideHits | None = None, keyed: CitationKeys
) -> Iterator[bytes]:
    """`hits`: in the order of the entries."""
    hits, again = tee(hits)
    return _entries(hits, beside, keyed.each(again))


def _entries(
    hits: Iterable[Hit], beside: BesideHits | None, keys: Iterable[str]
) -> Iterator[bytes]:
    between = ""
    for (hit, found), key in zip(with_beside(hits, beside), keys, strict=True):
        yield f"{between}{_entry_of(hit, key, found or NOTHING)}".encode()
        between = "\n"


def _entry_of(hit: Hit, key: str, beside: Beside) -> str:
    entry_type = BIBTEX_TYPES.get(reference.general_type(hit.record), "misc")
    fields = dict(fields_of(hit, entry_type))
    _add_beside(fields, beside, hit.record)
    lines = [f"@{entry_type}{{{key}"]
    lines += [f"  {name} = {value}" for name, value in fields.items()]
    return ",\n".join(lines) + "\n}\n"


def _add_beside(fields: dict[str, str], beside: Beside, record: Record) -> None:
    """Put files' fields behind ours, values of one apart by semicolons; our names are ours, but
    where a file says the same and more: "2019/2020", "and others".
    """
    given: dict[str, list[str]] = {}
    for name, value in beside.fields:
        if name in FULLER:
            if not holds(name, value, record):
                continue
            if name in fields:
                fields[name] = f"{{{as_in_file(value)}}}"
                continue
        if (
            _field_name.fullmatch(name)
            and (name == "note" or name not in fields)
            and (shown := as_in_file(value))
        ):
            known = given.setdefault(name, [])
            if shown not in known and shown not in "; ".join(known).split("; "):
                known.append(shown)
    for name, values in given.items():
        ours = [fields[name][1:-1]] if name in fields else []
        fields[name] = f"{{{'; '.join(dict.fromkeys([*ours, *values]))}}}"
    for name, text in (
        ("database", "; ".join(beside.databases)),
        ("origins", one_text(beside.origins)),
    ):
        if text:
            fields[name] = f"{{{escape(text)}}}"


def _subtype(record: Record, entry_type: str) -> str:
    """Our type where the entry type is read as another one; biblatex has the field for such words,
    and no style prints it.
    """
    kind = reference.general_type(record)
    is_plain = kind == "other" or (entry_type != "misc" and kind == _PLAIN.get(entry_type))
    return "" if is_plain else kind


def _keyword_list(keywords: Iterable[str]) -> str:
    """Keywords apart by commas, as biblatex and Zotero; with a comma in one, in braces."""
    shown = (escape(keyword) for keyword in keywords)
    return ", ".join(
        f"{{{keyword}}}" if _apart.search(keyword) else keyword for keyword in shown if keyword
    )


def fields_of(hit: Hit, entry_type: str) -> Iterator[tuple[str, str]]:
    """The values have their delimiters."""
    record = hit.record
    arxiv = record.ids.get("arxiv")
    titles = [*reference.further_titles(record), "", ""]
    body_field = _PUBLISHER_FIELD.get(entry_type, "publisher")
    # Of theses and reports the body that the type names.
    is_of_body = entry_type in _PUBLISHER_FIELD
    body = (record.institution if is_of_body else None) or record.publisher
    # Of a patent, which has no issue, its own number.
    number = record.issue or (record.ids.get("patent") if record.type == "patent" else None)
    values = (
        ("title", title_of(reference.full_title(record), record.language)),
        ("author", names_of(record.authors)),
        ("editor", names_of(record.editors)),
        ("translator", names_of(record.translators)),
        (_VENUE_FIELD[entry_type], escape(record.venue)),
        (body_field, escape(body)),
        ("publisher", escape(record.publisher) if record.publisher != body else ""),
        ("address", escape(record.place)),
        (OUR_TYPE[0], OUR_TYPE[1] if entry_type == "phdthesis" else ""),
        ("entrysubtype", _subtype(record, entry_type)),
        ("origtitle", escape(titles[0])),
        ("titletranslation", escape(titles[1])),
        ("year", reference.four_digits(record.year)),
        ("edition", escape(record.edition)),
        ("version", escape(record.version)),
        ("volume", escape(record.volume)),
        ("number", escape(number)),
        (
            "pages",
            ", ".join(
                f"{escape(a)}--{escape(b)}" if b else escape(a)
                for a, b in reference.page_ranges(record.pages)
            ),
        ),
        ("doi", verbatim(record.doi)),
        ("url", verbatim(reference.link(record))),
        ("eprint", escape(arxiv)),
        ("archiveprefix", "arXiv" if arxiv else ""),
        ("pmid", escape(record.ids.get("pmid"))),
        ("pmcid", escape(record.ids.get("pmcid"))),
        ("isbn", escape(", ".join(record.isbn))),
        ("issn", escape(", ".join(record.issn))),
        ("identifiers", escape("; ".join(reference.identifiers(record)))),
        ("language", escape(record.language)),
        ("keywords", _keyword_list(dict.fromkeys(record.keywords + record.subjects))),
        ("abstract", escape(record.abstract)),
        ("funding", escape("; ".join(record.funders))),
        ("note", "Retracted" if record.retracted else ""),
        ("sources", escape(", ".join(hit.sources))),
        ("provenance", escape("; ".join(reference.field_sources(hit)))),
    )
    for name, value in values:
        if value:
            yield name, f"{{{value}}}"
        if name == "year" and (month := _month_macro(record.date)):
            yield "month", month
            if day := reference.date_parts(record.date)[2].lstrip("0"):
                yield "day", f"{{{day}}}"


def _month_macro(date: str | None) -> str | None:
    """The macro that every style defines: "mar" for "2020-03-15"."""
    number = int(reference.date_parts(date)[1] or 0)
    return _MONTH_MACROS[number - 1] if 1 <= number <= 12 else None
