"""Strategies by the JSON interface: steps that name one another, and what is known of them."""

from __future__ import annotations

from tests.review.api.conftest import Api


async def test_steps_are_added_changed_and_removed(api: Api) -> None:
    """Each has the one query that sources see; a step that others name is not removed."""
    await api.post("", 201, name="g")
    await api.post("/g/strategies", 201, name="main", sources=["demo-pubmed"])
    place = "/g/strategies/main"

    first = await api.post(f"{place}/steps", 201, text="gambling")
    await api.post(f"{place}/steps", 201, text="debt", note="of households")
    both = await api.post(f"{place}/steps", 201, text="#1 AND #2")
    changed = await api.post(f"{place}/steps/1", text="gambling OR betting")
    refused = await api.post(f"{place}/steps/1", 400, removed=True)
    await api.post(f"{place}/steps/3", removed=True)
    shown = await api.get(place)

    assert (first["number"], both["kind"], both["parents"]) == (1, "combine", [1, 2])
    assert changed["text"] == "gambling OR betting"
    assert "named by #3" in refused["detail"]
    assert [step["query"] for step in shown["steps"]] == ["gambling OR betting", "debt"]
    assert shown["sources"] == ["demo-pubmed"]


async def test_a_step_that_cannot_be_read(api: Api) -> None:
    """The problem says where in the text it is; nothing is added."""
    await api.post("", 201, name="g")
    await api.post("/g/strategies", 201, name="main")

    problem = await api.post("/g/strategies/main/steps", 400, text="gambling AND (debt")
    unknown = await api.post("/g/strategies/main/steps", 400, text="#7 AND debt")

    assert problem["type"].endswith("query-syntax")
    assert problem["position"] == 13
    assert "7" in unknown["detail"]
    assert (await api.get("/g/strategies/main"))["steps"] == []


async def test_counts_after_a_run_of_counts(api: Api) -> None:
    """Each number has its source and its date; a source that failed has none, and a changed step
    is stale."""
    await api.post("", 201, name="g")
    await api.post("/g/strategies", 201, name="main")
    await api.post("/g/strategies/main/steps", 201, text="gambling")

    begun = await api.post("/g/runs", 202, mode="counts", sources=["demo-pubmed", "demo-failing"])
    ended = await api.ended(f"/g/runs/{begun['number']}")
    known = await api.get("/g/strategies/main/counts")
    await api.post("/g/strategies/main/steps/1", text="betting")
    later = await api.get("/g/strategies/main/counts")

    (line,) = known["steps"]
    counts = {each["source"]: each for each in line["counts"]}
    assert ended["status"] == "done"
    assert counts["demo-pubmed"]["claimed"] == line["claimed"] > 0
    assert counts["demo-pubmed"]["asked_at"].endswith("Z")
    assert counts["demo-failing"]["claimed"] is None
    assert line["missing"] == ["demo-failing"]
    assert (line["stale"], later["steps"][0]["stale"]) == (False, True)
