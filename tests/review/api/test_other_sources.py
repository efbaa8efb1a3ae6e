"""Other ways of searching by the JSON interface."""

from __future__ import annotations

import pytest

from tests.cases import sample
from tests.review.api.conftest import Api


async def test_one_is_added_changed_and_removed(api: Api) -> None:
    """A number that is not known is null; one that turns out to be unknown becomes null again."""
    await api.post("", 201, name="g")

    made = await api.post("/g/other-sources", 201, kind="website", name="Commission", identified=9)
    place = f"/g/other-sources/{made['id']}"
    changed = await api.post(place, sought=3, excluded={"wrong population": 2}, date="2026-05-03")
    unknown = await api.post(place, unknown=["identified"])
    listed = await api.get("/g/other-sources")
    removed = await api.post(place, removed=True)

    assert (made["identified"], made["sought"], made["excluded"]) == (9, None, {})
    assert (changed["sought"], changed["excluded"]) == (3, {"wrong population": 2})
    assert (unknown["identified"], unknown["sought"]) == (None, 3)
    assert listed == {"other_sources": [unknown]}
    assert removed == {"removed": made["id"]}
    assert (await api.get("/g/other-sources"))["other_sources"] == []
    assert {line["action"] for line in (await api.get("/g/log"))["changes"]} >= {
        "add other source",
        "edit other source",
        "remove other source",
    }


@pytest.mark.parametrize(
    ("members", "said"),
    sample(
        [
            ({"kind": "rumour"}, "kind"),
            ({"name": ""}, "name"),
            ({"identified": 1, "sought": 2}, "larger than the number identified"),
            ({"sought": 1, "excluded": {"a": 2}}, "more than were assessed"),
            ({"excluded": {"a": -1}}, "excluded"),
            ({"excluded": {"a": {"b": 1}}}, "excluded"),
            ({"excluded": ["a"]}, "excluded"),
            ({"identified": -1}, "identified"),
            ({"date": "May"}, "date"),
            ({"unknown": ["sought"]}, "unknown"),
            ({"id": 4}, "id"),
        ],
        4,
    ),
)
async def test_what_cannot_be_kept(api: Api, members: dict[str, object], said: str) -> None:
    """It is refused with what is wrong, and nothing is kept."""
    await api.post("", 201, name="g")

    problem = await api.post("/g/other-sources", 400, **{"kind": "website", "name": "A"} | members)

    assert said in problem["detail"]
    assert (await api.get("/g/other-sources"))["other_sources"] == []


@pytest.mark.parametrize(
    "members", [{"sought": 1, "unknown": ["sought"]}, {"removed": True, "sought": 1}]
)
async def test_a_change_that_contradicts_itself(api: Api, members: dict[str, object]) -> None:
    """Nothing is changed."""
    await api.post("", 201, name="g")
    made = await api.post("/g/other-sources", 201, kind="contact", name="Jane Doe")

    await api.post(f"/g/other-sources/{made['id']}", 400, **members)

    assert (await api.get("/g/other-sources"))["other_sources"] == [made]


async def test_those_of_another_project_are_not_there(api: Api) -> None:
    """404, and it stays."""
    await api.post("", 201, name="g")
    await api.post("", 201, name="h")
    made = await api.post("/g/other-sources", 201, kind="contact", name="Jane Doe")

    await api.post(f"/h/other-sources/{made['id']}", 404, removed=True)
    await api.post("/g/other-sources/one", 404, removed=True)

    assert (await api.get("/g/other-sources"))["other_sources"] == [made]
