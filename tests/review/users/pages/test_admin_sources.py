"""Databases are switched on and off for all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from metasearch.review.users import audit, source_switches
from metasearch.review.users.source_switches import SWITCHES
from metasearch.server.site import SHARED
from tests.review.users.server.served import Served
from tests.server.fake import FakeRegistry
from tests.server.visitor import text


def registry(local: Served) -> FakeRegistry:
    return cast("Any", local.app[SHARED].engine).registry


async def test_a_database_is_switched_off_and_is_as_configured_again(local: Served):
    """Searches of this worker know at once; the log says who did it."""
    browser = await local.browser("root")
    response = await browser.post("/admin/sources", {"off": "alpha"}, form="/admin/sources")

    assert response.headers["Location"] == "/admin/sources?done=off#s-alpha"
    assert registry(local).switches == {"alpha": False}
    tree = await browser.page("/admin/sources?done=off")
    assert "switched off" in tree.get_element_by_id("s-alpha").text_content()
    with local.database() as db:
        assert audit.lines(db, action="sources")[0].object == "source:alpha"
    await browser.post("/admin/sources", {"configured": "alpha"}, form="/admin/sources")
    assert registry(local).switches == {}


async def test_a_switch_of_another_worker_is_read(local: Served):
    """What the workspace holds counts, whoever has written it."""
    with local.database() as db:
        source_switches.set_switch(db, "beta", False)
    switches = local.app[SWITCHES]
    assert switches is not None
    await switches.read()

    assert registry(local).switches == {"beta": False}


async def test_a_database_that_is_off_by_itself_needs_a_confirmation(local: Served):
    """Its terms are shown first; then it is switched on."""
    specs = registry(local).specs
    specs["beta"] = replace(specs["beta"], enabled=False, terms="Programs may not search it.")
    browser = await local.browser("root")
    response = await browser.post("/admin/sources", {"on": "beta"}, form="/admin/sources")

    assert response.status == 200
    assert "Programs may not search it." in await response.text()
    assert registry(local).switches == {}
    sent = {"on": "beta", "confirmed": "yes"}
    assert (await browser.post("/admin/sources", sent, form="/admin/sources")).status == 303
    assert registry(local).switches == {"beta": True}


async def test_the_name_of_a_key_is_shown_and_never_its_value(local: Served, monkeypatch):
    """Where it is set is said."""
    browser = await local.browser("root")
    tree = await browser.page("/admin/sources?show=key")

    assert "GAMMA_KEY: not set; needed" in text(tree)
    assert "hush" not in text(tree)


async def test_an_unknown_database_is_no_database(local: Served):
    """404, and nothing is kept."""
    browser = await local.browser("root")
    response = await browser.post("/admin/sources", {"off": "nowhere"}, form="/admin/sources")

    assert response.status == 404
    assert local.value("SELECT count(*) FROM source_switch") == 0


async def test_the_interface_switches_too(local: Served):
    """With the same confirmation."""
    specs = registry(local).specs
    specs["beta"] = replace(specs["beta"], enabled=False)
    header = local.token("root", "write")
    program = await local.browser()

    async def post(**body: Any) -> tuple[int, Any]:
        response = await program.session.post("/api/admin/sources", json=body, headers=header)
        return response.status, await response.json(content_type=None)

    assert (await post(source="alpha", switch="off"))[0] == 200
    assert (await post(source="beta", switch="on"))[0] == 400
    status, found = await post(source="beta", switch="on", confirmed=True)
    assert status == 200
    states = {each["name"]: (each["on"], each["switch"]) for each in found["sources"]}
    assert (states["alpha"], states["beta"]) == ((False, "off"), (True, "on"))
    assert (await post(source="nowhere", switch="on"))[0] == 404
