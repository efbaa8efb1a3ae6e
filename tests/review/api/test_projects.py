"""Projects by the JSON interface: made, listed, changed, deleted, and their log."""

from __future__ import annotations

import io

from tests import cases
from tests.cases import each
from tests.review.api.conftest import Api
from tests.server.conftest import Serve


async def test_a_project_is_made_listed_and_shown(api: Api) -> None:
    """The uid of the answer is its address, and so is its name."""
    made = await api.post("", 201, name="gambling", kind="review", title="Gambling harms")
    listed = await api.get()
    shown = await api.get(f"/{made['uid']}")

    assert made["title"] == "Gambling harms"
    assert [project["uid"] for project in listed["projects"]] == [made["uid"]]
    assert shown["holds"]["works"] == 0
    assert shown == await api.get("/gambling")


async def test_a_project_is_changed_and_deleted(api: Api) -> None:
    """Deleting needs the name once more; the log tells what was changed."""
    await api.post("", 201, name="gambling")

    changed = await api.post("/gambling", title="Betting", archived=True)
    log = await api.get("/gambling/log")
    refused = await api.post("/gambling/delete", 400, name="other")
    await api.post("/gambling/delete", name="gambling")

    assert (changed["title"], changed["archived"]) == ("Betting", True)
    assert [line["action"] for line in log["changes"]] == ["edit project", "new project"]
    assert log["changes"][0]["after"] == {"archived": True, "title": "Betting"}
    assert refused["errors"][0]["parameter"] == "name"
    assert (await api.get("/gambling", 404))["detail"].startswith("There is no project 'gambling'")


@each(
    ("members", "parameter"),
    [
        ({}, "name"),
        ({"name": "a b"}, None),
        ({"name": 5}, "name"),
        ({"name": "x" * 61}, "name"),
        ({"name": "a", "kind": "thesis"}, "kind"),
        ({"name": "a", "owner": "me"}, "owner"),
        ({"name": "a", "title": "\0"}, "title"),
        ({"name": ["a"]}, "name"),
        ({"name": {"a": {"a": {"a": {"a": {"a": {"a": {"a": {"a": 1}}}}}}}}}, None),
    ],
)
async def test_what_cannot_be_a_project(
    api: Api, members: dict[str, object], parameter: str | None
) -> None:
    """It is refused with the member that is wrong, and nothing is made."""
    problem = await api.post("", 400, **members)

    assert [error["parameter"] for error in problem.get("errors", ())] == [
        name for name in (parameter,) if name
    ]
    assert (await api.get())["projects"] == []


@each(
    ("body", "media_type", "status"),
    [
        ("name=a", "application/x-www-form-urlencoded", 415),
        ('{"name": "a"}', "text/plain", 415),
        ("{", "application/json", 400),
        ("[]", "application/json", 400),
        ('{"name": "' + "a" * 3_000_000 + '"}', "application/json", 413),
    ],
)
async def test_only_json_changes_something(
    api: Api, body: str, media_type: str, status: int
) -> None:
    """What a form of another site can send is refused."""
    async with api.session.post(
        api.base, data=io.BytesIO(body.encode()), headers={"Content-Type": media_type}
    ) as response:
        assert response.status == status

    assert (await api.get())["projects"] == []


@cases.each(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
async def test_pages_of_other_sites_neither_read_nor_change(
    api: Api, headers: dict[str, str], status: int
) -> None:
    """Neither under a name of their own that leads here, nor from their own origin."""
    async with api.session.get(api.base, headers=headers) as read:
        assert read.status == status
    async with api.session.post(api.base, json={"name": "a"}, headers=headers) as changed:
        assert changed.status == status

    assert (await api.get())["projects"] == []


async def test_without_a_workspace_the_addresses_say_how_to_get_one(serve: Serve) -> None:
    """404, and the option that switches it on."""
    client = await serve()

    response = await client.get("/api/projects")
    problem = await response.json(content_type=None)

    assert response.status == 404
    assert problem["type"] == "urn:metasearch:problem:no-workspace"
    assert "metasearch serve --workspace" in problem["detail"]


async def test_what_only_changes_something_cannot_be_read(api: Api) -> None:
    """405, with the method that there is."""
    await api.post("", 201, name="a")

    async with api.session.get(f"{api.base}/a/delete") as response:
        assert (response.status, response.headers["Allow"]) == (405, "POST")
