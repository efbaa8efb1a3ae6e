"""Works, decisions, files and reports by the JSON interface."""

from __future__ import annotations

import base64
import csv
import io
from typing import Any

import pytest

from tests.cases import each
from tests.review.api.conftest import Api

RIS = (
    "TY  - JOUR\nTI  - Gambling and debt\nAU  - Doe, Jane\nPY  - 2020\nDO  - 10.1000/182\nER  - \n"
)


@pytest.fixture
async def review(api: Api) -> Api:
    """A project that has been run once."""
    await api.post("", 201, name="g", kind="review")
    await api.post("/g/strategies", 201, name="main", sources=["demo-pubmed", "demo-openalex"])
    await api.post("/g/strategies/main/steps", 201, text="gambling")
    begun = await api.post("/g/runs", 202)
    await api.ended(f"/g/runs/{begun['number']}")
    return api


async def works(api: Api, **parameters: str) -> list[Any]:
    """The works that a list has."""
    return list((await api.get("/g/works", count="500", **parameters))["works"])


async def test_a_list_is_narrowed_and_paged(review: Api) -> None:
    """Facets are those of the whole list."""
    whole = await review.get("/g/works", sort="title", count="3", start="1")
    recent = await works(review, years="2020-", sources="demo-pubmed")
    every = await works(review, sort="title")

    assert [work["uid"] for work in whole["works"]] == [work["uid"] for work in every[1:4]]
    assert whole["total"] == len(every)
    assert recent
    assert all(work["year"] >= 2020 for work in recent)
    assert {facet["name"] for facet in whole["facets"]} >= {"verdict", "sources", "years"}


async def test_a_work_is_found_by_its_names(review: Api) -> None:
    """A DOI has slashes, which stand in the address as they are."""
    work = next(work for work in await works(review) if work["doi"])

    by_uid = await review.get(f"/g/works/{work['uid']}")
    by_doi = await review.get(f"/g/works/{work['doi']}")

    assert by_uid == by_doi
    assert by_uid["hit"]["title"] == work["title"]
    assert by_uid["found_by"][0]["run"] == 1
    assert "detail" in await review.get("/g/works/10.1000/none", 404)


async def test_decisions_tags_and_notes_are_made_and_undone(review: Api) -> None:
    """About works that are named, or all that a list would have."""
    first, *_ = await works(review)
    every = len(await works(review))

    one = await review.post("/g/decisions", works=[first["uid"]], verdict="relevant")
    rest = await review.post(
        "/g/decisions", matching={"verdict": "undecided"}, verdict="excluded", reason="topic"
    )
    await review.post("/g/tags", matching={}, add=["seen"])
    await review.post("/g/notes", work=first["uid"], text="Look again.")
    noted = await review.get(f"/g/works/{first['uid']}")
    undone = await review.post("/g/undo", change=rest["change"])
    again = await review.post("/g/undo", 400, change=rest["change"])

    assert (one["works"], rest["works"]) == (1, every - 1)
    assert (noted["note"], noted["tags"]) == ("Look again.", ["seen"])
    assert noted["decisions"]["title"]["verdict"] == "relevant"
    assert undone["undone"] == rest["change"]
    assert "undone already" in again["detail"]
    assert len(await works(review, verdict="undecided")) == every - 1


async def test_two_works_are_pinned_as_one(review: Api) -> None:
    """And divided again."""
    first, second, *rest = await works(review)

    joined = await review.post("/g/pins", verdict="same", first=first["uid"], second=second["uid"])
    (pin,) = (await review.get("/g/pins"))["pins"]
    one = await works(review)
    await review.post("/g/pins/remove", pin=pin["id"])

    assert {*joined["joined"][0].values()} == {first["uid"], second["uid"]}
    assert len(one) == len(rest) + 1
    assert len(await works(review)) == len(rest) + 2


@pytest.mark.parametrize("packed", [False, True])
async def test_a_file_of_a_search_by_hand(review: Api, packed: bool) -> None:
    """As text or as base64; it is a step with a run of its own."""
    content = {"base64": base64.b64encode(RIS.encode()).decode()} if packed else {"text": RIS}

    made = await review.post(
        "/g/imports", 201, name="cnki.ris", source="CNKI", searched="2026-05-03", **content
    )

    assert (made["step"]["kind"], made["answer"]["fetched"]) == ("import", 1)
    assert (await review.get("/g/works/10.1000/182"))["sources"] == ["CNKI"]


async def test_works_are_exported_and_decisions_come_back(review: Api) -> None:
    """An export names each work; a table with these names is imported as one change."""
    async with review.session.get(f"{review.base}/g/exports?format=asreview") as response:
        rows = list(csv.DictReader(io.StringIO(await response.text(encoding="utf-8-sig"))))
    out = io.StringIO()
    writer = csv.DictWriter(out, rows[0])
    writer.writeheader()
    writer.writerows(row | {"included": "1"} for row in rows)

    made = await review.post("/g/decisions/import", name="a.csv", text=out.getvalue())
    async with review.session.post(
        f"{review.base}/g/exports", json={"format": "ris", "works": [rows[0]["metasearch_id"]]}
    ) as response:
        text = await response.text()

    assert made["changed"] == len(rows) == len(await works(review, verdict="relevant"))
    assert text.count("TY  - ") == 1
    assert response.headers["Content-Disposition"].endswith('"works.ris"')


async def test_a_report_is_written_and_finished(review: Api) -> None:
    """In every format; a draft is not finished, unless it may be."""
    draft = await review.get("/g/reports/prisma-flow")
    refused = await review.post("/g/reports/prisma-flow", 400)
    await review.post("/g/decisions", matching={}, verdict="excluded")
    made = await review.post("/g/reports/prisma-flow", 201)
    listed = await review.get("/g/reports")
    for name, begins in (("html", "<!doctype html>"), ("md", "# "), ("svg", "<")):
        address = f"{review.base}/g/reports/prisma-flow?format={name}&number=1"
        async with review.session.get(address) as response:
            assert (await response.text()).lower().startswith(begins)

    assert draft["draft"]
    assert "The report is a draft" in refused["detail"]
    assert [report["digest"] for report in listed["finished"]] == [made["digest"]]
    assert {kind["kind"] for kind in listed["kinds"]} >= {"prisma-s", "prisma-flow", "chaxin"}
    assert "detail" in await review.get("/g/reports/thesis", 404)


@each(
    ("path", "members", "said"),
    [
        ("/g/decisions", {"verdict": "relevant"}, "one of both"),
        ("/g/decisions", {"verdict": "relevant", "works": ["x"], "matching": {}}, "one of both"),
        ("/g/decisions", {"verdict": "relevant", "matching": {"sort": "year"}}, "sort"),
        ("/g/decisions", {"verdict": "perhaps", "works": ["x"]}, "verdict"),
        ("/g/decisions", {"verdict": "relevant", "works": ["none"]}, "none"),
        ("/g/tags", {"works": ["x"], "add": ["a" * 101]}, "add"),
        ("/g/notes", {"work": "none", "text": "x"}, "none"),
        ("/g/undo", {"change": 0}, "change"),
        ("/g/imports", {"name": "a", "source": "x", "searched": "2026-05-03"}, "one of both"),
        (
            "/g/imports",
            {"name": "a", "source": "x", "searched": "2026-05-03", "base64": "%%"},
            "no base64",
        ),
        ("/g/imports", {"name": "a", "source": "x", "searched": "soon", "text": RIS}, "soon"),
        ("/g/exports", {"format": "docx", "works": ["x"]}, "format"),
    ],
)
async def test_what_cannot_be_changed(
    review: Api, path: str, members: dict[str, object], said: str
) -> None:
    """400 with the reason, and nothing is changed."""
    before = (await review.get("/g/log"))["changes"]

    problem = await review.post(path, 400, **members)

    assert said in problem["detail"]
    assert (await review.get("/g/log"))["changes"] == before
