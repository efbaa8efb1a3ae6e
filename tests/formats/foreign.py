"""What programs that are not ours read of the hostile works: the table in docs/exports.md.

    python -m tests.formats.foreign [PROGRAM ...]

prints what each of them reads otherwise, and writes the page where no program is named. Programs
that are not installed keep their rows. bibtexparser 1 cannot stand beside version 2: it is read
from the folder that METASEARCH_TEST_BIBTEXPARSER1 names (`pip install --target FOLDER
"bibtexparser<2"`); bibutils are the programs of the package of that name.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from typing import Any
from urllib.parse import unquote

from lxml import etree

from metasearch.bib.names import without_suffix
from metasearch.formats.reference import full_title
from metasearch.record import Record
from tests.formats.hostile import WORKS, file_of
from tests.formats.losses import PAGE

#: What is compared of a work.
FIELDS = ("title", "names", "year", "DOI")
#: The line before the table; a blank line ends it.
HEAD = "| hostile works | program | works | title | names | year | DOI |"
_SETTING = "METASEARCH_TEST_BIBTEXPARSER1"
_OTHER_ROLES = ("editor", "translator", "degree grantor", "sponsor")
_MODS = {"m": "http://www.loc.gov/mods/v3"}


@dataclass(frozen=True, slots=True)
class Said:
    """What a program says of one work."""

    title: str
    names: tuple[str, ...]
    year: str
    doi: str


def _line(text: object) -> str:
    return " ".join(f"{text or ''}".split())


def _bare(text: str) -> str:
    """Letters and digits alone: programs set marks, capitals and braces in their own ways."""
    # pylatexenc has an accent for the circumflex of ASCII.
    return "".join(char for char in text.casefold() if char.isalnum() and char != "ˆ")


def _said(title: object, names: Sequence[object], year: object, doi: object) -> Said:
    families = tuple(_bare(_family(_line(name))) for name in names)
    return Said(_bare(_line(title)), families, _line(year)[:4], unquote(_line(doi).lower()))


def _family(name: str) -> str:
    """Of "Family, Given", or "Family Jr., Given", as bibutils writes; bodies have commas of their
    own, and are compared by their beginning.
    """
    return without_suffix(name.partition(",")[0].strip("{}")).name


def expected(record: Record) -> Said:
    """What a program has to say of it."""
    names = [author.family or author.name for author in record.authors]
    return _said(full_title(record), names, record.year or "", record.doi)


# ------------------------------------------------------------------------------- programs


def _latex(text: object) -> str:
    from pylatexenc.latex2text import LatexNodes2Text

    with redirect_stderr(io.StringIO()):
        found: str = LatexNodes2Text(math_mode="verbatim").latex_to_text(f"{text or ''}")
    return found


def rispy(data: bytes) -> list[Said]:
    import rispy as library

    return [
        _said(
            one.get("title") or one.get("primary_title"),
            one.get("authors") or one.get("first_authors") or (),
            one.get("year") or one.get("publication_year"),
            one.get("doi"),
        )
        for one in library.loads(data.decode())
    ]


def pybtex(data: bytes) -> list[Said]:
    from pybtex.database import parse_string

    return [
        _said(
            _latex(one.fields.get("title")),
            [
                _latex(" ".join([*each.prelast_names, *each.last_names]))
                for each in one.persons.get("author", ())
            ],
            one.fields.get("year"),
            one.fields.get("doi"),
        )
        for one in parse_string(data.decode(), "bibtex").entries.values()
    ]


def bibtexparser2(data: bytes) -> list[Said]:
    import bibtexparser as library
    from bibtexparser.middlewares import SeparateCoAuthors, SplitNameParts

    found = library.parse_string(
        data.decode(), append_middleware=[SeparateCoAuthors(), SplitNameParts()]
    )

    def value(entry: Any, name: str) -> Any:
        field = entry.fields_dict.get(name)
        return field.value if field is not None else ""

    return [
        _said(
            _latex(value(one, "title")),
            [_latex(" ".join([*each.von, *each.last])) for each in value(one, "author") or ()],
            value(one, "year"),
            value(one, "doi"),
        )
        for one in found.entries
    ]


_OF_VERSION_1 = """
import json, sys
sys.path.insert(0, sys.argv[1])
import bibtexparser
from bibtexparser.bparser import BibTexParser
from bibtexparser.customization import splitname
parser = BibTexParser(common_strings=True, ignore_nonstandard_types=False)
out = []
for one in parser.parse(sys.stdin.buffer.read().decode()).entries:
    names = []
    for name in (one.get("author") or "").replace("\\n", " ").split(" and "):
        if name:
            parts = splitname(name, strict_mode=False)
            names.append(" ".join(parts["von"] + parts["last"]))
    out.append([one.get("title"), names, one.get("year"), one.get("doi")])
json.dump(out, sys.stdout)
"""


def bibtexparser1(data: bytes) -> list[Said]:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _OF_VERSION_1, os.environ[_SETTING]],
        input=data,
        capture_output=True,
        check=True,
        timeout=300,
    )
    return [
        _said(_latex(title), [_latex(name) for name in names], year, doi)
        for title, names, year, doi in json.loads(done.stdout)
    ]


def nbib(data: bytes) -> list[Said]:
    import nbib as library

    return [
        _said(
            one.get("title"),
            [each.get("last_name") or each.get("author") for each in one.get("authors", ())],
            (f"{one.get('publication_date', '')}")[:4],
            one.get("doi"),
        )
        for one in library.read(data.decode())
    ]


def _of_marc(found: Sequence[Any]) -> list[Said]:
    def names(record: Any) -> list[str]:
        fields = record.get_fields("100", "110", "700", "710")
        return [field["a"] for field in fields if not field.get_subfields("4")]

    def doi(record: Any) -> str:
        return next((f["a"] for f in record.get_fields("024") if f.get("2") == "doi"), "")

    def title(record: Any) -> str:
        parts = record["245"].get_subfields("a", "b") if "245" in record else []
        return "" if parts == ["[Untitled]"] else " ".join(parts)

    return [
        _said(
            title(record),
            names(record),
            record["264"].get("c", "") if "264" in record else "",
            doi(record),
        )
        for record in found
    ]


def pymarc(data: bytes) -> list[Said]:
    import pymarc as library

    return _of_marc([one for one in library.MARCReader(data) if one is not None])


def pymarc_xml(data: bytes) -> list[Said]:
    import pymarc as library

    return _of_marc(library.parse_xml_to_array(io.BytesIO(data)))


def citeproc(data: bytes) -> list[Said]:
    from citeproc.source.json import CiteProcJSON

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = CiteProcJSON(json.loads(data))
    return [
        _said(
            one.get("title", ""),
            [name.get("family") or name["literal"] for name in one.get("author", ())],
            getattr(one.get("issued"), "year", "") or "",
            one.get("DOI", ""),
        )
        for one in found.values()
    ]


def _of_mods(data: bytes) -> list[Said]:
    def texts(node: Any, path: str) -> list[str]:
        return [_line(text) for text in node.xpath(path, namespaces=_MODS)]

    def names(node: Any) -> list[str]:
        # bibutils calls authors of maps and recordings by other roles.
        others = " or ".join(f"m:role/m:roleTerm='{role}'" for role in _OTHER_ROLES)
        of_authors = node.xpath(f"m:name[not({others})]", namespaces=_MODS)
        return [
            " ".join(texts(one, "m:namePart[@type='family']/text()"))
            or " ".join(texts(one, "m:namePart/text()"))
            for one in of_authors
        ]

    root = etree.fromstring(data, etree.XMLParser(recover=True, huge_tree=True))
    out = []
    for one in root.iterfind("m:mods", _MODS):
        parts = texts(one, "m:titleInfo[not(@type)]/*/text()")
        years = texts(one, ".//m:dateIssued/text() | .//m:part/m:date/text()")
        dois = texts(one, ".//m:identifier[@type='doi']/text()")
        out.append(_said(" ".join(parts), names(one), next(iter(years), ""), next(iter(dois), "")))
    return out


def _bibutils(program: str) -> Callable[[bytes], list[Said]]:
    def read(data: bytes) -> list[Said]:
        done = subprocess.run(
            [program, "-i", "utf8", "-o", "utf8"],
            input=data,
            capture_output=True,
            check=True,
            timeout=300,
        )
        return _of_mods(done.stdout)

    return read


def _mods_to_ris(data: bytes) -> list[Said]:
    done = subprocess.run(
        ["xml2ris", "-i", "utf8", "-o", "utf8"],
        input=data,
        capture_output=True,
        check=True,
        timeout=300,
    )
    return rispy(done.stdout.lstrip(b"\xef\xbb\xbf"))


@dataclass(frozen=True, slots=True)
class Program:
    """A program that reads a format. `needs`: a module, a program or a setting."""

    format: str
    name: str
    read: Callable[[bytes], list[Said]]
    needs: str

    @property
    def is_there(self) -> bool:
        if self.needs.isupper():
            return bool(os.environ.get(self.needs))
        if self.needs in ("ris2xml", "bib2xml", "end2xml", "endx2xml", "xml2ris"):
            return shutil.which(self.needs) is not None
        try:
            return find_spec(self.needs) is not None
        except (ImportError, ValueError):
            return False


PROGRAMS: Mapping[str, Program] = {
    one.name: one
    for one in (
        Program("ris", "rispy 0.10", rispy, "rispy"),
        Program("ris", "bibutils ris2xml", _bibutils("ris2xml"), "ris2xml"),
        Program("bibtex", "pybtex 0.26", pybtex, "pybtex"),
        Program("bibtex", "bibtexparser 2.1", bibtexparser2, "bibtexparser"),
        Program("bibtex", "bibtexparser 1.4", bibtexparser1, _SETTING),
        Program("bibtex", "bibutils bib2xml", _bibutils("bib2xml"), "bib2xml"),
        Program("nbib", "nbib 0.3", nbib, "nbib"),
        Program("endnote-tagged", "bibutils end2xml", _bibutils("end2xml"), "end2xml"),
        Program("endnote-xml", "bibutils endx2xml", _bibutils("endx2xml"), "endx2xml"),
        Program("marc", "pymarc 5 (ISO 2709)", pymarc, "pymarc"),
        Program("marcxml", "pymarc 5 (XML)", pymarc_xml, "pymarc"),
        Program("mods", "bibutils xml2ris", _mods_to_ris, "xml2ris"),
        Program("csl-json", "citeproc-py 0.11", citeproc, "citeproc"),
    )
}


@cache
def read_by(name: str) -> list[Said]:
    """What a program says of all the works."""
    program = PROGRAMS[name]
    data = file_of(program.format)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            return program.read(data)
        except Exception as exc:  # it reads nothing of the file
            FAILED[name] = f"{type(exc).__name__}: {exc}"
            return []


#: Program -> why it read nothing.
FAILED: dict[str, str] = {}


def counts(name: str) -> tuple[int, ...]:
    """How many works a program reads, and of how many it has the title, names, year and DOI; works
    are told by their order.
    """
    found = read_by(name)
    wanted = [expected(record) for record in WORKS.values()]
    if len(found) != len(wanted):
        return (len(found),) + (0,) * len(FIELDS)
    pairs = list(zip(wanted, found, strict=True))
    return (
        len(found),
        sum(want.title == got.title for want, got in pairs),
        sum(want.names == got.names for want, got in pairs),
        sum(want.year == got.year for want, got in pairs),
        sum(want.doi == got.doi for want, got in pairs),
    )


def differences(name: str) -> list[str]:
    """What a program reads otherwise, in words."""
    found = read_by(name)
    out = [FAILED[name]] if name in FAILED else []
    if len(found) != len(WORKS):
        out.append(f"{len(WORKS)} works, {len(found)} are read")
    for (what, record), got in zip(WORKS.items(), found, strict=False):
        want = expected(record)
        for field in ("title", "names", "year", "doi"):
            wanted, read = getattr(want, field), getattr(got, field)
            if wanted != read:
                out.append(f"{what}: {field}: {wanted!r:.150} -> {read!r:.150}")
    return out


_ROW = re.compile(r"\| `([a-z0-9-]+)` \| ([^|]+?) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|")


def rows() -> dict[str, tuple[int, ...]]:
    """The table of the page: program -> its counts."""
    text = PAGE.read_text(encoding="utf-8")
    return {row[1]: tuple(map(int, row[2:])) for row in _ROW.findall(text)}


def page() -> str:
    """docs/exports.md with the table as it should be."""
    kept = rows()
    lines = [HEAD, "| --- | --- | --- | --- | --- | --- | --- |"]
    for name, program in PROGRAMS.items():
        if program.is_there or name in kept:
            numbers = counts(name) if program.is_there else kept[name]
            lines.append(f"| `{program.format}` | {name} | {' | '.join(map(str, numbers))} |")
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(HEAD)
    _, _, after = rest.partition("\n\n")
    return f"{before}{chr(10).join(lines)}\n\n{after}"


if __name__ == "__main__":
    for each in sys.argv[1:] or PROGRAMS:
        if not PROGRAMS[each].is_there:
            print(f"{each}: not installed")
            continue
        print(f"{each}: {counts(each)} of {len(WORKS)}")
        for difference in differences(each):
            print(f"    {difference}")
    if not sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
