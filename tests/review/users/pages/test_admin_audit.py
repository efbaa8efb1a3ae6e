"""The audit log: filters, pages, and files that no spreadsheet runs."""

from __future__ import annotations

import csv
import io
import json

from metasearch.review.users import accounts, audit
from tests.review.users.server.served import Served


async def test_lines_are_filtered(local: Served):
    """By what was done, by whom, and to what; an unknown user has none."""
    with local.database() as db:
        ann = accounts.find(db, "ann")
        audit.write(db, ann.uid, "export", "project:abc", {"what": "ris"})
    browser = await local.browser("root")

    async def actions(query: str) -> list[str]:
        tree = await browser.page(f"/admin/audit?{query}")
        return [cell.text_content() for cell in tree.xpath("//tbody//th")]

    assert await actions("action=export") == ["took out works as ris"]
    assert await actions("user=ANN") == ["took out works as ris"]
    assert await actions("object=project:abc") == ["took out works as ris"]
    assert await actions("user=nobody") == []
    assert len(await actions("")) >= 4
    assert (await browser.get("/admin/audit?action=nothing")).status == 400
    assert (await browser.get("/admin/audit?before=x")).status == 400


async def test_older_lines_are_on_the_next_page(local: Served):
    """None is lost, none is there twice."""
    with local.database() as db:
        for number in range(150):
            audit.write(db, "", "export", f"project:{number}")
    browser = await local.browser("root")
    tree = await browser.page("/admin/audit?action=export")
    first = [cell.text_content() for cell in tree.xpath("//tbody//td[1]")]
    address = tree.xpath("//a[text()='Older lines']/@href")[0]
    tree = await browser.page(address)
    second = [cell.text_content() for cell in tree.xpath("//tbody//td[1]")]

    assert (len(first), len(second)) == (100, 50)
    assert len({*first, *second}) == 150


async def test_the_file_has_all_lines_and_no_formula(local: Served):
    """A name that begins with "=" is text in a spreadsheet; the export itself is noted."""
    with local.database() as db:
        ann = accounts.find(db, "ann")
        accounts.update(db, ann, shown="=HYPERLINK(1)")
        for number in range(1200):
            audit.write(db, ann.uid, "export", f"project:{number}")
    browser = await local.browser("root")
    response = await browser.get("/admin/audit/file?user=ann&format=csv")
    rows = list(csv.DictReader(io.StringIO(await response.text())))

    assert response.content_type == "text/csv"
    assert sum(row["action"] == "export" for row in rows) == 1200
    assert not any(cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
    assert {row["name"] for row in rows if row["action"] == "export"} == {"'=HYPERLINK(1)"}
    with local.database() as db:
        assert audit.lines(db, action="export")[0].detail == {"what": "audit log", "format": "csv"}


async def test_the_file_as_json_lines(local: Served):
    """One object a line, with the detail as data."""
    browser = await local.browser("root")
    response = await browser.get("/admin/audit/file?format=jsonl&action=login")
    lines = [json.loads(line) for line in (await response.text()).splitlines()]

    assert [line["action"] for line in lines] == ["login"]
    assert lines[0]["detail"]["proof"] == "password"
    assert (await browser.get("/admin/audit/file?format=pdf")).status == 406


async def test_what_others_typed_is_text_in_the_log(local: Served):
    """Markup in an object is shown, not run."""
    with local.database() as db:
        audit.write(db, "", "export", "<img src=x onerror=alert(1)>", {"k": "<script>"})
    browser = await local.browser("root")
    body = await (await browser.get("/admin/audit")).text()

    assert "<img src=x" not in body
    assert "<script>" not in body


async def test_lines_are_sentences(local: Served):
    """With the names of people, in the language of the reader; what has other details keeps the
    word for what was done."""
    with local.database() as db:
        ann = accounts.find(db, "ann")
        accounts.update(db, ann, shown="Ann Lee")
        roles = {"user": ann.uid, "before": None, "after": "screener"}
        audit.write(db, "", "member", "project:abc", roles)
        audit.write(db, "", "token", f"user:{ann.uid}", {"new": "nightly", "days": 9})
        audit.write(db, "", "sources", "source:x", {"what": ["is", "this"]})
    browser = await local.browser("root")
    english = await browser.page("/admin/audit")
    chinese = await browser.page("/admin/audit?lang=zh-Hans")

    deeds = [cell.text_content() for cell in english.xpath("//tbody//th")]
    assert {
        "made Ann Lee a member, as Screener",
        "made the token “nightly”, good for 9 days",
        "sources switched",
        "logged in with a password",
    } <= {*deeds}
    assert "Ann Lee" in english.xpath("//tbody//a[contains(@href, 'object=user')]/text()")
    told = [cell.text_content() for cell in chinese.xpath("//tbody//th")]
    assert "将 Ann Lee 设为成员：筛选员" in told
