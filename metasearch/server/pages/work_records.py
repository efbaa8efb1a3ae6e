"""What the records of a work say: each field with the source that gave it and the other values, why
they are one work, which versions they describe, and how a person parts them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from metasearch.bib import notices, trials
from metasearch.bib.identifiers import orcid
from metasearch.dedup.pins import read_line
from metasearch.formats.reference import doi_url, full_title, notice_url, page_range
from metasearch.formats.text import clean, line, web_url
from metasearch.language import ReaderLanguage
from metasearch.record import PEOPLE, TEXTS, Author, Hit, Record
from metasearch.server.pages.environment import FIELD_WORDS, N_, TYPE_WORDS, field_word
from metasearch.server.pages.hit import MatchEvidence

#: Values of a field, and records of a work, that are shown.
MOST = 200
#: Other values that are shown of a field, and characters of each.
_MOST_OTHERS, _LONGEST_OTHER = 5, 200
#: Addresses of identifiers by their scheme; the value is added.
_RESOLVED = {
    "pmid": "https://pubmed.ncbi.nlm.nih.gov/",
    "pmcid": "https://www.ncbi.nlm.nih.gov/pmc/articles/",
    "arxiv": "https://arxiv.org/abs/",
}
#: `Record.open_access` -> what the page calls it.
_OPEN_ACCESS: Mapping[str, str] = {
    "gold": N_("yes, in an open-access journal (gold)"),
    "diamond": N_("yes, in an open-access journal without fees (diamond)"),
    "hybrid": N_("yes, in a subscription journal (hybrid)"),
    "bronze": N_("free to read at the publisher, without a licence (bronze)"),
    "green": N_("yes, in a repository (green)"),
    "open": N_("yes"),
    "closed": N_("no"),
}
#: Fields of one source's record alone, which are not compared.
_OWN = frozenset({"url"})


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One field of the merged record.

    Attributes:
        name: To be translated.
        values: (text, address or None) of each.
        rest: How many more values there are.
        source: Label of the source that gave it; "" where that is not recorded.
        agree: Labels of the other sources that have the same.
        others: (value that differs, labels of the other sources that have it), the first ones.
        silent: Labels of the sources that have none.
    """

    name: str
    values: Sequence[tuple[str, str | None]]
    rest: int
    source: str
    agree: Sequence[str]
    others: Sequence[tuple[str, Sequence[str]]]
    more_others: int
    silent: Sequence[str]


def field_rows(
    hit: Hit, label: Callable[[str], str], language: ReaderLanguage
) -> Iterator[FieldRow]:
    """The fields that the work has; of its records the first `MOST` are compared."""
    values = _Values(language)
    records = hit.records[:MOST]
    names = [*FIELD_WORDS, *(f"ids.{scheme}" for scheme in sorted(hit.record.ids))]
    for name in names:
        shown = values.of(hit.record, name)
        if not shown:
            continue
        source = hit.provenance.get(name, "")
        wanted = values.key(hit.record, name)
        agree, others, silent = _others(name, wanted, source, records, values)
        yield FieldRow(
            name=field_word(name),
            values=shown[:MOST],
            rest=max(0, len(shown) - MOST),
            source=label(source) if source else "",
            agree=[label(each) for each in agree],
            others=[
                (text, [label(each) for each in sources]) for text, sources in others[:_MOST_OTHERS]
            ],
            more_others=max(0, len(others) - _MOST_OTHERS),
            silent=[label(each) for each in silent],
        )


#: Works that stand side by side, and values of one field of one of them.
MOST_COMPARED, _MOST_VALUES = 5, 10


def compare(hits: Sequence[Hit], language: ReaderLanguage) -> Iterator[tuple[str, list[str]]]:
    """(field, to be translated; its text in each work) of each field that one of the works has; of
    `MOST_COMPARED` works. The title is that of a column.
    """
    values, separator = _Values(language), language.phrase("; ")
    for name in FIELD_WORDS:
        cells = [
            separator.join(text for text, _ in values.of(hit.record, name)[:_MOST_VALUES])
            for hit in hits[:MOST_COMPARED]
        ]
        if name != "title" and any(cells):
            yield field_word(name), cells


def _others(
    name: str, wanted: str, source: str, records: Iterable[Record], values: _Values
) -> tuple[list[str], list[tuple[str, list[str]]], list[str]]:
    """(sources that agree, other values with their sources, sources that have none)."""
    if name in _OWN:
        return [], [], []
    agree: dict[str, None] = {}
    silent: dict[str, None] = {}
    other: dict[str, tuple[str, dict[str, None]]] = {}
    for record in records:
        key = values.key(record, name)
        if not key:
            silent[record.source] = None
        elif _agrees(name, key, wanted):
            agree[record.source] = None
        else:
            if key not in other:
                other[key] = (_cut("; ".join(text for text, _ in values.of(record, name))), {})
            other[key][1][record.source] = None
    having = {*agree, *(each for _, sources in other.values() for each in sources)}
    return (
        [each for each in agree if each != source],
        [(text, [*sources]) for text, sources in other.values()],
        [each for each in silent if each not in having],
    )


def _agrees(name: str, key: str, wanted: str) -> bool:
    """Whether a value contradicts the one that is shown in nothing: it may say less."""
    if name in TEXTS:  # their values have no order
        return {*key.split("\n")} <= {*wanted.split("\n")}
    return wanted.startswith(key) if name == "date" else key == wanted


def _fold(text: str) -> str:
    """Without case, accents, signs and blanks."""
    letters = (c for c in unicodedata.normalize("NFKD", text.casefold()) if c.isalnum())
    return "".join(letters) or text


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_OTHER else text[: _LONGEST_OTHER - 1] + "…"


class _Values:
    def __init__(self, language: ReaderLanguage) -> None:
        self._language = language

    def of(self, record: Record, name: str) -> list[tuple[str, str | None]]:
        """The texts of a field that are not empty, each with the address that it leads to."""
        if name.startswith("ids."):
            scheme = name.removeprefix("ids.")
            value = line(record.ids.get(scheme))
            if scheme in trials.SCHEMES:
                each = trials.numbers(value) if value else []
                return [(number, web_url(trials.link(scheme, number))) for number in each]
            address = web_url(_RESOLVED[scheme] + value) if scheme in _RESOLVED else None
            return [(value, address)] if value else []
        return [value for value in self._texts(record, name) if value[0]]

    def key(self, record: Record, name: str) -> str:
        """What values that mean the same have in common, of the first `MOST`; "" for none. The
        order of a set does not count, nor does how given names and affiliations are written.
        """
        if name in PEOPLE:
            people: Sequence[Author] = getattr(record, name)
            return "\n".join(map(_person_key, people[:MOST]))
        if name == "pages":
            return "-".join(page_range(record.pages)) if record.pages else ""
        folded = [_fold(text) for text, _ in self.of(record, name)[:MOST]]
        return "\n".join(sorted(folded) if name in TEXTS else folded)

    def _texts(self, record: Record, name: str) -> Iterator[tuple[str, str | None]]:
        value = getattr(record, name)
        word = self._language.gettext
        match name:
            case _ if name in PEOPLE:
                yield from map(_person, value)
            case "notices":
                for text in value:
                    notice = notices.read(text)
                    yield line(text), notice_url(notice.link) if notice else None
            case _ if name in TEXTS:
                yield from ((line(text), None) for text in value)
            case "title":
                yield full_title(record), None
            case "year":
                yield ("" if record.date or value is None else str(value)), None
            case "doi":
                yield line(value), doi_url(value)
            case "url" | "pdf_url" | "licence":
                yield line(value), web_url(value)
            case "language":
                yield (line(self._language.language_name(value)) if value else ""), None
            case "type":
                yield (word(TYPE_WORDS.get(value, line(value))) if value else ""), None
            case "open_access":
                yield (word(_OPEN_ACCESS.get(value, line(value))) if value else ""), None
            case "retracted":
                yield (word(N_("yes")) if value else ""), None
            case "citations":
                yield ("" if value is None else self._times(value)), None
            case _:
                yield line(value), None

    def _times(self, citations: int) -> str:
        text = self._language.ngettext("%(times)s time", "%(times)s times", citations)
        return text % {"times": self._language.number(citations)}


def _person_key(author: Author) -> str:
    """The family name and the first letter of the given one."""
    if not author.family:
        first, _, last = line(author.name).rpartition(" ")
        return f"{_fold(last)} {first[:1].casefold()}"
    return f"{_fold(line(author.family))} {line(author.given)[:1].casefold()}"


def _person(author: Author) -> tuple[str, str | None]:
    number, affiliation = orcid(author.orcid), line(author.affiliation)
    name = line(author.name)
    shown = f"{name} ({affiliation})" if affiliation else name
    return shown, f"https://orcid.org/{number}" if number else None


#: Matches, versions, and records of a version that are shown.
_MOST = 100
#: Records that are shown with the lines which part them from the others, and lines of each.
_MOST_PARTED, _MOST_LINES = 10, 50


@dataclass(frozen=True, slots=True)
class RecordRow:
    """One record of the work.

    Attributes:
        name: Of its source, with its own id where the source has several records of the work.
        type: To be translated; "" where it is not known.
        address: Its page there; None for none.
    """

    name: str
    record: Record
    type: str
    address: str | None


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One version of the work.

    Attributes:
        about: Where and when it appeared.
        link: (text, address) of the version itself; None where none is known.
        more: How many records more there are.
    """

    kind: str
    about: Sequence[str]
    link: tuple[str, str] | None
    open_access: bool
    sources: Sequence[str]
    more: int


@dataclass(frozen=True, slots=True)
class Parting:
    """How one record is kept out of the work.

    Attributes:
        lines: Of a file of pins, one for each other record.
        more: How many further lines there are.
        unnamed: Records that no line can name.
    """

    record: str
    lines: Sequence[str]
    more: int
    unnamed: int


class WorkEvidence:
    def __init__(self, hit: Hit, label: Callable[[str], str]) -> None:
        self._hit = hit
        self._label = label
        of_source: dict[str, int] = {}
        for record in hit.records:
            of_source[record.source] = of_source.get(record.source, 0) + 1
        self._names: Mapping[str, str] = {
            record.key: self._name(record, alone=of_source[record.source] == 1)
            for record in hit.records
        }

    def _name(self, record: Record, *, alone: bool) -> str:
        label = self._label(record.source)
        return label if alone else f"{label} {line(record.source_id) or f'#{record.position}'}"

    def _name_of(self, key: str) -> str:
        return self._names.get(key) or line(key)

    def records(self, most: int) -> list[RecordRow]:
        """The records, best rank first."""
        ranked = sorted(self._hit.records, key=lambda each: (each.position or 10**9, each.key))
        return [
            RecordRow(
                self._name_of(record.key),
                record,
                TYPE_WORDS.get(record.type or "", line(record.type)),
                web_url(record.url) or doi_url(record.doi),
            )
            for record in ranked[:most]
        ]

    def matches(self) -> list[MatchEvidence]:
        """What joined the records, the first ones."""
        return [MatchEvidence.of(match, self._names) for match in self._hit.matches[:_MOST]]

    @property
    def more_matches(self) -> int:
        return max(0, len(self._hit.matches) - _MOST)

    def versions(self) -> list[VersionRow]:
        """The versions of the work; none where it has but one."""
        of_key = {record.key: record for record in self._hit.records}
        rows = []
        for version in self._hit.versions[:_MOST]:
            records = [of_key[key] for key in version.records if key in of_key]
            dois = (record for record in records if doi_url(record.doi))
            shown = next(dois, records[0] if records else None)
            rows.append(
                VersionRow(
                    version.kind,
                    _about(shown) if shown else [],
                    _link(shown) if shown else None,
                    any(record.open_access not in (None, "closed") for record in records),
                    [self._name_of(key) for key in version.records[:_MOST]],
                    max(0, len(version.records) - _MOST),
                )
            )
        return rows

    def partings(self) -> list[Parting]:
        """How each record is kept out of the work, the first ones; two need the same line."""
        records = self._hit.records
        parted = records[:1] if len(records) == 2 else records[:_MOST_PARTED]
        return [] if len(records) < 2 else [self._parting(record) for record in parted]

    @property
    def more_partings(self) -> int:
        return max(0, len(self._hit.records) - _MOST_PARTED)

    def _parting(self, record: Record) -> Parting:
        lines: list[str] = []
        unnamed = 0
        others = [each for each in self._hit.records if each.key != record.key]
        for other in others[:_MOST_LINES]:
            pin = pin_line(record.key, other.key)
            lines += [pin] if pin else []
            unnamed += not pin
        title = line(record.title)
        name = self._name_of(record.key)
        return Parting(
            f"{name}: {title}" if title else name, lines, max(0, len(others) - _MOST_LINES), unnamed
        )


def pin_line(left: str, right: str) -> str:
    """The line of a file of pins that keeps two records apart; "" where a file cannot name one."""
    text = f"different {_quote(left)} {_quote(right)}"
    try:
        pin = read_line(text, 1, "")
    except ValueError:
        return ""
    # A key that is read as another name, or that a page cannot show, would part other records.
    same = pin is not None and pin.names == (left, right) and clean(text) == text
    return text if same else ""


def _quote(name: str) -> str:
    """A name as a word of a line."""
    if not any(c.isspace() or c in "\"'#" for c in name):
        return name
    mark = "'" if '"' in name else '"'
    return f"{mark}{name}{mark}"


def _about(record: Record) -> list[str]:
    parts = (line(record.venue), line(record.pages), line(record.date) or str(record.year or ""))
    return [part for part in parts if part]


def _link(record: Record) -> tuple[str, str] | None:
    if (address := doi_url(record.doi)) is not None:
        return line(record.doi), address
    address = web_url(record.url)
    return (address, address) if address else None
