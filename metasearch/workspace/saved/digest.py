"""What one e-mail tells: the news of all saved searches of one owner since the last one."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from metasearch.formats import hits
from metasearch.formats.reference import link
from metasearch.formats.text import ascii_url, line
from metasearch.record import Hit, Record
from metasearch.workspace.saved.words import Language, titled
from metasearch.workspace.store.database import Database

log = logging.getLogger(__name__)

#: Works that an e-mail lists; it has a link to all.
MOST_WORKS = 100
#: Authors that are named.
_MOST_AUTHORS = 3
#: Characters of a name, and of that of a journal.
_LONGEST_TEXT = 200


@dataclass(frozen=True, slots=True)
class Item:
    """A work in an e-mail, each text on one line. `title`: with what has happened to the work.
    `address`: of the work on the web; "" where none is known.
    """

    title: str
    about: str
    address: str


@dataclass(frozen=True, slots=True)
class Part:
    """The news of one saved search. `name`: of the saved search, on one line. `late`: how many late
    arrivals there are, which are not listed.
    """

    uid: str
    name: str
    works: int
    late: int
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Digest:
    """What one e-mail tells.

    Attributes:
        parts: By the name of the saved search; none without works.
        last_news: The number of the newest of its news.
        lost: Days of earlier e-mails of which nobody knows whether they have arrived.
    """

    language: Language
    parts: tuple[Part, ...]
    last_news: int
    lost: tuple[str, ...]

    @property
    def works(self) -> int:
        """How many there are in all."""
        return sum(part.works for part in self.parts)


def compose(db: Database, owner: str, language: Language) -> Digest | None:
    """What there is to tell somebody; None where there is nothing. `owner`: the uid of a user; ""
    for what belongs to none.
    """
    with db.snapshot():
        rows = db.all(
            "SELECT s.id, s.uid, s.name, coalesce(t.news, 0) AS told, count(*) AS works"
            " FROM saved_search AS s"
            " JOIN saved_news AS n ON n.saved = s.id"
            " LEFT JOIN mail_told AS t ON t.saved = s.id"
            " WHERE s.owner = ? AND s.email <> 0 AND n.id > coalesce(t.news, 0)"
            " AND n.kind <> 'late' GROUP BY s.id ORDER BY s.name",
            owner,
        )
        if not rows:
            return None
        parts, left = [], MOST_WORKS
        for row in rows:
            items = _items(db, row["id"], row["told"], left, language)
            left -= len(items)
            late = db.value(
                "SELECT count(*) FROM saved_news WHERE saved = ? AND id > ? AND kind = 'late'",
                row["id"],
                row["told"],
            )
            parts.append(Part(row["uid"], line(row["name"]), row["works"], late, tuple(items)))
        # Late arrivals, too: they are counted once.
        last = db.value(
            "SELECT max(n.id) FROM saved_news AS n JOIN saved_search AS s ON s.id = n.saved"
            " WHERE s.owner = ? AND s.email <> 0",
            owner,
        )
        return Digest(language, tuple(parts), last, _lost(db, owner))


def _items(db: Database, saved: int, told: int, most: int, language: Language) -> list[Item]:
    rows = db.all(
        "SELECT uid, kind, hit FROM saved_news WHERE saved = ? AND id > ?"
        " AND kind <> 'late' ORDER BY id DESC LIMIT ?",
        saved,
        told,
        most,
    )
    items = []
    for row in rows:
        try:
            items.append(_item(row["kind"], hits.read(row["hit"]), language))
        except ValueError:
            log.warning("news %s was written by another release: left out", row["uid"])
    return items


def _item(kind: str, hit: Hit, language: Language) -> Item:
    record = hit.record
    return Item(
        titled(kind, record, language), _about(record, language), ascii_url(link(record) or "")
    )


def _about(record: Record, language: Language) -> str:
    """Authors, journal and year on one line."""
    names = [line(author.name)[:_LONGEST_TEXT] for author in record.authors[:_MOST_AUTHORS]]
    said = {"en": ", ", "zh": "，"}[language].join(filter(None, names))
    if len(record.authors) > _MOST_AUTHORS:
        said += {"en": " et al.", "zh": "等"}[language]
    venue = line(record.venue)[:_LONGEST_TEXT]
    return " · ".join(filter(None, (said, venue, str(record.year or ""))))


def _lost(db: Database, owner: str) -> tuple[str, ...]:
    """Days of unclear e-mails since the last one that has arrived."""
    rows = db.all(
        "SELECT day FROM mail WHERE owner = ? AND status = 'unclear' AND day > coalesce("
        "(SELECT max(day) FROM mail WHERE owner = ? AND status = 'sent'), '') ORDER BY day",
        owner,
        owner,
    )
    return tuple(row["day"] for row in rows)
