"""E-mails of saved searches: what one tells, and its bytes.

What one e-mail tells: the news of all saved searches of one owner since the last one.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import logging
from collections.abc import Iterator
from dataclasses import dataclass
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
from metasearch.record import Hit, Record
from metasearch.review.alerts.news import Language, preferred, titled
from metasearch.review.alerts.outbox import Mail
from metasearch.review.reports.document import Say, speaker
from metasearch.review.store.database import Database
from metasearch.settings.alerts import MailSettings

if TYPE_CHECKING:
    from metasearch.review.users.addresses import Proof


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
        return Digest(language, tuple(parts), last, _lost_mails(db, owner))


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


def _lost_mails(db: Database, owner: str) -> tuple[str, ...]:
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
_TAGS = {"en": "en", "zh": "zh-Hans"}
#: Characters of a line are at most 998 (RFC 5322).
_LONGEST_HEADER = 900
#: Characters of the name of a saved search in a subject.
_LONGEST_NAME = 80


def written(
    digest: Digest, mail: Mail, settings: MailSettings, base: str, now: dt.datetime
) -> bytes:
    """The e-mail, in ASCII with CRLF. `base`: absolute address of the server; "" where there is
    none, and no links. `now`: when it is sent, with a time zone.
    """
    say = speaker(digest.language)
    off = f"{base}/unsubscribe/{mail.secret}" if base else ""
    made = EmailMessage(policy=_POLICY)
    made["From"] = Address(line(settings.sender_name), addr_spec=settings.sender)
    made["Subject"] = _subject(digest, say)
    made["Date"] = format_datetime(now)
    # No answers of absence, please (RFC 3834).
    made["Auto-Submitted"] = "auto-generated"
    made["Content-Language"] = _TAGS[digest.language]
    made.set_content("\n".join(_text(digest, say, base, off)) + "\n")
    made.add_alternative(_html(digest, say, base, off), subtype="html")
    return b"".join(_plain_headers(mail, base, off)) + made.as_bytes()


def address_link(proof: Proof, settings: MailSettings, base: str, now: dt.datetime) -> bytes:
    """The e-mail with the link that proves an address; as `written`. Nothing of it but the name of
    the account was typed by the one who named the address, and that is one line of few characters.
    """
    language = preferred(proof.preferences)
    say = speaker(language)
    host, name = urlsplit(base).hostname or base, line(proof.name)[:_LONGEST_NAME]
    made = EmailMessage(policy=_POLICY)
    made["From"] = Address(line(settings.sender_name), addr_spec=settings.sender)
    made["Subject"] = say(f"Is this your address? ({host})", f"这是您的邮箱吗？（{host}）")
    made["Date"] = format_datetime(now)
    made["Auto-Submitted"] = "auto-generated"
    made["Content-Language"] = _TAGS[language]
    lines = (
        say(
            f"The account {name} at {base} has named this address for its e-mails.",
            f"{base} 的账户“{name}”填写了此邮箱，用于接收邮件。",
        ),
        say(
            "If that was you, open this link within two days:",
            "如果是您本人，请在两天内打开此链接：",
        ),
        f"{base}/address/{proof.secret}",
        "",
        say(
            "If it was not you, do nothing: nothing else is sent here.",
            "如果不是您本人，请忽略本邮件：不会再向此邮箱发送其他邮件。",
        ),
    )
    made.set_content("\n".join(lines) + "\n")
    digest = hashlib.sha256(proof.secret.encode()).hexdigest()[:32]
    message_id = f"<address.{digest}@{settings.sender.partition('@')[2]}>"
    return _plain("Message-ID", message_id) + _plain("To", proof.address) + made.as_bytes()


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


def _subject(digest: Digest, say: Say) -> str:
    works = _works(digest.works, say)
    if len(digest.parts) == 1:
        return f"{works}{say(': ', '：')}{digest.parts[0].name[:_LONGEST_NAME]}"
    number = len(digest.parts)
    return say(f"{works} in {number} saved searches", f"{works}，来自 {number} 个已存检索")


def _works(number: int, say: Say) -> str:
    return say(f"{number:,} new work{'' if number == 1 else 's'}", f"{number:,} 篇新文献")


def _heading(part: Part, say: Say) -> str:
    return f"{part.name} ({_works(part.works, say)})"


def _more(part: Part, say: Say) -> Iterator[str]:
    """What is not listed."""
    more = part.works - len(part.items)
    if more > 0:
        yield say(f"{more:,} more are not listed here.", f"另有 {more:,} 篇未在此列出。")
    if part.late:
        yield say(
            f"Besides: {part.late:,} late arrival{'' if part.late == 1 else 's'}, of databases "
            "that did not answer before.",
            f"此外有 {part.late:,} 篇迟到的文献，来自先前未返回的数据库。",
        )


def _lost(digest: Digest, say: Say) -> str:
    """About earlier e-mails; "" where nothing is to be said."""
    days = ", ".join(digest.lost)
    return (
        say(
            f"The e-mail of {days} may not have arrived; the pages have what it told.",
            f"{days} 的邮件可能未送达；其内容可在网页上查看。",
        )
        if days
        else ""
    )


def _why(say: Say) -> str:
    return say(
        "You get this because you have switched e-mails on for these saved searches.",
        "您收到此邮件，是因为您为这些已存检索开启了邮件提醒。",
    )


def _page(part: Part, base: str) -> str:
    return f"{base}/saved/{part.uid}" if base else ""


def _text(digest: Digest, say: Say, base: str, off: str) -> Iterator[str]:
    for part in digest.parts:
        heading = _heading(part, say)
        yield from (heading, "=" * min(len(heading), 70), "")
        for item in part.items:
            yield from (f"* {item.title}", *_lines(item), "")
        for more in _more(part, say):
            yield from (more, "")
        if base:
            yield from (say("All news: ", "全部新文献：") + _page(part, base), "")
    if said := _lost(digest, say):
        yield from (said, "")
    yield from ("-- ", _why(say))
    if off:
        yield say("No more e-mails: ", "不再接收邮件：") + off


def _lines(item: Item) -> Iterator[str]:
    for text in (item.about, item.address):
        if text:
            yield f"  {text}"


def _html(digest: Digest, say: Say, base: str, off: str) -> str:
    body = _E.body()
    for part in digest.parts:
        body.append(_E.h2(_heading(part, say)))
        listed = _E.ul()
        for item in part.items:
            listed.append(_entry(item))
        if part.items:
            body.append(listed)
        for more in _more(part, say):
            body.append(_E.p(more))
        if base:
            body.append(_E.p(_E.a(say("All news", "全部新文献"), href=_page(part, base))))
    if said := _lost(digest, say):
        body.append(_E.p(said))
    foot = _E.p(_why(say))
    if off:
        foot.append(_E.br())
        foot.append(_E.a(say("No more e-mails", "不再接收邮件"), href=off))
    body.append(_E.hr())
    body.append(foot)
    head = _E.head(_E.meta(charset="utf-8"), _E.title(_subject(digest, say)))
    whole: str = etree.tostring(
        _E.html(head, body, lang=_TAGS[digest.language]),
        method="html",
        encoding="unicode",
        doctype="<!doctype html>",
    )
    return whole


def _entry(item: Item) -> Any:
    title = _E.a(item.title, href=item.address) if item.address else _E.strong(item.title)
    entry = _E.li(title)
    if item.about:
        entry.append(_E.br())
        entry[-1].tail = item.about
    return entry
