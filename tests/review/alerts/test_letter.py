"""A digest as the bytes of an e-mail, whatever names and addresses it holds."""

from __future__ import annotations

import datetime as dt
import email
import re
from email.message import EmailMessage
from email.policy import default

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lxml import html

from metasearch.formats.text import line
from metasearch.language import CODES
from metasearch.review.alerts.email_outbox import Mail
from metasearch.review.alerts.email_writer import (
    Digest,
    EmailPart,
    EmailWork,
    write_news_email,
    write_proof_email,
)
from metasearch.review.users.addresses import AddressProof
from metasearch.settings.alerts import MailSettings
from tests import cases

NOW = dt.datetime(2026, 11, 23, 6, tzinfo=dt.UTC)
BASE = "https://search.example.org/meta"
SECRET = "s" * 43
SETTINGS = MailSettings(host="m", sender="alerts@example.org", sender_name="馆藏提醒")
#: With lone surrogates and line breaks.
ANY = st.text(st.characters(exclude_categories=()), max_size=120)


def mail(address: str = "me@example.org", language: str = "en") -> Mail:
    domain = SETTINGS.sender.partition("@")[2]
    return Mail(1, f"<2026-11-23.{'0' * 32}@{domain}>", "", address, language, SECRET, 0)


def digest(name: str = "drives", title: str = "A", language: str = "en") -> Digest:
    item = EmailWork(line(title), line(name), "https://example.org/1")
    return Digest(language, (EmailPart("u", line(name), 1, 0, (item,)),), 1, ())


def message_of(content: bytes) -> EmailMessage:
    made = email.message_from_bytes(content, policy=default)
    assert isinstance(made, EmailMessage)
    return made


def test_what_programs_read_is_never_encoded() -> None:
    """Addresses stand on one line as they are, however long: RFC 8058 allows nothing else."""
    address = f"{'a' * 64}@{'b' * 60}.{'c' * 60}.example.org"
    content = write_news_email(digest(), mail(address), SETTINGS, BASE, NOW)

    head = content.partition(b"\r\n\r\n")[0]
    for header in (
        f"To: {address}",
        f"List-Unsubscribe: <{BASE}/unsubscribe/{SECRET}>",
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
        "List-Id: <saved-searches.search.example.org>",
        f"Message-ID: <2026-11-23.{'0' * 32}@example.org>",
    ):
        assert header.encode() in head.splitlines(), header


@pytest.mark.parametrize("language", ["en", "zh-Hans"])
def test_the_language_stands_in_a_header(language: str) -> None:
    """Of a digest, and of the e-mail that proves an address: readers choose a voice and a font."""
    proof = AddressProof(1, "Anna", "me@example.org", f'{{"language": "{language}"}}', SECRET)
    sent = (
        write_news_email(digest(language=language), mail(language=language), SETTINGS, BASE, NOW),
        write_proof_email(proof, SETTINGS, BASE, NOW),
    )

    for content in sent:
        assert message_of(content).get_all("Content-Language") == [language]


def test_the_sender_may_have_a_long_address() -> None:
    """It is read as it was configured."""
    sender = f"{'a' * 64}@{'b' * 60}.{'c' * 60}.example.org"
    settings = MailSettings(host="m", sender=sender, sender_name="馆藏提醒" * 10)
    made = message_of(write_news_email(digest(), mail(), settings, BASE, NOW))

    (found,) = made["From"].addresses
    assert found.addr_spec == sender
    # Python's reader keeps the blanks between encoded words, which RFC 2047 has readers drop.
    assert found.display_name.replace(" ", "") == "馆藏提醒" * 10


def test_one_click_needs_https() -> None:
    """Without encryption the link is there, and the button of mail programs is not."""
    content = write_news_email(digest(), mail(), SETTINGS, "http://search.example.org", NOW)
    assert b"List-Unsubscribe: <http://" in content
    assert b"List-Unsubscribe-Post" not in content


@pytest.mark.parametrize("language", CODES)
@given(name=ANY, title=ANY)
@example(name="0" + "\U00010000" * 8 + " ¡ ¡", title="")
def test_whatever_names_and_titles_hold_headers_stay_their_own(
    language: str, name: str, title: str
) -> None:
    """The e-mail is ASCII, its lines end, and it has the headers that it has with plain names."""
    content = write_news_email(
        digest(name, title, language), mail(language=language), SETTINGS, BASE, NOW
    )
    plain = write_news_email(
        digest(language=language), mail(language=language), SETTINGS, BASE, NOW
    )

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


@cases.each("address", ["a@b.org\r\nBcc: eve@example.org", "é@b.org", "a" * 1000])
def test_an_address_that_would_end_its_header_is_refused(address: str) -> None:
    """Whatever was checked before."""
    with pytest.raises(ValueError, match="To cannot be"):
        write_news_email(digest(), mail(address), SETTINGS, BASE, NOW)
