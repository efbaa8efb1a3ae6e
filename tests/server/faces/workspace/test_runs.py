"""Runs by the JSON interface: begun, followed, stopped."""

from __future__ import annotations

import asyncio

import pytest

from tests.server.faces.workspace.conftest import Api


async def prepared(api: Api) -> None:
    """A project with one step."""
    await api.post("", 201, name="g")
    await api.post("/g/strategies", 201, name="main")
    await api.post("/g/strategies/main/steps", 201, text="gambling")


async def test_a_run_goes_on_in_the_background(api: Api) -> None:
    """The answer to the POST names it; at its end the project has its works, each once."""
    await prepared(api)

    begun = await api.post("/g/runs", 202, sources=["demo-pubmed", "demo-openalex"], per_source=20)
    ended = await api.ended(f"/g/runs/{begun['number']}")
    project = await api.get("/g")
    listed = await api.get("/g/runs")

    fetched = sum(answer["fetched"] for answer in ended["answers"])
    assert (begun["number"], begun["mode"], ended["error"]) == (1, "records", None)
    assert project["holds"]["records"] == fetched > project["holds"]["works"] > 0
    assert [run["number"] for run in listed["runs"]] == [1]
    assert all("key" not in str(answer["requests"]).lower() for answer in ended["answers"])


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"sources": ["nowhere"]}, "there is no source called 'nowhere'"),
        ({"sources": ["./mine.toml"]}, "is a path"),
        ({"steps": [7]}, "There is no step 7"),
        ({"steps": ["1"]}, "steps"),
        ({"per_source": 0}, "per_source"),
        ({"strategy": "other"}, "There is no search strategy 'other'"),
    ],
)
async def test_what_cannot_be_run(api: Api, members: dict[str, object], said: str) -> None:
    """It is told at once, and no run is begun."""
    await prepared(api)

    problem = await api.post("/g/runs", 400, **members)

    assert said in problem["detail"]
    assert (await api.get("/g/runs"))["runs"] == []


@pytest.mark.parametrize("latency", [{"demo-slow": 60.0}])
async def test_one_run_of_a_project_at_a_time_and_it_can_be_stopped(api: Api) -> None:
    """A second one is refused while the first goes on; one that is stopped keeps what has come."""
    await prepared(api)
    begun = await api.post("/g/runs", 202, sources=["demo-slow", "demo-pubmed"])
    place = f"/g/runs/{begun['number']}"
    while not (await api.get(place))["answers"]:
        await asyncio.sleep(0.02)

    refused = await api.post("/g/runs", 409, sources=["demo-pubmed"])
    stopped = await api.post(f"{place}/stop")
    again = await api.post(f"{place}/stop", 409)

    assert refused["type"].endswith(":running")
    assert stopped["status"] == "stopped"
    assert [answer["source"] for answer in stopped["answers"]] == ["demo-pubmed"]
    assert again["type"].endswith(":not-running")
    assert (await api.get("/g"))["holds"]["works"] > 0


@pytest.mark.parametrize("latency", [{"demo-slow": 60.0}])
async def test_a_project_is_deleted_while_it_is_searched(api: Api) -> None:
    """The run ends, and nothing of it is left."""
    await prepared(api)
    await api.post("/g/runs", 202, sources=["demo-slow"])

    await api.post("/g/delete", name="g")

    assert (await api.get())["projects"] == []
