"""Clients of pazpar2, at /pazpar2/search.pz2."""

from __future__ import annotations

import time
from typing import Any

from lxml import etree

from tests.clients.works import fetched

QUERY = "gambling"


def test_pz2_js(server, tried, listed):
    """What pz2.js sends: a session, a search, polls until no source is active, a work."""
    row = tried("pz2.js", "init, search, show, termlist, bytarget, record", replayed=True)

    def send(command: str, **parameters: Any) -> Any:
        body = fetched(f"{server}/pazpar2/search.pz2", command=command, **parameters)
        return etree.fromstring(body)

    session = {"session": send("init").findtext("session"), "windowid": ""}
    assert send("search", query=QUERY, **session).findtext("status") == "OK"
    end = time.monotonic() + 60
    while (stat := send("stat", **session)).findtext("activeclients") != "0":
        assert time.monotonic() < end
        time.sleep(0.5)
    shown = send("show", start=0, num=20, sort="relevance", block=1, **session)
    terms = send("termlist", name="author,subject", **session)
    targets = send("bytarget", **session)
    recid = shown.findtext("hit/recid")
    work = send("record", id=recid, **session)

    titles = [hit.findtext("md-title") for hit in shown.iter("hit")]
    assert titles == [hit["title"] for hit in listed(QUERY)[:20]]
    assert work.findtext("md-title") == titles[0]
    assert terms.xpath("list[@name='author']/term")
    states = {each.text for each in targets.iter("state")}
    assert "Client_Working" not in states
    row.came(
        f"{shown.findtext('merged')} works merged of {stat.findtext('records')} records; a work"
    )
