"""Known works by the JSON interface, and which step and source finds or misses each."""

from __future__ import annotations

import pytest

from tests.cases import sample
from tests.review.api.conftest import Api

RIS = "TY  - JOUR\nTI  - Betting at night\nPY  - 2021\nDO  - 10.1000/night\nER  - \n"


async def test_known_works_are_added_listed_and_removed(api: Api) -> None:
    """By lines or by a record; what is there already adds nothing."""
    await api.post("", 201, name="g")

    lines = await api.post("/g/known", lines="PMID 7\n\nGambling and debt (2019)")
    record = await api.post("/g/known", name="one.ris", text=RIS)
    again = await api.post("/g/known", lines="pmid:7")
    await api.post("/g/known/remove", names=["pmid:7"])
    listed = await api.get("/g/known")

    assert [work["name"] for work in lines["new"]] == ["pmid:7", "Gambling and debt (2019)"]
    assert record["new"] == [
        {"name": "doi:10.1000/night", "title": "Betting at night", "year": 2021}
    ]
    assert again == {"new": []}
    assert [work["name"] for work in listed["known"]] == [
        "Gambling and debt (2019)",
        "doi:10.1000/night",
    ]


@pytest.mark.parametrize(
    ("members", "said"),
    sample(
        [
            ({}, "as lines or as a file"),
            ({"lines": "pmid:1", "name": "a.ris", "text": RIS}, "as lines or as a file"),
            ({"text": RIS}, "as lines or as a file"),
            ({"name": "a.ris"}, "as text or as base64"),
            ({"name": "a.ris", "text": ""}, "a.ris"),
            ({"lines": "pmid:1\ndoi:nothing"}, "Line 2"),
            ({"lines": "\n".join(f"pmid:{number}" for number in range(1, 502))}, "500 known works"),
            ({"lines": "x" * 1_001}, "Line 1"),
            ({"lines": 7}, "must be text"),
            ({"works": ["pmid:1"]}, "is no member"),
        ],
        3,
    ),
)
async def test_what_is_no_known_work(api: Api, members: dict[str, object], said: str) -> None:
    """It is refused with its place, and none of the others is added."""
    await api.post("", 201, name="g")

    problem = await api.post("/g/known", 400, **members)

    assert said in problem["detail"]
    assert (await api.get("/g/known"))["known"] == []


async def test_all_that_are_named_are_removed_or_none(api: Api) -> None:
    """A name that is unknown is told."""
    await api.post("", 201, name="g")
    await api.post("/g/known", lines="pmid:7")

    problem = await api.post("/g/known/remove", 400, names=["pmid:7", "pmid:8"])

    assert "pmid:8" in problem["detail"]
    assert len((await api.get("/g/known"))["known"]) == 1


async def test_which_step_and_source_finds_a_known_work(api: Api) -> None:
    """One that was found has run, step and source; one that no source gave has none."""
    await api.post("", 201, name="g")
    await api.post("/g/strategies", 201, name="main", sources=["demo-pubmed"])
    await api.post("/g/strategies/main/steps", 201, text="gambling")
    begun = await api.post("/g/runs", 202)
    await api.ended(f"/g/runs/{begun['number']}")
    works = (await api.get("/g/works"))["works"]
    doi = next(work["doi"] for work in works if work["doi"])
    await api.post("/g/known", lines=f"{doi}\nOf quite another thing (1850)")

    checked = await api.get("/g/strategies/main/validation")

    found, missed = checked["works"]
    assert (checked["strategy"], checked["found"], checked["known"]) == ("main", 1, 2)
    assert [(each["run"], each["step"], each["source"]) for each in found["finders"]] == [
        (1, 1, "demo-pubmed")
    ]
    assert found["works"] == [work["uid"] for work in works if work["doi"] == doi]
    assert (missed["found"], missed["finders"]) == (False, [])
    assert missed["steps"][0]["sources"] == []
    await api.get("/g/strategies/other/validation", 404)


async def test_what_lines_and_databases_have_brought(api: Api) -> None:
    """For each line, alternative and database, and how the databases overlap."""
    await api.post("", 201, name="g")
    await api.post("/g/strategies", 201, name="main", sources=["demo-pubmed", "demo-crossref"])
    await api.post("/g/strategies/main/steps", 201, text="gambling OR betting")
    begun = await api.post("/g/runs", 202)
    await api.ended(f"/g/runs/{begun['number']}")

    found = await api.get("/g/strategies/main/evidence")

    (line,) = found["lines"]
    assert [one["text"] for one in line["alternatives"]] == ["gambling", "betting"]
    assert {one["source"] for one in line["sources"]} == {"demo-pubmed", "demo-crossref"}
    assert line["all"]["works"] == found["works"] == sum(one["works"] for one in found["sets"])
    assert line["final"] is True
    assert {one["source"] for one in found["databases"]} == {"demo-pubmed", "demo-crossref"}
    await api.get("/g/strategies/other/evidence", 404)


async def test_words_are_suggested_where_works_are_known(api: Api) -> None:
    """Before, it is told what is missing."""
    await api.post("", 201, name="g")
    await api.post("/g/strategies", 201, name="main", sources=["demo-pubmed"])
    await api.post("/g/strategies/main/steps", 201, text="title:gambling")
    begun = await api.post("/g/runs", 202)
    await api.ended(f"/g/runs/{begun['number']}")

    problem = await api.get("/g/strategies/main/words", 400)
    assert "relevant or known" in problem["detail"]
    await api.post("/g/known", lines="Wagers on horses (1990)")
    found = await api.get("/g/strategies/main/words?limit=3")

    assert (found["relevant"], found["missed"]) == (1, 1)
    assert 0 < len(found["words"]) <= 3
    assert found["words"][0]["brings"] == [
        {"name": "Wagers on horses (1990)", "title": "Wagers on horses"}
    ]
    await api.get("/g/strategies/main/words?limit=0", 400)
