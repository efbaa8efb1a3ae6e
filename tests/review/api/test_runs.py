"""Runs by the JSON interface: begun, followed, stopped."""

from __future__ import annotations

import pytest

from metasearch import demo
from metasearch.demo import DemoDatabases
from metasearch.review.store.database import Database
from metasearch.settings import Settings
from tests.cases import sample
from tests.review.api.conftest import Api, second


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
    sample(
        [
            ({"sources": ["nowhere"]}, "there is no source called 'nowhere'"),
            ({"sources": ["./mine.toml"]}, "is a path"),
            ({"steps": [7]}, "There is no step 7"),
            ({"steps": ["1"]}, "steps"),
            ({"per_source": 0}, "per_source"),
            ({"strategy": "other"}, "There is no search strategy 'other'"),
        ],
        3,
    ),
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
    await api.answered(place)

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


@pytest.mark.parametrize("latency", [{"demo-slow": 60.0}])
async def test_a_run_that_a_shutdown_has_interrupted_is_resumed(
    settings: Settings, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server that ends marks it; another one asks the database that had not answered, alone.
    A run that was resumed to its end is neither resumed nor stopped."""
    await prepared(api)
    await api.post("/g/runs", 202, sources=["demo-pubmed"])
    await api.ended("/g/runs/1")
    monkeypatch.setattr(demo, "DemoDatabases", DemoDatabases)
    async with second(settings) as other:
        begun = await api.post("/g/runs", 202, sources=["demo-slow", "demo-pubmed"])
        place = f"/g/runs/{begun['number']}"
        await api.answered(place)
        refused = await other.post(f"{place}/resume", 409)
        await api.shut()
        interrupted = await other.get(place)
        again = await other.post(f"{place}/resume", 202)
        ended = await other.ended(place)
        late = [await other.post(f"{place}/{verb}", 409) for verb in ("resume", "stop")]

    assert refused["type"].endswith(":running")
    assert (interrupted["status"], interrupted["ended"] is None) == ("interrupted", False)
    assert [answer["source"] for answer in interrupted["answers"]] == ["demo-pubmed"]
    assert (again["number"], again["ended"]) == (begun["number"], None)
    assert (ended["status"], ended["error"]) == ("done", None)
    assert [answer["source"] for answer in ended["answers"]] == ["demo-pubmed", "demo-slow"]
    assert ended["answers"][0] == interrupted["answers"][0]
    assert all(problem["type"].endswith(":not-running") for problem in late)


@pytest.mark.parametrize("latency", [{"demo-slow": 60.0}])
async def test_a_run_of_another_process_is_known_and_stopped_by_the_file(
    settings: Settings, api: Api
) -> None:
    """A second server refuses a run beside it, says since when it goes on, and stops it."""
    await prepared(api)
    async with second(settings) as other:
        begun = await api.post("/g/runs", 202, sources=["demo-slow", "demo-pubmed"])
        place = f"/g/runs/{begun['number']}"
        await api.answered(place)
        refused = await other.post("/g/runs", 409, sources=["demo-pubmed"])
        stopped = await other.post(f"{place}/stop")
        free = await other.post("/g/runs", 202, mode="counts", sources=["demo-pubmed"])

    assert refused["type"].endswith(":running")
    assert begun["started"] in refused["detail"]
    assert "stop" in refused["advice"]
    assert stopped["status"] == "stopped"
    assert [answer["source"] for answer in stopped["answers"]] == ["demo-pubmed"]
    assert free["number"] == 2


async def test_a_step_that_was_changed_is_not_mixed_into_a_run(
    settings: Settings, api: Api
) -> None:
    """A run that has asked it otherwise is not resumed: the error says so, and it can be ended."""
    await prepared(api)
    await api.post("/g/runs", 202, sources=["demo-pubmed", "demo-openalex"])
    await api.ended("/g/runs/1")
    with Database(settings.workspace) as db:
        db.run("UPDATE run SET status = 'interrupted'")
        db.run("DELETE FROM answer WHERE source = 'demo-openalex'")
    await api.post("/g/strategies/main/steps/1", text="betting")

    refused = await api.post("/g/runs/1/resume", 400)
    ended = await api.post("/g/runs/1/stop")

    assert "Step 1 was changed" in refused["detail"]
    assert ended["status"] == "stopped"


async def test_a_run_along_citations(api: Api) -> None:
    """A step of its own; what it leads to says which works it cites, or which cite it."""
    await prepared(api)
    indexes = ["demo-crossref", "demo-openalex"]
    begun = await api.post("/g/runs", 202, sources=indexes, per_source=40)
    await api.ended(f"/g/runs/{begun['number']}")
    listed = (await api.get("/g/works", limit="30"))["works"]
    seeds = [work["uid"] for work in listed if work["doi"]]
    await api.post("/g/decisions", works=seeds, verdict="relevant", stage="fulltext")

    step = await api.post("/g/strategies/main/citations", 201, indexes=indexes)
    run = await api.post("/g/runs", 202, steps=[step["number"]])
    ended = await api.ended(f"/g/runs/{run['number']}")
    new = (await api.get("/g/works", first_runs=str(run["number"])))["works"]
    shown = await api.get(f"/g/works/{new[0]['uid']}")
    refused = await api.post("/g/runs", 400, steps=[step["number"]])
    again = await api.post("/g/runs", 202, steps=[step["number"]], again=True)
    await api.ended(f"/g/runs/{again['number']}")

    assert (step["kind"], run["mode"], ended["error"]) == ("citations", "citations", None)
    assert {answer["source"] for answer in ended["answers"]} == set(indexes)
    assert {link["work"] for link in shown["led_to_by"]} <= set(seeds)
    assert "asked for already" in refused["detail"]


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({"directions": ["sideways"]}, "directions"),
        ({"rounds": 11}, "rounds"),
        ({"seeds": ["10.1000/none"]}, "not names of one work"),
    ],
)
async def test_citations_that_cannot_be_followed(
    api: Api, members: dict[str, object], said: str
) -> None:
    await prepared(api)

    problem = await api.post("/g/strategies/main/citations", 400, **members)

    assert said in problem["detail"]
