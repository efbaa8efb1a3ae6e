"""MARC 21 in ISO 2709 (.mrc), UTF-8: one record after another.

The format counts a field in four digits and a record in five. A longer abstract goes on in further
fields 520; any other longer field is cut, and what a record has no room for is left out. A field
500 of the record says each time what is missing: read again, it is a note.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from metasearch.formats.marc.fields import DataField, MarcData, marc_data, order
from metasearch.formats.origins import BesideHits, with_beside
from metasearch.record import Hit

_FIELD_END, _RECORD_END, _SUBFIELD = b"\x1e", b"\x1d", "\x1f"
#: Bytes of a field and of a record, their ends included.
LONGEST_FIELD, LONGEST_RECORD = 9_999, 99_999
#: Bytes that are kept for the notes about what is missing.
_FOR_NOTES = 2_000
_ENTRY, _LEADER = 12, 24
_ABSTRACT = "520"
#: Left out first where a record is too long; the further down in the record, the earlier.
_MANY = ("653", "650", "500", "246", "700", "710", "520", "020", "022", "024")


def parts(hits: Iterable[Hit], *, beside: BesideHits | None = None) -> Iterator[bytes]:
    """Each hit as a record, in the order given. `hits`: in the order of the records. `beside`: what
    files say beside the records, by `Hit.id`.
    """
    for hit, found in with_beside(hits, beside):
        yield encoded(marc_data(hit, found))


def encoded(record: MarcData) -> bytes:
    """A record as bytes, at most `LONGEST_RECORD`; notes in it tell what had no room."""
    notes: list[str] = []
    fields = [_control(tag, value, notes) for tag, value in record.control]
    fields += [encoded for field in record.data for encoded in _data(field, notes)]
    fields = _fitting(fields, notes)
    for note in notes[: _FOR_NOTES // 200]:
        fields += _data(DataField("500", "  ", (("a", note),)), [])
    fields.sort(key=lambda field: order(field[0]))
    return _joined(record.leader, fields)


def _control(tag: str, value: str, notes: list[str]) -> tuple[str, bytes]:
    return tag, _cut(tag, value.encode(), notes)


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


def _fitting(fields: list[tuple[str, bytes]], notes: list[str]) -> list[tuple[str, bytes]]:
    """The fields that a record has room for; a note tells how many of which tag it has not."""
    room = LONGEST_RECORD - _LEADER - 2 - _FOR_NOTES
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
    return len(field[1]) + 1 + _ENTRY


def _joined(leader: str, fields: list[tuple[str, bytes]]) -> bytes:
    directory, body = [], bytearray()
    for tag, value in fields:
        directory.append(f"{tag}{len(value) + 1:04d}{len(body):05d}")
        body += value + _FIELD_END
    entries = "".join(directory).encode() + _FIELD_END
    base = _LEADER + len(entries)
    length = base + len(body) + 1
    whole = f"{length:05d}{leader[5:12]}{base:05d}{leader[17:]}".encode()
    return whole + entries + bytes(body) + _RECORD_END
