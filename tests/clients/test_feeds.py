"""Readers of feeds, and curl, at /search."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

from tests.clients.programs import output, python
from tests.clients.works import full_title

QUERY = "gambling"

FEEDPARSER = """
import json, sys, feedparser
feed = feedparser.parse(sys.argv[1])
print(json.dumps({"version": feed.version, "wrong": bool(feed.bozo),
    "entries": [[entry.title, entry.link] for entry in feed.entries]}))
"""
READER = """
import json, sys
from reader import make_reader
reader = make_reader(":memory:")
reader.add_feed(sys.argv[1])
visits = [reader.update_feed(sys.argv[1]) for _ in range(2)]
seen = [[visit.new, visit.modified] if visit else [0, 0] for visit in visits]
print(json.dumps({"seen": seen, "title": reader.get_feed(sys.argv[1]).title,
    "entries": [[entry.title, entry.link] for entry in reader.get_entries()]}))
"""


def leads_to(hit: dict, link: str) -> bool:
    """Whether a link is the DOI of a work, or the address of one of its records."""
    addresses = {hit["url"], *(source["url"] for source in hit["sources"])}
    return link == f"https://doi.org/{hit['doi']}" or link in addresses


def agree(entries: list[list[str]], hits: list[dict]) -> bool:
    """Whether entries have the titles and addresses of these works, in this order."""
    return len(entries) == len(hits) and all(
        title == full_title(hit) and leads_to(hit, link)
        for (title, link), hit in zip(entries, hits, strict=True)
    )


@pytest.mark.parametrize(("form", "version"), [("atom", "atom10"), ("rss", "rss20")])
def test_feedparser(server, tried, listed, form, version):
    """Every entry with its title and address, in the order of the list."""
    row = tried("feedparser", f"/search?format={form}", package="feedparser")
    feed = python(FEEDPARSER, f"{server}/search?q={QUERY}&format={form}")

    assert (feed["version"], feed["wrong"]) == (version, False)
    assert agree(feed["entries"], listed(QUERY))
    row.came(f"{version}, {len(feed['entries'])} entries in order")


@pytest.mark.parametrize("form", ["atom", "rss", "jsonfeed"])
def test_reader(server, tried, listed, form):
    """A feed reader that keeps entries by their ids: the second visit brings no new ones."""
    row = tried("reader", f"subscribed to /search?format={form}, two visits", package="reader")
    feed = python(READER, f"{server}/search?q={QUERY}&format={form}")

    hits = listed(QUERY)
    # It sorts entries by date.
    assert agree(sorted(feed["entries"]), sorted(hits, key=full_title))
    assert feed["seen"] == [[len(hits), 0], [0, 0]]
    assert feed["title"] == f"metasearch: {QUERY}"
    row.came(f"{len(hits)} entries, none new at the second visit")


@pytest.mark.parametrize("form", ["atom", "rss"])
def test_newsboat(server, tried, listed, tmp_path, form):
    """A reader of the terminal: what it read once is not new again."""
    row = tried("Newsboat", f"subscribed to /search?format={form}, two visits", program="newsboat")
    (tmp_path / "urls").write_text(f"{server}/search?q={QUERY}&format={form}\n", encoding="utf-8")
    (tmp_path / "config").touch()
    files = ("-u", "urls", "-c", "cache.db", "-C", "config")
    unread = []
    for _ in range(2):
        output("newsboat", "-q", *files, "-x", "reload", cwd=tmp_path)
        unread.append(output("newsboat", *files, "-x", "print-unread", cwd=tmp_path))
    with closing(sqlite3.connect(tmp_path / "cache.db")) as kept:
        entries = [list(entry) for entry in kept.execute("select title, url from rss_item")]

    hits = listed(QUERY)
    assert agree(sorted(entries), sorted(hits, key=full_title))
    assert unread == [f"{len(hits)} unread articles\n"] * 2
    row.came(f"{len(entries)} entries, none new at the second visit")


def test_curl(server, tried, listed):
    """The form of the answer is that of the Accept header."""
    row = tried("curl", "/search: JSON and RIS by Accept", program="curl")
    url = f"{server}/search?q={QUERY}"
    answer = json.loads(output("curl", "-s", "-H", "Accept: application/json", url))
    ris = output("curl", "-s", "-H", "Accept: application/x-research-info-systems", url)

    assert [hit["id"] for hit in answer["hits"]] == [hit["id"] for hit in listed(QUERY)]
    assert ris.count("TY  - ") == ris.count("ER  - ") == len(answer["hits"])
    row.came(f"{len(answer['hits'])} works in each")


def test_curl_follows_a_stream(server, tried, listed):
    """One line an event, while sources answer."""
    row = tried("curl", "/search?format=ndjson, -N", program="curl")
    url = f"{server}/search?q={QUERY}&format=ndjson"
    lines = [json.loads(line) for line in output("curl", "-sN", url).splitlines()]

    events = [line["event"] for line in lines]
    assert (events[0], events[-1]) == ("start", "done")
    assert events.count("hit") >= len(listed(QUERY))
    row.came(f"{len(lines)} events, {events.count('hit')} of hits")
