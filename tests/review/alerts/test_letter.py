"""A digest as the bytes of an e-mail, whatever names and addresses it holds."""

from __future__ import annotations

import datetime as dt
import email
import re
from email.message import EmailMessage
from email.policy import default
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from metasearch.formats.text import line
from metasearch.review.alerts.letters import Digest, Item, Part, written
from metasearch.review.alerts.news import Language
from metasearch.review.alerts.outbox import Mail
from metasearch.settings.alerts import MailSettings

NOW = dt.datetime(2026, 11, 23, 6, tzinfo=dt.UTC)
BASE = "https://search.example.org/meta"
SECRET = "s" * 43
SETTINGS = MailSettings(host="m", sender="alerts@example.org", sender_name="馆藏提醒")
#: With lone surrogates and line breaks.
ANY = st.text(st.characters(exclude_categories=()), max_size=120)


def mail(address: str = "me@example.org", language: Language = "en") -> Mail:
    domain = SETTINGS.sender.partition("@")[2]
    return Mail(1, f"<2026-11-23.{'0' * 32}@{domain}>", "", address, language, SECRET, 0)


def digest(name: str = "drives", title: str = "A", language: Language = "en") -> Digest:
    item = Item(line(title), line(name), "https://example.org/1")
    return Digest(language, (Part("u", line(name), 1, 0, (item,)),), 1, ())


def message_of(content: bytes) -> EmailMessage:
    made = email.message_from_bytes(content, policy=default)
    assert isinstance(made, EmailMessage)
    return made


def test_what_programs_read_is_never_encoded() -> None:
    """Addresses stand on one line as they are, however long: RFC 8058 allows nothing else."""
    address = f"{'a' * 64}@{'b' * 60}.{'c' * 60}.example.org"
    content = written(digest(), mail(address), SETTINGS, BASE, NOW)

    head = content.partition(b"\r\n\r\n")[0]
    for header in (
        f"To: {address}",
        f"List-Unsubscribe: <{BASE}/unsubscribe/{SECRET}>",
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        "List-Id: <saved-searches.search.example.org>",
        f"Message-ID: <2026-11-23.{'0' * 32}@example.org>",
    ):
        assert header.encode() in head.splitlines(), header


def test_the_sender_may_have_a_long_address() -> None:
    """It is read as it was configured."""
    sender = f"{'a' * 64}@{'b' * 60}.{'c' * 60}.example.org"
    settings = MailSettings(host="m", sender=sender, sender_name="馆藏提醒" * 10)
    made = message_of(written(digest(), mail(), settings, BASE, NOW))

    (found,) = made["From"].addresses
    assert found.addr_spec == sender
    # Python's reader keeps the blanks between encoded words, which RFC 2047 has readers drop.
    assert found.display_name.replace(" ", "") == "馆藏提醒" * 10


def test_one_click_needs_https() -> None:
    """Without encryption the link is there, and the button of mail programs is not."""
    content = written(digest(), mail(), SETTINGS, "http://search.example.org", NOW)
    assert b"List-Unsubscribe: <http://" in content
    assert b"List-Unsubscribe-Post" not in content


@pytest.mark.parametrize("language", get_args(Language))
@given(name=ANY, title=ANY)
def test_whatever_names_and_titles_hold_headers_stay_their_own(
    language: Language, name: str, title: str
) -> None:
    """The e-mail is ASCII, its lines end, and it has the headers that it has with plain names."""
    content = written(digest(name, title, language), mail(language=language), SETTINGS, BASE, NOW)
    plain = written(digest(language=language), mail(language=language), SETTINGS, BASE, NOW)

    assert content.isascii()
    assert not re.search(rb"[^\r]\n|\r[^\n]", content)
    assert max(map(len, content.split(b"\r\n"))) <= 998
    made = message_of(content)
    assert made.keys() == message_of(plain).keys()
    assert line(name)[:80].strip() in line(made["Subject"])
    _, rich = made.iter_parts()
    tree = html.document_fromstring(rich.get_content())
    assert {each.tag for each in tree.iter()} <= {
        *("html", "head", "meta", "title", "body", "h2", "ul", "li", "a", "br", "p", "hr", "strong")
    }


@pytest.mark.parametrize("address", ["a@b.org\r\nBcc: eve@example.org", "é@b.org", "a" * 1000])
def test_an_address_that_would_end_its_header_is_refused(address: str) -> None:
    """Whatever was checked before."""
    with pytest.raises(ValueError, match="To cannot be"):
        written(digest(), mail(address), SETTINGS, BASE, NOW)
