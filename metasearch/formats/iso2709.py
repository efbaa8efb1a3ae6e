"""ISO 2709 (.mrc): MARC as libraries exchange it, read and written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from metasearch.bib.marc import MarcField, MarcRecord
from metasearch.formats.marc import DataField, MarcData, MarcReader, marc_data, order
from metasearch.formats.origins import BesideHits, with_beside
from metasearch.formats.reading.encodings import Bytes, decode
from metasearch.formats.reading.result import EntryCollector, FileReading
from metasearch.record import Hit

# Records are in UTF-8, MARC-8 or what else libraries write. A file is cut at the bytes that end
# records, and a record at those that end its fields. The lengths and offsets that leader and
# directory give are checked but not needed: where a file was converted to another encoding they are
# all wrong, and a reader that goes by them, as pymarc does, loses its way in the file. pymarc
# decodes MARC-8.

_RECORD_END, _FIELD_END, _SUBFIELD = b"\x1d", b"\x1e", "\x1f"
#: Bytes of a record: its leader can tell of 99,999, and some programs write more.
LARGEST = 4_000_000
#: Bytes of a run of records without ends that are looked at.
_MOST_KEPT = 4 * LARGEST
_TOO_LARGE = f"the record is larger than {LARGEST:,} bytes; it was left out"
_BREAKS_OFF = "the file breaks off inside this record; it was left out"
_LEADER = 24
_ENTRY = 12
_NUL_OR_BLANK = b" \t\r\n\x00\x1a"
_HEAD = re.compile(
    r"\s*\d{5}[\x20-\x7e]{5}[\x20-\x7e]{2}\d{5}[\x20-\x7e]{7}(?:[0-9A-Za-z]{3}\d{9})"
)
_LEADER_INSIDE = re.compile(
    rb"\x1e[^\x1e]?(?=\d{5}[a-z ]{3}[\x20-\x7e]{2}22\d{5}[\x20-\x7e]{3}450[0 ])", re.DOTALL
)
_TAG = re.compile("[0-9A-Za-z]{3}")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1e\ud800-\udfff\ufffe\uffff]")


def looks_like(head: str) -> bool:
    return _HEAD.match(head) is not None


def read(content: Bytes, reading: FileReading) -> None:
    """Read an ISO 2709 file; the line of an entry is the offset of its first byte."""
    collector = EntryCollector(reading)
    marc = MarcReader(reading, collector)
    encodings: set[str] = set()
    for offset, record, flaw in _records(content.blocks()):
        if flaw:
            collector.lose(offset, flaw)
            continue
        try:
            make, encoding, remarks = _read(record)
        except ValueError as exc:
            collector.lose(offset, f"the record could not be read and was left out: {exc}")
            continue
        encodings.add(encoding)
        marc.put(offset, make, *remarks)
    if encodings:
        reading.encoding = min(encodings, key=lambda name: (name == "ascii", name))
    if not collector.position and any(block.strip(_NUL_OR_BLANK) for block in content.blocks()):
        collector.remark(0, "no record was found in it")


def _records(blocks: Iterable[bytes]) -> Iterator[tuple[int, bytes, str]]:
    """Offset and bytes of each record without its end, and why it is none.

    A leader behind the end of a field begins a record, too, because the byte that ends the one
    before it is damaged.
    """
    for offset, run, flaw in _runs(blocks):
        start, end = 0, len(run)
        for hit in _LEADER_INSIDE.finditer(run):
            yield offset + start, run[start : hit.start() + 1].lstrip(_NUL_OR_BLANK), ""
            start = hit.end()
        record = run[start:end].lstrip(_NUL_OR_BLANK)
        if len(record) > LARGEST or flaw == _TOO_LARGE:
            yield offset + end - len(record), b"", _TOO_LARGE
        elif record:
            yield offset + end - len(record), record, flaw


def _runs(blocks: Iterable[bytes]) -> Iterator[tuple[int, bytes, str]]:
    """What stands between two ends of records with its offset, no more of them than `_MOST_KEPT`;
    and what is wrong with the last record in it.
    """
    kept, size, offset = bytearray(), 0, 0
    for block in blocks:
        *ended, rest = block.split(_RECORD_END)
        for part in ended:
            kept += part[: max(0, _MOST_KEPT - len(kept))]
            size += len(part)
            yield offset, bytes(kept), _TOO_LARGE if size > _MOST_KEPT else ""
            offset += size + 1
            kept, size = bytearray(), 0
        if not kept:
            bare = rest.lstrip(_NUL_OR_BLANK)  # filler between records
            offset += size + len(rest) - len(bare)
            rest, size = bare, 0
        kept += rest[: max(0, _MOST_KEPT - len(kept))]
        size += len(rest)
    if kept:
        yield offset, bytes(kept), _TOO_LARGE if size > _MOST_KEPT else _BREAKS_OFF


class _IsoRecord(MarcRecord):
    """A `MarcRecord` of which no tree is made, for that takes most of the time of reading. `tags`:
    by tag, the indicators and subfields of each data field.
    """

    __slots__ = ()

    def __init__(self, leader: str, fields: list[tuple[str, str]]) -> None:
        control: dict[str, list[str]] = {}
        listed = []
        for field in fields:
            if field[0] < "010":
                control.setdefault(field[0], []).append(field[1].replace(_SUBFIELD, ""))
            else:
                listed.append(field)
        self._set(leader, control, listed, link=f"{_SUBFIELD}6")

    def _field(self, tag: str, field: str) -> MarcField:
        indicators = field.partition(_SUBFIELD)[0][-2:].rjust(2)
        return MarcField(tag[-3:], indicators[0], indicators[1], self._subfields(field))

    def _subfields(self, field: str) -> list[tuple[str, str]]:
        return [
            (code, bare)
            for subfield in field.split(_SUBFIELD)[1:]
            if (code := subfield[:1]).isascii() and code > " " and (bare := subfield[1:].strip())
        ]


def _read(record: bytes) -> tuple[Callable[[], MarcRecord], str, list[str]]:
    """What makes the record of bytes, encoding and remarks. Raises ValueError: no leader, or no
    field.
    """
    leader, tags, values, remarks = _take_apart(record)
    decoded, encoding, notes = _decoder(record, leader, tags)
    fields = [(tag, _legal(decoded(value))) for tag, value in zip(tags, values, strict=True)]
    return partial(_IsoRecord, _legal(leader), fields), encoding, [*remarks, *notes]


def _take_apart(record: bytes) -> tuple[str, list[str], list[bytes], list[str]]:
    """Leader, tags, the bytes of each tag's field, and remarks."""
    leader = record[:_LEADER].decode("ascii", "replace")
    directory, *values = record[_LEADER:].split(_FIELD_END)
    if values and not values[-1]:
        values.pop()
    if len(leader) < _LEADER or not values:
        raise ValueError("it has no leader and fields")
    remarks = []
    if leader[:5] != f"{len(record) + 1:05d}":
        remarks.append(
            f"the leader gives a length of {leader[:5]}, but the record has {len(record) + 1} bytes"
        )
    entries = [
        directory[at : at + _ENTRY].decode("ascii", "replace")
        for at in range(0, len(directory), _ENTRY)
    ]
    # Fields stand in the order of their offsets, which the directory need not keep.
    entries.sort(key=lambda entry: int(entry[7:]) if entry[7:].isdecimal() else 0)
    tags = [entry[:3] for entry in entries]
    if len(tags) != len(values) or not all(_TAG.fullmatch(tag) for tag in tags):
        remarks.append(
            f"the directory lists {len(tags)} fields, but the record has {len(values)}; some were "
            f"left out"
        )
        pairs = [(t, v) for t, v in zip(tags, values, strict=False) if _TAG.fullmatch(t)]
        tags, values = [t for t, _ in pairs], [v for _, v in pairs]
    if not tags:
        raise ValueError("its directory cannot be read")
    return leader, tags, values, remarks


def _legal(text: str) -> str:
    return _ILLEGAL.sub("", text)


def _decoder(
    record: bytes, leader: str, tags: list[str]
) -> tuple[Callable[[bytes], str], str, list[str]]:
    """What decodes the fields of a record, its name, and remarks.

    Bytes that are UTF-8 are that, whatever the leader says, because MARC-8 never looks so. Else a
    record of MARC 21 is in MARC-8, if the leader does not claim UTF-8; a guess is left for the
    others, among them UNIMARC.
    """
    if record.isascii() and b"\x1b" not in record:
        return (lambda value: value.decode("ascii")), "ascii", []
    try:
        record.decode()
        if b"\x1b" not in record:
            return (lambda value: value.decode("utf-8", "replace")), "utf-8", []
    except UnicodeDecodeError:
        pass
    unimarc = "200" in tags and "245" not in tags
    if leader[9] != "a" and not unimarc:
        remarks: list[str] = []
        return _each_subfield(_marc_8(remarks)), "marc-8", remarks
    found = decode(record, "")
    name = found.encoding
    told = (
        f"its encoding is not the one it claims; it was read as {name}" if leader[9] == "a" else ""
    )
    return _each_subfield(lambda part: part.decode(name, "replace")), name, [told] if told else []


def _each_subfield(decoded: Callable[[bytes], str]) -> Callable[[bytes], str]:
    """What decodes a field, of what decodes a subfield: a damaged one must not reach further."""
    mark = _SUBFIELD.encode()
    return lambda value: _SUBFIELD.join(map(decoded, value.split(mark)))


def _marc_8(remarks: list[str]) -> Callable[[bytes], str]:
    from pymarc.marc8 import marc8_to_unicode

    def decode_value(value: bytes) -> str:
        if value.isascii() and b"\x1b" not in value:
            return value.decode("ascii")
        try:
            return marc8_to_unicode(value, True)
        except (ValueError, KeyError):  # a UnicodeDecodeError is a ValueError
            if not remarks:
                remarks.append("it holds bytes that are no MARC-8; they were read as Latin-1")
            return value.decode("latin-1")

    return decode_value


# MARC 21 in ISO 2709 (.mrc), UTF-8: one record after another. The format counts a field in four
# digits and a record in five. A longer abstract goes on in further fields 520; any other longer
# field is cut, and what a record has no room for is left out. A field 500 of the record says each
# time what is missing: read again, it is a note.

#: Bytes of a field and of a record, their ends included.
LONGEST_FIELD, LONGEST_RECORD = 9_999, 99_999
#: Bytes that are kept for the notes about what is missing.
_FOR_NOTES = 2_000
_ENTRY_LENGTH, _LEADER_LENGTH = 12, 24
_ABSTRACT = "520"
#: Left out first where a record is too long; the further down in the record, the earlier.
_MANY = ("653", "650", "500", "246", "700", "710", "520", "020", "022", "024")


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    for hit, found in with_beside(hits, beside):
        yield encode(marc_data(hit, found))


def encode(record: MarcData) -> bytes:
    """A record as bytes, at most `LONGEST_RECORD`; notes in it tell what had no room."""
    notes: list[str] = []
    fields = [(tag, _cut(tag, value.encode(), notes)) for tag, value in record.control]
    fields += [encoded for field in record.data for encoded in _data(field, notes)]
    fields = _with_room(fields, notes)
    for note in notes[: _FOR_NOTES // 200]:
        fields += _data(DataField("500", "  ", (("a", note),)), [])
    fields.sort(key=lambda field: order(field[0]))
    return _join_fields(record.leader, fields)


def _data(field: DataField, notes: list[str]) -> list[tuple[str, bytes]]:
    """The field, or several where it is an abstract that is too long for one."""
    body = "".join(f"{_SUBFIELD}{code}{value}" for code, value in field.subfields)
    whole = f"{field.indicators}{body}".encode()
    if len(whole) < LONGEST_FIELD:
        return [(field.tag, whole)]
    if field.tag != _ABSTRACT:
        return [(field.tag, _cut(field.tag, whole, notes))]
    pieces = _pieces(field.subfields[0][1], LONGEST_FIELD - 10)
    return [(field.tag, f"{field.indicators}{_SUBFIELD}a{piece}".encode()) for piece in pieces]


def _cut(tag: str, value: bytes, notes: list[str]) -> bytes:
    if len(value) < LONGEST_FIELD:
        return value
    notes.append(
        f"{tag} was cut: of its {len(value):,} bytes a field of ISO 2709 holds {LONGEST_FIELD:,}"
    )
    return value[: LONGEST_FIELD - 1].decode("utf-8", "ignore").encode()


def _pieces(text: str, most: int) -> Iterator[str]:
    """The text in pieces of at most so many bytes, divided at blanks where there are any."""
    rest = text.encode()
    while len(rest) > most:
        head = rest[:most].decode("utf-8", "ignore")
        place = head.rfind(" ")
        if place > len(head) // 2:
            yield head[:place]
            rest = rest[len(head[: place + 1].encode()) :]
        else:
            yield head
            rest = rest[len(head.encode()) :]
    yield rest.decode()


def _with_room(fields: list[tuple[str, bytes]], notes: list[str]) -> list[tuple[str, bytes]]:
    """The fields that a record has room for; a note tells how many of which tag it has not."""
    room = LONGEST_RECORD - _LEADER_LENGTH - 2 - _FOR_NOTES
    size = sum(_size(field) for field in fields)
    left_out: Counter[str] = Counter()
    kept = list(fields)
    for tag in _MANY:
        if size <= room:
            break
        for place in range(len(kept) - 1, -1, -1):
            if size <= room:
                break
            if kept[place][0] == tag:
                size -= _size(kept.pop(place))
                left_out[tag] += 1
    if left_out:
        told = ", ".join(f"{tag} ({count:,})" for tag, count in left_out.items())
        notes.insert(0, f"left out, because a record of ISO 2709 has no room for them: {told}")
    return kept


def _size(field: tuple[str, bytes]) -> int:
    return len(field[1]) + 1 + _ENTRY_LENGTH


def _join_fields(leader: str, fields: list[tuple[str, bytes]]) -> bytes:
    directory, body = [], bytearray()
    for tag, value in fields:
        directory.append(f"{tag}{len(value) + 1:04d}{len(body):05d}")
        body += value + _FIELD_END
    entries = "".join(directory).encode() + _FIELD_END
    base = _LEADER_LENGTH + len(entries)
    length = base + len(body) + 1
    whole = f"{length:05d}{leader[5:12]}{base:05d}{leader[17:]}".encode()
    return whole + entries + bytes(body) + _RECORD_END
