"""What the forms of the pages of a project do, as a reader without script sends them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from aiohttp import FormData
from aiohttp.test_utils import TestClient

from metasearch.review.runs import runs
from metasearch.review.service import WORKSPACE
from metasearch.review.store.database import Database
from metasearch.server import forms
from metasearch.settings import Settings
from tests import cases
from tests.review.pages.filled import RIS, TEXT, FilledWorkspace, filled
from tests.server.fake import FakeEngine, answer
from tests.server.pages.test_basket import works
from tests.server.visitor import HTML, page, post, text, token


@pytest.fixture
def workspace(tmp_path: Path) -> FilledWorkspace:
    """A workspace with projects."""
    return filled(tmp_path / "workspace.sqlite3")


@pytest.fixture
async def client(serve, workspace: FilledWorkspace) -> TestClient:
    """A browser at a server of it."""
    return await serve(FakeEngine(settings=workspace.settings))


async def test_a_server_without_a_workspace_has_no_projects(serve):
    """Neither a page nor a link to it."""
    client = await serve(FakeEngine(settings=Settings()))

    assert (await client.get("/projects", headers=HTML)).status == 404
    assert "/projects" not in await (await client.get("/", headers=HTML)).text()


async def test_a_project_is_made_and_opened(client):
    """By the form of the list, which is in the navigation."""
    assert (await page(client, "/")).xpath("//header//a[@href='/projects']")

    response = await post(client, "/projects", {"name": "new", "title": "θ", "kind": "novelty"})

    assert response.status == 303
    shown = await page(client, response.headers["Location"])
    assert shown.findtext(".//h1") == "θ"
    assert "Novelty search" in text(shown)


@cases.each(
    ("title", "name"),
    [
        ("Loot boxes, harm and youth: a review", "loot-boxes-harm-and"),
        ("可解释推荐方法研究", "可解释推荐方法研究"),
        ("?!", "project"),
        ("Import", "import-2"),
    ],
)
async def test_a_short_name_is_made_of_the_title(client, title, name):
    """Where none is typed; a second project of the title has another one."""
    for wanted in (name, f"{name.removesuffix('-2')}-{3 if name.endswith('-2') else 2}"):
        response = await post(client, "/projects", {"name": "", "title": title, "kind": "review"})
        shown = await page(client, response.headers["Location"])
        assert shown.findtext(".//main//p/code") == wanted


async def test_what_cannot_be_done_is_said_on_the_page_with_what_was_typed(client):
    """With 400, and nothing is lost."""
    response = await post(client, "/projects", {"name": "two words", "title": "θ"})

    assert response.status == 400
    shown = await response.text()
    assert 'value="two words"' in shown
    assert "cannot be a name" in shown


@cases.each("path", ["", "/strategies", "/works", "/log", "/reports/appendix"])
async def test_a_form_without_token_changes_nothing(client, workspace, path):
    """As that of a foreign site would be."""
    address = f"/projects/{workspace.review.uid}{path}"

    response = await client.post(address, data={"do": "undo", "change": "1"}, headers=HTML)

    assert response.status == 403


async def test_a_page_under_a_foreign_name_is_refused(client, workspace):
    """A foreign page may have had its name lead to this server (DNS rebinding)."""
    headers = HTML | {"Host": "evil.example.org"}

    assert (await client.get("/projects", headers=headers)).status == 421


async def test_steps_are_added_changed_and_removed(client, workspace):
    """A step that others name is not removed: the page says which."""
    base = f"/projects/{workspace.review.uid}/strategies/{TEXT}"

    assert (await post(client, base, {"do": "add", "text": "#3 NOT θι"})).status == 303
    assert "#5" in text(await page(client, base))
    assert (
        await post(client, base, {"do": "edit", "number": "5", "text": "κλ", "note": "μ"})
    ).status == 303
    refused = await post(client, base, {"do": "remove", "number": "1"})
    assert refused.status == 400
    assert "#3" in await refused.text()
    assert (await post(client, base, {"do": "remove", "number": "5"})).status == 303
    assert not (await page(client, base)).xpath("//tr[@id='step-5']")


async def test_hits_of_pasted_lines_stand_beside_ours(client, workspace):
    """With separators; steps that were not pasted have no number, and without any is no column."""
    base = f"/projects/{workspace.review.uid}/strategies/{TEXT}"
    heads = "//table[contains(@class, 'steps')]/thead//th/text()"
    assert "When pasted" not in (await page(client, base)).xpath(heads)
    lines = "1 exp Gambling/ 5834\n2 gambl*.ti. 12,345\n3 1 or 2 14000"

    sent = await post(client, base, {"do": "paste", "lines": lines, "syntax": "ovid"})

    assert sent.status == 303
    shown = await page(client, base)
    assert shown.xpath(heads)[1] == "When pasted"
    column = [cell.text_content() for cell in shown.xpath("//tr[contains(@id, 'step-')]/td[1]")]
    assert column[0] == ""
    assert column[-3:] == ["5,834", "12,345", "14,000"]


async def test_a_mistake_in_a_query_is_shown_in_its_place(client, workspace):
    """By the form and by the address that the script reads."""
    base = f"/projects/{workspace.review.uid}/strategies/{TEXT}"

    response = await post(client, base, {"do": "add", "text": "(αβ AND"})
    assert response.status == 400
    assert 'class="caret"' in await response.text()
    checked = await client.get(f"{base}/check", params={"text": "(αβ AND", "syntax": "auto"})
    assert 'class="caret"' in await checked.text()
    read = await client.get(f"{base}/check", params={"text": "#1 AND αβ", "syntax": "auto"})
    assert "(αβ* OR γδ) AND αβ" in await read.text()


async def test_a_number_leads_to_what_the_database_was_asked(client, workspace):
    """Failed is failed, with its reason, and never 0; an old number is marked as stale."""
    base = f"/projects/{workspace.review.uid}/strategies/{TEXT}"
    shown = await page(client, base)

    [failed] = shown.xpath("//tr[@id='step-2']//*[contains(@class, 'failed')]//a")
    assert failed.text == "failed"
    assert {row.get("id") for row in shown.xpath("//tr[@class='is-stale']")} == {
        "step-2",
        "step-3",
    }
    asked = text(await page(client, failed.get("href").partition("#")[0]))
    assert "no whole answer within 15 s" in asked
    assert "https://1.example.org/?q=2" in asked


async def test_only_so_many_runs_are_followed_at_once(client, workspace):
    """A stream that has ended is not counted any more."""
    progress = f"/projects/{workspace.review.uid}/strategies/{TEXT}/progress"
    client.app[WORKSPACE].streams.most = 1

    for _ in range(3):
        followed = await client.get(progress, headers=HTML)
        assert followed.status == 200
        assert "event: done" in await followed.text()
    client.app[WORKSPACE].streams.most = 0
    refused = await client.get(progress, headers=HTML)
    assert refused.status == 503
    assert int(refused.headers["Retry-After"]) > 0


async def test_a_client_that_has_gone_follows_no_more(serve, workspace, monkeypatch):
    """Its stream ends, although the run goes on, so that it may follow another one."""
    monkeypatch.setattr("metasearch.review.strategies.pages.EVERY", 0.01)
    client = await serve(FakeEngine(settings=workspace.settings), ping=0.01)
    client.app[WORKSPACE].streams.most = 1
    with Database(workspace.path) as db:
        runs.begin(workspace.review.at(db), workspace.strategy, "records")
    progress = f"/projects/{workspace.review.uid}/strategies/{TEXT}/progress"
    followed = await client.get(progress, headers=HTML)
    assert b"event: state" in await followed.content.readuntil(b"\n\n")
    assert (await client.get(progress, headers=HTML)).status == 503

    followed.close()

    async with asyncio.timeout(60):
        while (again := await client.get(progress, headers=HTML)).status == 503:
            await asyncio.sleep(0.02)
    assert again.status == 200
    again.close()


async def test_a_run_that_was_interrupted_is_told_and_can_be_ended(client, workspace):
    """The page says how much of it is there; who ends it is told what is kept, and a second form
    that was open says that as well."""
    with Database(workspace.path) as db:
        begun = runs.begin(
            workspace.review.at(db), workspace.strategy, "records", options={"steps": [1, 2]}
        )
        db.run("UPDATE run_carrier SET process = 4194305")  # no process has such a number
    base = f"/projects/{workspace.review.uid}/strategies/{TEXT}"

    (notice,) = (await page(client, base)).xpath("//div[@id='interrupted']")
    assert f"Run {begun.number} was interrupted" in notice.text_content()
    assert notice.xpath(".//button/@value") == ["resume", "stop"]
    ended = await post(client, base, {"do": "stop"})
    shown = await page(client, ended.headers["Location"].partition("#")[0])
    again = await post(client, base, {"do": "stop"})
    late = await post(client, base, {"do": "resume"})

    assert "was stopped; what was answered is kept" in text(shown)
    assert not shown.xpath("//div[@id='interrupted']")
    assert (again.status, late.status) == (303, 409)
    with Database(workspace.path) as db:
        assert runs.find(workspace.review.at(db), begun.number).status == "stopped"


async def test_reasons_of_another_way_of_searching_are_kept(client, workspace):
    """They stand in the flow diagram; a line without a number is told with what was typed."""
    flow = f"/projects/{workspace.review.uid}/reports/prisma-flow"
    fields = {"do": "other", "kind": "website", "name": "θι", "identified": "9", "sought": "9"}

    refused = await post(client, flow, fields | {"excluded": "κ"})
    assert refused.status == 400
    assert "is no reason with a number" in await refused.text()
    kept = await post(client, flow, fields | {"excluded": "κλ: 2\r\nμν：3\r\n"})
    assert kept.status == 303
    shown = text(await page(client, flow))
    assert "κλ" in shown
    assert "μν" in shown


async def test_works_of_the_basket_go_into_a_project(serve, workspace):
    """As a step and a run that say so; the same works again add nothing."""
    engine = FakeEngine(answer(*works()), settings=workspace.settings)
    await engine.works.keep(works())
    client, project = await serve(engine), f"/projects/{workspace.empty.uid}"
    refused = await post(client, project, {"do": "basket"})
    ids = [("id", each.id) for each in works()[:2]]
    await post(client, "/basket", [("do", "add"), ("search", ""), *ids])
    (link,) = (await page(client, "/basket")).xpath("//main//a[@href='/projects']")
    assert "Add 2 works to" in text(await page(client, "/projects"))

    added = await post(client, project, {"do": "basket"})
    shown = text(await page(client, added.headers["Location"]))
    again = await post(client, project, {"do": "basket"})

    assert refused.status == 400
    assert "The basket is empty" in await refused.text()
    assert link.text == "Add the works to a project"
    assert "The file was imported as a step. Records: 2;" in shown
    assert "Works of a basket" in shown
    assert "done=again" in again.headers["Location"]


async def test_a_file_is_imported_as_a_step(client, workspace):
    """With the database and the day of the search; the same file again adds nothing."""
    base = f"/projects/{workspace.empty.uid}/strategies"
    assert (await post(client, base, {"name": "main"})).status == 303

    async def send(content: bytes) -> str:
        form = FormData()
        given = {"do": "import", "database": "CNKI", "searched": "2026-05-03", "query": "θ"}
        for name, value in {"token": await token(client), **given}.items():
            form.add_field(name, value)
        form.add_field("file", content, filename="1.ris")
        response = await client.post(f"{base}/main", data=form, allow_redirects=False)
        assert response.status == 303, await response.text()
        return response.headers["Location"]

    first = await send(RIS)
    assert "done=again" in await send(RIS)
    more = await send(RIS + b"TY  - JOUR\nTI  - Quite another work\nPY  - 2001\nER  - \n")
    said = await page(client, first)
    later = await page(client, more)
    assert "works that are new: 3, known before: 0;" in text(said)
    assert "works that are new: 1, known before: 3;" in text(later)
    assert "could not be read: 0" in text(later)
    assert "CNKI: searched by hand" in text(await page(client, f"{base}/main"))


async def test_a_file_that_is_too_large_is_refused(client, workspace, monkeypatch):
    """Before all of it is in memory."""
    monkeypatch.setattr("metasearch.review.works.pages.MOST_BYTES", 1000)
    form = FormData()
    form.add_field("token", await token(client))
    form.add_field("file", b"x" * 2000, filename="1.csv")

    response = await client.post(f"/projects/{workspace.review.uid}/works", data=form)

    assert response.status == 413


async def test_a_form_with_a_file_needs_a_token_too(client, workspace):
    """And has few fields, and short ones."""
    address = f"/projects/{workspace.review.uid}/works"
    forged, long = FormData(), FormData()
    forged.add_field("file", b"x", filename="1.csv")
    long.add_field("token", await token(client))
    long.add_field("do", "x" * (forms._LONGEST_PART + 1))
    long.add_field("file", b"x", filename="1.csv")

    assert (await client.post(address, data=forged)).status == 403
    assert (await client.post(address, data=long)).status == 413


async def test_works_are_decided_on_and_the_decision_is_undone(client, workspace):
    """One by its button, several by their ticks; a reason belongs to an exclusion."""
    address = f"/projects/{workspace.review.uid}/works"
    one, two, three, *_ = workspace.uids[3:]

    assert (await post(client, address, {"mark": f"excluded:{one}", "reason": "θ"})).status == 303
    sent = [("all", "relevant"), ("id", two), ("id", three), ("reason", "θ")]
    assert (await post(client, address, sent)).status == 303
    shown = await page(client, address)
    states = {
        uid: " ".join(shown.xpath("string(//li[@data-work=$uid]//b/..)", uid=uid).split())
        for uid in (one, two, three)
    }
    assert states == {
        one: "Title and abstract: excluded, θ",
        two: "Title and abstract: included",
        three: "Title and abstract: included",
    }
    [change] = shown.xpath("//form[.//button[@data-key='u']]//input[@name='change']/@value")
    assert (await post(client, address, {"do": "undo", "change": change})).status == 303
    shown = await page(client, f"{address}?verdict=undecided")
    assert {two, three} <= set(shown.xpath("//li/@data-work"))


async def test_nothing_ticked_is_said(client, workspace):
    """On the list that the form was sent from."""
    address = f"/projects/{workspace.review.uid}/works"

    response = await post(
        client, address, {"all": "relevant", "back": f"{address}?verdict=excluded"}
    )

    assert response.status == 400
    shown = await response.text()
    assert "No work is ticked" in shown
    assert shown.count("data-work=") == 1


async def test_a_list_is_exported_as_it_is_filtered(client, workspace):
    """With the ids by which decisions come back."""
    address = f"/projects/{workspace.review.uid}/works/export"

    response = await client.get(f"{address}?format=csv&verdict=excluded")

    assert response.status == 200
    assert "attachment" in response.headers["Content-Disposition"]
    lines = (await response.text()).strip().splitlines()
    assert len(lines) == 2
    assert workspace.uids[2] in lines[1]


async def test_answers_fill_a_report_which_is_then_frozen(client, workspace):
    """A draft is frozen only by one who says so."""
    address = f"/projects/{workspace.novelty.uid}/reports/chaxin"

    answered = {"do": "answer", "a:novelty.client": "θικλ", "a:novelty.ordered": "2026-01-02"}
    assert (await post(client, address, answered)).status == 303
    shown = await page(client, address)
    assert "θικλ" in shown.xpath("string(//*[@class='preview'])")
    wrong = await post(client, address, {"do": "answer", "a:novelty.ordered": "soon"})
    assert wrong.status == 400
    assert 'value="soon"' in await wrong.text()
    assert (await post(client, address, {"do": "freeze", "sure": "yes"})).status == 400


async def test_other_ways_of_searching_stand_in_the_flow(client, workspace):
    """Numbers that contradict one another are refused, and what is not known is not 0."""
    address = f"/projects/{workspace.review.uid}/reports/prisma-flow"
    other = {"do": "other", "kind": "citation", "name": "θικλ", "identified": "7"}

    assert (await post(client, address, other | {"sought": "9"})).status == 400
    assert (await post(client, address, other)).status == 303
    shown = await page(client, address)
    assert "7" in shown.xpath("string(//*[@id='other']//tbody/tr)")
    [number] = shown.xpath("//button[@name='other']/@value")
    assert (await post(client, address, {"do": "forget", "other": number})).status == 303
    assert not (await page(client, address)).xpath("//button[@name='other']")


async def test_a_report_continues_a_frozen_one(client, workspace):
    """As the update of a review does."""
    address = f"/projects/{workspace.review.uid}/reports/prisma-flow"
    shown = await page(client, address)

    [link] = [
        href for href in shown.xpath("//a/@href") if "previous=1" in href and ".svg" not in href
    ]
    assert "This is an update of report 1" in text(await page(client, link))


async def test_a_frozen_report_stays_as_it_was(client, workspace):
    """Also after works were decided on."""
    base = f"/projects/{workspace.review.uid}"
    before = await (await client.get(f"{base}/reports/prisma-flow.json?frozen=1")).read()

    await post(client, f"{base}/works", {"mark": f"relevant:{workspace.uids[4]}"})

    assert await (await client.get(f"{base}/reports/prisma-flow.json?frozen=1")).read() == before
    assert await (await client.get(f"{base}/reports/prisma-flow.json")).read() != before


async def test_the_log_is_in_words(client, workspace):
    """What a change was about, and what stood there before and after; no JSON."""
    shown = text(await page(client, f"/projects/{workspace.review.uid}/log"))
    chinese = text(await page(client, f"/projects/{workspace.review.uid}/log?lang=zh"))

    assert not set("{}[]").intersection(shown)
    assert "Title and abstract; 2 works: undecidedTitle and abstract; 2 works: included" in shown
    assert "step 2 of strategy 1" in shown
    assert "File: 1.ris; Searched on: 2026-05-03; Records: 3" in shown
    assert "题名与摘要；2 篇：纳入" in chinese


async def test_a_change_is_undone_from_the_log(client, workspace):
    """The log then says so."""
    address = f"/projects/{workspace.review.uid}/log"
    shown = await page(client, address)
    change = shown.xpath("//button[@name='change']/@value")[0]

    assert (await post(client, address, {"do": "undo", "change": change})).status == 303
    assert f"undoes number {change}" in text(await page(client, address))
    assert (await post(client, address, {"do": "undo", "change": change})).status == 400


async def test_a_project_is_deleted_only_by_its_name(client, workspace):
    """Typed by who deletes it."""
    address = f"/projects/{workspace.empty.uid}"

    assert (await post(client, address, {"do": "delete", "name": "x"})).status == 400
    assert (await page(client, address)) is not None
    assert (await post(client, address, {"do": "delete", "name": "empty"})).status == 303
    assert (await client.get(address, headers=HTML)).status == 404


@cases.each(
    "rest",
    [
        "/works?from=abc",
        "/works?start=-1",
        "/works?start=99999999999",
        "/works?first=x",
        "/works?step=%00",
        f"/works?q={'x' * 3000}",
        f"/strategies/{TEXT}?edit=x",
        f"/strategies/{TEXT}?asked=%F0%9F%92%A9",
        "/log?before=x",
    ],
)
async def test_an_address_that_cannot_be_is_refused(client, workspace, rest):
    """With 400 and a reason, never with 500."""
    response = await client.get(f"/projects/{workspace.review.uid}{rest}", headers=HTML)

    assert response.status == 400


@cases.each(
    "rest",
    [
        "/works?verdict=x&stage=x&sort=x&known=x&type=x&done=x&works=1",
        f"/strategies/{TEXT}?edit=99&asked=99&to=x&done=x",
        "/reports/prisma-flow?language=x&done=x",
        "/reports?done=x",
        "?done=x",
    ],
)
async def test_what_a_page_does_not_know_changes_nothing(client, workspace, rest):
    """It is shown as if that were not there."""
    await page(client, f"/projects/{workspace.review.uid}{rest}")


@cases.each(
    "rest", ["/strategies/none", "/reports/none", "/reports/prisma-s.exe", "/reports/none.html"]
)
async def test_what_is_not_there_is_not_found(client, workspace, rest):
    """With 404."""
    response = await client.get(f"/projects/{workspace.review.uid}{rest}", headers=HTML)

    assert response.status == 404


async def test_a_form_whose_button_is_unknown_changes_nothing(client, workspace):
    """On every page."""
    for rest in ("", f"/strategies/{TEXT}", "/works", "/reports/prisma-s"):
        response = await post(client, f"/projects/{workspace.review.uid}{rest}", {"do": "x"})
        assert response.status == 400, rest


async def test_the_included_works_are_checked_from_the_page_of_reports(client, workspace):
    """The page says what the last check told, in the language of its reader; where a check cannot
    begin, or none is there to be stopped, it says why.
    """
    address = f"/projects/{workspace.review.uid}/reports"

    shown = text(await page(client, address))
    response = await post(client, address, {"do": "stop"})
    empty = await post(client, f"/projects/{workspace.empty.uid}/reports", {"do": "check"})
    chinese = text(await page(client, f"{address}?lang=zh"))

    assert "The title has other words in" in shown
    assert "1 of 1 works were checked" in shown
    assert "1 篇文献中已核查 1 篇" in chinese
    assert (response.status, empty.status) == (409, 400)
    assert "No check of the project is under way" in await response.text()
    assert "Decide on its works first" in await empty.text()
