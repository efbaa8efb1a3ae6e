"""Saved searches as a JSON interface."""

from __future__ import annotations

import asyncio
from typing import Any

from tests.review.api.conftest import Api

NEW = {"name": "drives", "query": "gambling", "sources": ["demo-pubmed"]}


async def made(api: Api, **members: Any) -> dict[str, Any]:
    answer: dict[str, Any] = await api.post("", 201, **(NEW | members))
    return answer


async def run(api: Api, uid: str) -> dict[str, Any]:
    """A saved search after another run of it."""
    number = len((await api.get(f"/{uid}"))["runs"])
    await api.post(f"/{uid}/run", 202)
    async with asyncio.timeout(60):
        while True:
            shown: dict[str, Any] = await api.get(f"/{uid}")
            if len(shown["runs"]) > number and shown["runs"][0]["status"] != "running":
                return shown
            await asyncio.sleep(0.02)


async def test_a_search_is_saved_changed_and_removed(api: Api) -> None:
    """Its address is in `Location`; what is left out of a change stays."""
    async with api.session.post(api.base, json=NEW | {"schedule": "Weekly"}) as response:
        assert response.status == 201
        one = await response.json()
        assert response.headers["Location"] == f"/api/saved/{one['uid']}"
    assert one["schedule"] == "weekly mon"
    assert one["email"] is False

    changed = await api.post(f"/{one['uid']}", name="harms", email=True)
    assert (changed["name"], changed["email"], changed["query"]) == ("harms", True, "gambling")
    assert changed["version"] == one["version"] + 1
    (listed,) = (await api.get())["saved"]
    assert listed["uid"] == one["uid"]

    assert await api.post(f"/{one['uid']}/delete") == {"deleted": one["uid"]}
    await api.get(f"/{one['uid']}", 404)
    assert (await api.get())["saved"] == []


async def test_a_run_that_is_asked_for_goes_on_in_the_background(api: Api) -> None:
    """The first one is the baseline; what is new since then is told."""
    uid = (await made(api))["uid"]
    first = (await run(api, uid))["runs"][0]
    assert (first["status"], first["baseline"], first["told"]) == ("done", True, 0)
    assert first["works"] > 0
    # Another source is asked, too: a new baseline, which must be confirmed.
    problem = await api.post(f"/{uid}", 400, sources=["demo-pubmed", "demo-crossref"])
    assert "baseline" in problem["detail"]
    await api.post(f"/{uid}", sources=["demo-pubmed", "demo-crossref"], baseline=True)
    assert (await run(api, uid))["runs"][0]["baseline"] is True
    assert await api.get(f"/{uid}/news") == {"total": 0, "news": []}


async def test_what_cannot_be_saved_is_refused_with_the_reason(api: Api) -> None:
    """A query that cannot be read, a source that is not there, a schedule that is none, a name that
    is taken, members that are not declared."""
    await made(api)
    for members, said in (
        ({"name": "a", "query": "(gambling"}, "bracket"),
        ({"name": "a", "sources": ["demo-pubmde"]}, "demo-pubmde"),
        ({"name": "a", "schedule": "hourly"}, "schedule"),
        ({"name": "drives"}, "already"),
        ({"name": ""}, "name"),
        ({"name": "a", "owner": "u1"}, "owner"),
        ({"name": "a", "feed": "x"}, "feed"),
        ({"name": "a", "per_source": 0}, "per_source"),
    ):
        problem = await api.post("", 400, **(NEW | members))
        assert said in str(problem), (members, problem)


async def test_a_new_address_of_the_feed_ends_the_old_one(api: Api) -> None:
    """The addresses are absolute, and open without anything else."""
    one = await made(api)
    for address in one["feed"].values():
        async with api.session.get(address) as response:
            assert response.status == 200
    renewed = await api.post(f"/{one['uid']}/feed")
    assert renewed["feed"] != one["feed"]
    for address, status in (
        *((old, 404) for old in one["feed"].values()),
        *((new, 200) for new in renewed["feed"].values()),
    ):
        async with api.session.get(address) as response:
            assert response.status == status


async def test_a_saved_search_is_addressed_by_its_uid_alone(api: Api) -> None:
    """Names may be given anew; an address stays what it is."""
    await made(api)
    for name in ("drives", "x" * 300, "aaaaaaaaaaaa"):
        await api.get(f"/{name}", 404)


async def test_a_change_needs_json_and_no_foreign_page(api: Api) -> None:
    """As everywhere in the interface of the workspace."""
    uid = (await made(api))["uid"]
    form: dict[str, str] = {"name": "x"}
    async with api.session.post(f"{api.base}/{uid}", data=form) as response:
        assert response.status == 415
    headers = {"Origin": "https://evil.example.org"}
    async with api.session.post(f"{api.base}/{uid}/delete", json={}, headers=headers) as response:
        assert response.status == 403
    foreign = {"Host": "evil.example.org"}
    async with api.session.get(api.base, headers=foreign) as response:
        assert response.status == 421
