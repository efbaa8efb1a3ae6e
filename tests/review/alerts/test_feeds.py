"""The news of a saved search as Atom and JSON Feed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from metasearch.formats.feeds import ATOM
from metasearch.review.alerts import feeds, saved_searches
from metasearch.review.alerts.feeds import MOST_ENTRIES, Feed
from metasearch.review.store.database import Database
from tests.review.alerts.told_rows import search, tell, user, work

NS = {"a": ATOM}
BASE = "https://search.example.org/meta"


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with Database(tmp_path / "workspace.sqlite3") as opened:
        yield opened


def atom_of(feed: Feed, base: str = BASE) -> etree._Element:
    return etree.fromstring(feeds.write_atom(feed, base))


def titles(root: etree._Element) -> list[str]:
    return [str(each.text) for each in root.iterfind("a:entry/a:title", NS)]


def test_an_entry_is_named_for_ever_and_dated_when_it_was_told(db: Database) -> None:
    """Its id is that of the saved search and the news under the host of the server; `updated` is
    when it was first seen."""
    one = search(db)
    tell(db, one, [work()])
    uid, at = db.all("SELECT uid, at FROM saved_news")[0]
    feed = feeds.read_feed(db, one.id)

    (entry,) = atom_of(feed).iterfind("a:entry", NS)
    name = f"tag:search.example.org,2026:saved/{one.uid}/{uid}"
    assert entry.findtext("a:id", None, NS) == name
    assert entry.findtext("a:updated", None, NS) == at
    (item,) = json.loads(feeds.write_json(feed, BASE))["items"]
    assert (item["id"], item["date_modified"]) == (name, at)
    assert item["url"] == "https://example.org/works/1"


def test_the_title_tells_what_has_happened(db: Database) -> None:
    """New versions, retractions and corrections are told; late arrivals are not in a feed."""
    one = search(db)
    tell(db, one, [work("A")])
    tell(db, one, [work("B")], "version")
    tell(db, one, [work("C", retracted=True), work("D")], "retracted")
    tell(db, one, [work("E")], "late")
    feed = feeds.read_feed(db, one.id)

    expected = ["Retracted: C", "Corrected: D", "New version: B", "A"]
    assert titles(atom_of(feed)) == expected
    items = json.loads(feeds.write_json(feed, BASE))["items"]
    assert [item["title"] for item in items] == expected
    assert [item["_metasearch"]["kind"] for item in items] == [
        "retracted",
        "retracted",
        "version",
        "new",
    ]


def test_the_words_are_those_of_the_user(db: Database) -> None:
    """A feed is in the language that its owner has chosen for the pages."""
    owner = user(db, preferences={"language": "zh-Hans"})
    one = search(db, owner=owner)
    tell(db, one, [work("论文")], "version")

    assert titles(atom_of(feeds.read_feed(db, one.id))) == ["新版本：论文"]


def test_a_feed_holds_the_newest(db: Database) -> None:
    """A hundred entries at most, the newest first."""
    one = search(db)
    tell(db, one, [work("old")])
    tell(db, one, [work(f"title {number}") for number in range(MOST_ENTRIES)])
    found = titles(atom_of(feeds.read_feed(db, one.id)))

    assert len(found) == MOST_ENTRIES
    assert found[0] == "title 0"
    assert "old" not in found


def test_a_feed_without_news_is_a_feed(db: Database) -> None:
    """It is dated by the saved search."""
    one = search(db)
    root = atom_of(feeds.read_feed(db, one.id))

    assert root.findtext("a:updated", None, NS) == one.created
    assert root.findtext("a:title", None, NS) == "metasearch: drives"


def test_the_host_of_an_id_is_one_that_a_tag_may_have(db: Database) -> None:
    """Without a name of the server, and for addresses in brackets, it is "localhost"."""
    one = search(db)
    for base, host in (
        ("", "localhost"),
        ("http://[::1]:8080", "localhost"),
        ("http://127.0.0.1:8080", "127.0.0.1"),
        ("https://Search.Example.org", "search.example.org"),
    ):
        name = atom_of(feeds.read_feed(db, one.id), base).findtext("a:id", None, NS)
        assert name == f"tag:{host},2026:saved/{one.uid}", base


def test_a_feed_is_found_by_its_secret_alone(db: Database) -> None:
    """Neither its uid nor an old secret opens it."""
    one = search(db)
    assert feeds.feed_of_secret(db, one.feed) is not None
    renewed = saved_searches.new_feed(db, one)

    for secret in (one.feed, one.uid, "", "x" * 43, "%", renewed.feed[:-1], renewed.feed + "A"):
        assert feeds.feed_of_secret(db, secret) is None, secret
    assert feeds.feed_of_secret(db, renewed.feed) is not None


def test_the_feed_of_a_user_who_is_switched_off_or_gone_ends(db: Database) -> None:
    """Whoever may not log in does not read on through a feed."""
    owner = user(db)
    one = search(db, owner=owner)
    assert feeds.feed_of_secret(db, one.feed) is not None
    db.run("UPDATE user SET disabled = 1")
    assert feeds.feed_of_secret(db, one.feed) is None
    db.run("DELETE FROM user")
    assert feeds.feed_of_secret(db, one.feed) is None


def test_news_of_another_release_are_left_out(db: Database) -> None:
    """One that cannot be read does not take the others with it."""
    one = search(db)
    tell(db, one, [work("A"), work("B")])
    db.run("UPDATE saved_news SET hit = ? WHERE id = 1", b"{}")

    assert titles(atom_of(feeds.read_feed(db, one.id))) == ["A"]


#: With lone surrogates, too.
ANY = st.text(st.characters(exclude_categories=()), max_size=40)


@given(ANY, ANY)
def test_whatever_titles_and_names_hold_the_feed_is_well_formed(title: str, name: str) -> None:
    """Control characters, surrogates and markup of databases and users break neither form."""
    at = feeds.moment("2026-11-20T10:00:00Z")
    hit = work(title, venue=name, abstract=title, keywords=(name,), doi=title)
    feed = Feed("abc", name, title, "en", at, (feeds.FeedEntry("u", "new", hit, at),))

    assert len(titles(atom_of(feed))) == 1
    assert len(json.loads(feeds.write_json(feed, BASE))["items"]) == 1


def test_a_feed_reader_reads_it(db: Database) -> None:
    """feedparser finds nothing wrong, and every entry with its link."""
    feedparser = pytest.importorskip("feedparser")
    one = search(db, name="<b>drives</b> & mice")
    tell(db, one, [work("<script>alert(1)</script> & more")], "version")
    read = feedparser.parse(feeds.write_atom(feeds.read_feed(db, one.id), BASE))

    assert not read.bozo
    (entry,) = read.entries
    assert entry.title_detail.type == "text/plain"
    assert entry.title == "New version: <script>alert(1)</script> & more"
    assert entry.link == "https://example.org/works/1"
    assert entry.id.startswith("tag:search.example.org,2026:saved/")
