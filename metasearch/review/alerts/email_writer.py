"""E-mails of saved searches: what one tells, the news of all saved searches of one owner since the
last one, and its bytes.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from email.header import Header
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from lxml import etree
from lxml.builder import ElementMaker

from metasearch.formats import hits
from metasearch.formats.reference import link
from metasearch.formats.text import ascii_url, line
from metasearch.language import language_of
from metasearch.message import message_n
from metasearch.record import Hit, Record
from metasearch.review.alerts.email_outbox import Mail
from metasearch.review.alerts.news import language_in, news_title
from metasearch.review.reports.document import Phrase
from metasearch.review.store.database import Database
from metasearch.settings.alerts import MailSettings

if TYPE_CHECKING:
    from metasearch.review.users.addresses import AddressProof


log = logging.getLogger(__name__)

#: Works that an e-mail lists; it has a link to all.
MOST_WORKS = 100
#: Authors that are named.
_MOST_AUTHORS = 3
#: Characters of a name, and of that of a journal.
_LONGEST_TEXT = 200


@dataclass(frozen=True, slots=True)
class EmailWork:
    """A work in an e-mail, each text on one line. `title`: with what has happened to the work.
    `address`: of the work on the web; "" where none is known.
    """

    title: str
    about: str
    address: str


@dataclass(frozen=True, slots=True)
class EmailPart:
    """The news of one saved search. `name`: of the saved search, on one line. `late`: how many late
    arrivals there are, which are not listed.
    """

    uid: str
    name: str
    works: int
    late: int
    items: tuple[EmailWork, ...]


@dataclass(frozen=True, slots=True)
class Digest:
    """What one e-mail tells.

    Attributes:
        parts: By the name of the saved search; none without works.
        last_news: The number of the newest of its news.
        lost: Days of earlier e-mails of which nobody knows whether they have arrived.
    """

    language: str
    parts: tuple[EmailPart, ...]
    last_news: int
    lost: tuple[str, ...]

    @property
    def works(self) -> int:
        return sum(part.works for part in self.parts)


def compose(db: Database, owner: str, language: str) -> Digest | None:
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
            parts.append(EmailPart(row["uid"], line(row["name"]), row["works"], late, tuple(items)))
        # Late arrivals, too: they are counted once.
        last = db.value(
            "SELECT max(n.id) FROM saved_news AS n JOIN saved_search AS s ON s.id = n.saved"
            " WHERE s.owner = ? AND s.email <> 0",
            owner,
        )
        return Digest(language, tuple(parts), last, _days_of_lost_emails(db, owner))


def _items(db: Database, saved: int, told: int, most: int, language: str) -> list[EmailWork]:
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


def _item(kind: str, hit: Hit, language: str) -> EmailWork:
    record = hit.record
    return EmailWork(
        news_title(kind, record, language), _about(record, language), ascii_url(link(record) or "")
    )


def _about(record: Record, language: str) -> str:
    """Authors, journal and year on one line."""
    names = [line(author.name)[:_LONGEST_TEXT] for author in record.byline[:_MOST_AUTHORS]]
    phrase = language_of(language).phrase
    said = phrase(", ").join(filter(None, names))
    if len(record.byline) > _MOST_AUTHORS:
        said = phrase("{names} et al.", names=said)
    venue = line(record.venue)[:_LONGEST_TEXT]
    return " · ".join(filter(None, (said, venue, str(record.year or ""))))


def _days_of_lost_emails(db: Database, owner: str) -> tuple[str, ...]:
    """Days of unclear e-mails since the last one that has arrived."""
    rows = db.all(
        "SELECT day FROM mail WHERE owner = ? AND status = 'unclear' AND day > coalesce("
        "(SELECT max(day) FROM mail WHERE owner = ? AND status = 'sent'), '') ORDER BY day",
        owner,
        owner,
    )
    return tuple(row["day"] for row in rows)


# A digest as the bytes of an e-mail: headers, a part in plain text, and the same in HTML. Every
# text is one line of printable characters before it comes near a header, and a header with a line
# break is refused besides. Elements of the HTML are made, never written.

#: Every byte is ASCII: any mail server takes that.
_POLICY = SMTP.clone(cte_type="7bit")
_E = ElementMaker()
#: Characters of a line are at most 998 (RFC 5322).
_LONGEST_HEADER = 900
#: Characters of the name of a saved search in a subject.
_LONGEST_NAME = 80


def write_news_email(
    digest: Digest, mail: Mail, settings: MailSettings, base: str, now: dt.datetime
) -> bytes:
    """The e-mail, in ASCII with CRLF. `base`: absolute address of the server; "" where there is
    none, and no links. `now`: when it is sent, with a time zone.
    """
    phrase = language_of(digest.language).phrase
    off = f"{base}/unsubscribe/{mail.secret}" if base else ""
    made = EmailMessage(policy=_POLICY)
    made["From"] = Address(line(settings.sender_name), addr_spec=settings.sender)
    made["Date"] = format_datetime(now)
    # No answers of absence, please (RFC 3834).
    made["Auto-Submitted"] = "auto-generated"
    made.set_content("\n".join(_text(digest, phrase, base, off)) + "\n")
    made.add_alternative(_html(digest, phrase, base, off), subtype="html")
    # Behind the content: `set_content` drops the headers that tell of an earlier one.
    made["Content-Language"] = language_of(digest.language).tag
    plain = b"".join(_plain_headers(mail, base, off))
    return plain + _subject_header(_subject(digest, phrase)) + made.as_bytes()


def write_proof_email(
    proof: AddressProof, settings: MailSettings, base: str, now: dt.datetime
) -> bytes:
    """The e-mail with the link that proves an address; as `written`. Nothing of it but the name of
    the account was typed by the one who named the address, and that is one line of few characters.
    """
    language = language_of(language_in(proof.preferences))
    phrase = language.phrase
    host, name = urlsplit(base).hostname or base, line(proof.name)[:_LONGEST_NAME]
    made = EmailMessage(policy=_POLICY)
    made["From"] = Address(line(settings.sender_name), addr_spec=settings.sender)
    subject = _subject_header(phrase("Is this your address? ({host})", host=host))
    made["Date"] = format_datetime(now)
    made["Auto-Submitted"] = "auto-generated"
    lines = (
        phrase(
            "The account {name} at {base} has named this address for its e-mails.",
            name=name,
            base=base,
        ),
        phrase("If that was you, open this link within two days:"),
        f"{base}/address/{proof.secret}",
        "",
        phrase("If it was not you, do nothing: nothing else is sent here."),
    )
    made.set_content("\n".join(lines) + "\n")
    made["Content-Language"] = language.tag
    digest = hashlib.sha256(proof.secret.encode()).hexdigest()[:32]
    message_id = f"<address.{digest}@{settings.sender.partition('@')[2]}>"
    plain = _plain("Message-ID", message_id) + _plain("To", proof.address)
    return plain + subject + made.as_bytes()


def _plain_headers(mail: Mail, base: str, off: str) -> Iterator[bytes]:
    """Headers that programs read. They are one line each, as they are: the package `email` writes
    whatever is longer than a line as encoded words, which no address may be.
    """
    yield _plain("Message-ID", mail.message_id)
    yield _plain("To", mail.address)
    if off:
        yield _plain("List-Id", f"<saved-searches.{urlsplit(base).hostname or 'localhost'}>")
        yield _plain("List-Unsubscribe", f"<{off}>")
        if base.startswith("https:"):
            yield _plain("List-Unsubscribe-Post", "List-Unsubscribe=One-Click")


def _plain(name: str, value: str) -> bytes:
    """A header on one line. Raises ValueError: its value has characters that end it, or that no
    mail server must take.
    """
    if not (value.isascii() and value.isprintable()) or len(value) > _LONGEST_HEADER:
        raise ValueError(f"{name} cannot be {value[:80]!r}")
    return f"{name}: {value}\r\n".encode("ascii")


def _subject_header(text: str) -> bytes:
    """The header: `EmailMessage` of Python 3.11 loses blanks between its encoded words."""
    header = Header(text, "us-ascii" if text.isascii() else "utf-8", header_name="Subject")
    encoded = header.encode(linesep="\r\n")
    return f"Subject: {encoded}\r\n".encode("ascii")


def _subject(digest: Digest, phrase: Phrase) -> str:
    works = _works(digest.works, phrase)
    if len(digest.parts) == 1:
        return phrase("{works}: {name}", works=works, name=digest.parts[0].name[:_LONGEST_NAME])
    number = len(digest.parts)
    return phrase("{works} in {number} saved searches", works=works, number=number)


def _works(number: int, phrase: Phrase) -> str:
    return phrase(message_n("{count} new work", "{count} new works", number, count=f"{number:,}"))


def _heading(part: EmailPart, phrase: Phrase) -> str:
    return f"{part.name} ({_works(part.works, phrase)})"


def _more(part: EmailPart, phrase: Phrase) -> Iterator[str]:
    """What is not listed."""
    more = part.works - len(part.items)
    if more > 0:
        yield phrase("{more} more are not listed here.", more=more)
    if part.late:
        yield phrase(
            message_n(
                "Besides: {count} late arrival, of databases that did not answer before.",
                "Besides: {count} late arrivals, of databases that did not answer before.",
                part.late,
                count=f"{part.late:,}",
            )
        )


def _lost_note(digest: Digest, phrase: Phrase) -> str:
    """About earlier e-mails; "" where nothing is to be said."""
    days = ", ".join(digest.lost)
    return (
        phrase("The e-mail of {days} may not have arrived; the pages have what it told.", days=days)
        if days
        else ""
    )


def _why(phrase: Phrase) -> str:
    return phrase("You get this because you have switched e-mails on for these saved searches.")


def _page(part: EmailPart, base: str) -> str:
    return f"{base}/saved/{part.uid}" if base else ""


def _text(digest: Digest, phrase: Phrase, base: str, off: str) -> Iterator[str]:
    for part in digest.parts:
        heading = _heading(part, phrase)
        yield from (heading, "=" * min(len(heading), 70), "")
        for item in part.items:
            yield from (f"* {item.title}", *_lines(item), "")
        for more in _more(part, phrase):
            yield from (more, "")
        if base:
            yield from (phrase("All news: ") + _page(part, base), "")
    if said := _lost_note(digest, phrase):
        yield from (said, "")
    yield from ("-- ", _why(phrase))
    if off:
        yield phrase("No more e-mails: ") + off


def _lines(item: EmailWork) -> Iterator[str]:
    for text in (item.about, item.address):
        if text:
            yield f"  {text}"


def _html(digest: Digest, phrase: Phrase, base: str, off: str) -> str:
    body = _E.body()
    for part in digest.parts:
        body.append(_E.h2(_heading(part, phrase)))
        listed = _E.ul()
        for item in part.items:
            listed.append(_entry(item))
        if part.items:
            body.append(listed)
        for more in _more(part, phrase):
            body.append(_E.p(more))
        if base:
            body.append(_E.p(_E.a(phrase("All news"), href=_page(part, base))))
    if said := _lost_note(digest, phrase):
        body.append(_E.p(said))
    foot = _E.p(_why(phrase))
    if off:
        foot.append(_E.br())
        foot.append(_E.a(phrase("No more e-mails"), href=off))
    body.append(_E.hr())
    body.append(foot)
    head = _E.head(_E.meta(charset="utf-8"), _E.title(_subject(digest, phrase)))
    whole: str = etree.tostring(
        _E.html(head, body, lang=language_of(digest.language).tag),
        method="html",
        encoding="unicode",
        doctype="<!doctype html>",
    )
    return whole


def _entry(item: EmailWork) -> Any:
    title = _E.a(item.title, href=item.address) if item.address else _E.strong(item.title)
    entry = _E.li(title)
    if item.about:
        entry.append(_E.br())
        entry[-1].tail = item.about
    return entry
