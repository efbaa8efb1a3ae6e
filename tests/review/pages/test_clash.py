"""Two readers who have the same page open: who saves later is shown both, and chooses."""

from __future__ import annotations

from pathlib import Path

import pytest
from aiohttp import ClientResponse
from aiohttp.test_utils import TestClient
from lxml import html

from metasearch.review.projects import projects
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps, strategies
from metasearch.review.works import works
from tests.review.pages.filled import TEXT, FilledWorkspace, filled
from tests.server.fake import FakeEngine
from tests.server.visitor import HTML, page, text

Fields = list[tuple[str, str]]


@pytest.fixture
def workspace(tmp_path: Path) -> FilledWorkspace:
    """A workspace with projects."""
    return filled(tmp_path / "workspace.sqlite3")


@pytest.fixture
async def client(serve, workspace: FilledWorkspace) -> TestClient:
    """A browser at a server of it."""
    return await serve(FakeEngine(settings=workspace.settings))


def form(tree: html.HtmlElement, path: str, **typed: str) -> tuple[str, Fields]:
    """Address and fields of the form with an element, as a browser sends them when something was
    typed into some."""
    [element] = tree.xpath(f"//form[{path}]")
    fields = [(name, typed.pop(name, value or "")) for name, value in element.form_values()]
    return element.get("action").partition("#")[0], [*fields, *typed.items()]


async def sent(client: TestClient, form: tuple[str, Fields]) -> ClientResponse:
    """The answer to a form."""
    address, fields = form
    return await client.post(address, data=fields, headers=HTML, allow_redirects=False)


async def conflict(response: ClientResponse) -> html.HtmlElement:
    """The page that shows both."""
    assert response.status == 409, await response.text()
    return html.document_fromstring(await response.text())


def both(tree: html.HtmlElement) -> list[tuple[str, str]]:
    """(yours, theirs) of each row."""
    return [
        (row.findtext("td[1]/span") or "", row.findtext("td[2]/span") or "")
        for row in tree.xpath("//*[@id='clash']//tbody/tr")
    ]


async def test_a_title_that_was_changed_since_is_shown_beside_mine(client, workspace):
    """Nothing is saved; a button saves mine all the same, a link leaves what stands."""
    base = f"/projects/{workspace.review.uid}"
    first, second = await page(client, base), await page(client, base)
    field = ".//input[@name='title']"
    assert (await sent(client, form(first, field, title="κλ"))).status == 303

    shown = await conflict(await sent(client, form(second, field, title="μν")))

    assert both(shown) == [("μν", "κλ")]
    with Database(workspace.path) as db:
        assert projects.find(db, "review").title == "κλ"
    assert shown.xpath("//*[@id='clash']//a/@href") == [base]
    assert (await sent(client, form(shown, "ancestor::*[@id='clash']"))).status == 303
    with Database(workspace.path) as db:
        assert projects.find(db, "review").title == "μν"


async def test_mine_is_not_saved_over_a_third_change(client, workspace):
    """The button has the version that was shown, not whatever stands when it is pressed."""
    base = f"/projects/{workspace.review.uid}"
    tabs = [await page(client, base) for _ in range(3)]
    field = ".//input[@name='title']"
    await sent(client, form(tabs[0], field, title="κλ"))
    shown = await conflict(await sent(client, form(tabs[1], field, title="μν")))
    with Database(workspace.path) as db:
        projects.update(workspace.review.at(db), title="ξο")

    again = await conflict(await sent(client, form(shown, "ancestor::*[@id='clash']")))

    assert both(again) == [("μν", "ξο")]


async def test_a_step_is_edited_by_two(client, workspace):
    """The form has what I typed, and saves it over what I have been shown now."""
    base = f"/projects/{workspace.review.uid}/strategies/{TEXT}"
    first, second = await page(client, f"{base}?edit=1"), await page(client, f"{base}?edit=1")
    place = "ancestor::*[@id='edit']"
    mine = form(second, place, text="<b>μν", do="edit")
    assert (await sent(client, form(first, place, text="κλ", do="edit"))).status == 303

    shown = await conflict(await sent(client, mine))

    assert both(shown) == [("<b>μν", "κλ")]
    assert shown.xpath("//*[@id='edit']//textarea")[0].text.strip() == "<b>μν"
    assert (await sent(client, form(shown, place, do="edit", text="μν OR κλ"))).status == 303
    with Database(workspace.path) as db:
        assert steps.one(db, workspace.strategy, 1).text == "μν OR κλ"


async def test_a_mistake_does_not_hide_a_change_of_another(client, workspace):
    """A form that is shown again with its mistake is still of the version it was made with."""
    base = f"/projects/{workspace.review.uid}/strategies/{TEXT}"
    place = "ancestor::*[@id='edit']"
    tree = await page(client, f"{base}?edit=1")
    response = await sent(client, form(tree, place, text="(μν", do="edit"))
    assert response.status == 400
    shown = html.document_fromstring(await response.text())
    with Database(workspace.path) as db:
        steps.edit(db, workspace.strategy, 1, text="κλ")

    again = await conflict(await sent(client, form(shown, place, text="μν", do="edit")))

    assert both(again) == [("μν", "κλ")]


async def test_a_step_that_is_gone_leaves_what_was_typed(client, workspace):
    """There is nothing to save it over."""
    base = f"/projects/{workspace.review.uid}/strategies/{TEXT}"
    mine = form(
        await page(client, f"{base}?edit=3"), "ancestor::*[@id='edit']", text="μν", do="edit"
    )
    with Database(workspace.path) as db:
        steps.remove(db, workspace.strategy, 3)

    shown = await conflict(await sent(client, mine))

    assert ("μν", "") in both(shown)
    assert not shown.xpath("//*[@id='clash']//form")


async def test_a_step_that_was_changed_is_not_removed_unseen(client, workspace):
    """The page shows what it has become."""
    base = f"/projects/{workspace.review.uid}/strategies/{TEXT}"
    mine = form(await page(client, f"{base}?edit=3"), "ancestor::*[@id='edit']", do="remove")
    with Database(workspace.path) as db:
        steps.edit(db, workspace.strategy, 3, text="κλ")

    shown = await conflict(await sent(client, mine))

    assert ("", "κλ") in both(shown)
    assert (await sent(client, form(shown, "ancestor::*[@id='clash']"))).status == 303
    assert not (await page(client, base)).xpath("//tr[@id='step-3']")


async def test_databases_and_years_are_saved_by_two(client, workspace):
    """Steps that were added meanwhile are no conflict."""
    base = f"/projects/{workspace.review.uid}/strategies/{TEXT}"
    place = "ancestor::*[@id='sources']"
    first, second = await page(client, base), await page(client, base)
    with Database(workspace.path) as db:
        steps.add(db, workspace.strategy, "νξ")
    assert (await sent(client, form(first, place, years="2011-"))).status == 303

    shown = await conflict(await sent(client, form(second, place, years="2012-")))

    assert both(shown) == [("2012-", "2011-")]
    assert (await sent(client, form(shown, "ancestor::*[@id='clash']"))).status == 303
    with Database(workspace.path) as db:
        assert (
            strategies.by_id(db, workspace.strategy.project, workspace.strategy.id).years == "2012-"
        )


async def test_answers_are_given_by_two(client, workspace):
    """Only what differs is shown; the form has what I typed."""
    address = f"/projects/{workspace.novelty.uid}/reports/chaxin"
    place = "ancestor::*[@id='questions']"
    first, second = await page(client, address), await page(client, address)
    name = "a:novelty.client"
    assert (await sent(client, form(first, place, **{name: "κλ"}))).status == 303

    shown = await conflict(await sent(client, form(second, place, **{name: "μν"})))

    assert both(shown) == [("μν", "κλ")]
    assert shown.xpath(f"//input[@name='{name}' and not(@type='hidden')]/@value") == ["μν"]
    assert (await sent(client, form(shown, "ancestor::*[@id='clash']"))).status == 303
    assert "μν" in (await page(client, address)).xpath("string(//*[@class='preview'])")


async def test_answers_of_others_survive_mine(client, workspace):
    """What I have not touched stays as others have answered it since, also when I save mine all
    the same.
    """
    address = f"/projects/{workspace.novelty.uid}/reports/chaxin"
    place = "ancestor::*[@id='questions']"
    tabs = [await page(client, address) for _ in range(2)]
    name, other = "a:novelty.client", "a:novelty.ordered"
    theirs = form(tabs[0], place, **{name: "κλ", other: "2026-01-02"})
    assert (await sent(client, theirs)).status == 303

    shown = await conflict(await sent(client, form(tabs[1], place, **{name: "μν"})))

    field = f"//*[@id='questions']//input[@name='{other}']/@value"
    assert shown.xpath(field) == ["2026-01-02"]
    assert (await sent(client, form(shown, "ancestor::*[@id='clash']"))).status == 303
    after = await page(client, address)
    assert after.xpath(field) == ["2026-01-02"]
    assert after.xpath(f"//input[@name='{name}']/@value") == ["μν"]


async def test_a_note_is_written_by_two(client, workspace):
    """Both notes are shown; tags that the other one has given stay."""
    address = f"/projects/{workspace.review.uid}/works"
    uid = workspace.uids[3]
    first, second = await page(client, address), await page(client, address)
    mine = {f"note-{uid}": "μν", f"tags-{uid}": "ξ", "save": uid}
    theirs = {f"note-{uid}": "κλ", f"tags-{uid}": "π", "save": uid}
    assert (await sent(client, form(first, "@id='marks'", **theirs))).status == 303

    shown = await conflict(await sent(client, form(second, "@id='marks'", **mine)))

    assert both(shown) == [("μν", "κλ")]
    with Database(workspace.path) as db:
        assert works.find(workspace.review.at(db), uid).tags == ("π",)
    assert (await sent(client, form(shown, "ancestor::*[@id='clash']"))).status == 303
    with Database(workspace.path) as db:
        work = works.find(workspace.review.at(db), uid)
    assert (work.note, set(work.tags)) == ("μν", {"ξ", "π"})


async def test_tags_are_given_and_taken_by_two(client, workspace):
    """Each change is that of the form against what it was made with."""
    address = f"/projects/{workspace.review.uid}/works"
    uid = workspace.uids[3]
    await sent(
        client,
        form(await page(client, address), "@id='marks'", **{f"tags-{uid}": "α, β", "save": uid}),
    )
    first, second = await page(client, address), await page(client, address)
    for tree, tags in ((first, "α, β, γ"), (second, "α, δ")):
        answer = await sent(client, form(tree, "@id='marks'", **{f"tags-{uid}": tags, "save": uid}))
        assert answer.status == 303

    with Database(workspace.path) as db:
        assert set(works.find(workspace.review.at(db), uid).tags) == {"α", "γ", "δ"}


async def test_a_version_that_is_no_number_is_told(client, workspace):
    """As any field that a page never sends."""
    base = f"/projects/{workspace.review.uid}"
    mine = form(await page(client, base), ".//input[@name='title']", title="μν", version="one")

    response = await sent(client, mine)

    assert response.status == 400
    assert "is no number" in text(html.document_fromstring(await response.text()))
