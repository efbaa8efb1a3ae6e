"""Checks of included works by the JSON interface: begun, followed, stopped."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from metasearch.settings import Settings
from tests.review.api.conftest import Api, second


async def prepared(api: Api) -> None:
    """A project that includes the works of a run."""
    await api.post("", 201, name="g")
    await api.post("/g/strategies", 201, name="main")
    await api.post("/g/strategies/main/steps", 201, text="gambling")
    await api.post("/g/runs", 202, sources=["demo-pubmed"], per_source=5)
    await api.ended("/g/runs/1")
    await api.post("/g/decisions", matching={}, verdict="relevant", stage="fulltext")


async def ended(api: Api) -> Any:
    """What is known when the check has ended."""
    while (known := await api.get("/g/check"))["under_way"]:
        await asyncio.sleep(0.02)
    return known


async def test_a_check_goes_on_in_the_background(api: Api) -> None:
    """Before it, a warning says what to do; after it, each work has a verdict."""
    await prepared(api)
    before = await api.get("/g/check")
    await api.post("/g/check", 202)
    known = await ended(api)
    some = await api.get("/g/check", verdict="confirmed", start="1", limit="2")
    await api.get("/g/check", 400, verdict="invented")

    assert "None of the 5 included works" in before["warning"]
    assert (before["checked"], before["works"]) == (0, [])
    assert (known["included"], known["checked"], known["warning"]) == (5, 5, None)
    assert known["error"] is None
    assert {each["verdict"] for each in known["works"]} <= {"confirmed", "unchecked"}
    assert len(some["works"]) == 2
    assert (await api.get("/g/log"))["changes"][0]["action"] == "check works"


async def test_without_included_works_there_is_nothing_to_check(api: Api) -> None:
    """The answer says what to do."""
    await api.post("", 201, name="g")
    problem = await api.post("/g/check", 400)
    assert "Decide on its works" in problem["advice"]


@pytest.mark.parametrize("latency", [{"demo-openalex": 60.0}])
async def test_a_check_of_another_process_is_known_and_stopped_by_the_file(
    settings: Settings, api: Api
) -> None:
    """A second server refuses a check beside it, and stops it."""
    await prepared(api)
    async with second(settings) as other:
        await api.post("/g/check", 202)
        refused = await other.post("/g/check", 409)
        stopped = await other.post("/g/check/stop")
        again = await other.post("/g/check/stop", 409)

    assert refused["type"].endswith(":running")
    assert stopped["under_way"] is False
    assert again["type"].endswith(":not-running")
