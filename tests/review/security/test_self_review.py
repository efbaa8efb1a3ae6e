"""Nobody reviews their own novelty search: the signatures of a report by pages and by programs."""

from __future__ import annotations

import pytest

from metasearch.review.reports import reports
from metasearch.review.reports.document import Document, Paragraph
from metasearch.review.reports.reports import Report
from metasearch.review.store.database import Database
from metasearch.review.users import audit
from tests.review.security.team import Team
from tests.review.security.team_fixtures import As


@pytest.fixture
def report(team: Team) -> Report:
    """A finished report, whose searches the editor has run."""
    with Database(team.filled.path) as db:
        db.run("UPDATE run SET by = ?", team.uids["editor"])
        document = Document(
            kind="chaxin", title="报告", language="zh", blocks=(Paragraph(text="报告"),)
        )
        return reports.keep(team.review.at(db), document, number="2026-1")


async def test_two_users_sign_by_the_page(team: Team, people: As, report: Report) -> None:
    """Each is shown the buttons that are theirs; page and files show who has signed what."""
    path = f"/projects/{team.review.uid}/reports/chaxin"
    shown = f"{path}?frozen=2026-1"
    roles = {}
    for name in ("reader", "screener", "editor", "owner"):
        page = await people(name).page(shown)
        roles[name] = page.xpath("//button[@name='role']/@value")

    fields = {"do": "sign", "number": "2026-1", "digest": report.digest}
    refused = await people("editor").form(path, fields | {"role": "reviewer"})
    signed = await people("editor").form(path, fields | {"role": "searcher"})
    again = await people("editor").form(path, fields | {"role": "reviewer"})
    stale = await people("owner").form(path, fields | {"role": "reviewer", "digest": "0" * 64})
    reviewed = await people("owner").form(path, fields | {"role": "reviewer"})

    assert roles == {
        "reader": [],
        "screener": [],
        "editor": ["searcher"],
        "owner": ["searcher", "reviewer"],
    }
    statuses = [each.status for each in (refused, signed, again, stale, reviewed)]
    assert statuses == [400, 303, 400, 400, 303]
    page = await people("reader").page(shown)
    names = page.xpath("//section[@aria-labelledby='signatures']//tbody//td[1]/text()")
    assert names == ["editor", "owner"]
    file = await people("reader").get(f"{path}.html?frozen=2026-1")
    assert (await file.text()).count(report.digest) == 2
    json = await people("reader").get(f"{path}.json?frozen=2026-1")
    assert report.digest not in await json.text()


async def test_a_program_signs_for_its_user_alone(team: Team, people: As, report: Report) -> None:
    """No member of the body names another one; the log and the audit log tell it."""
    path = f"/api/projects/{team.review.uid}/reports/chaxin/signatures"
    body = {"number": "last", "role": "reviewer", "digest": report.digest}

    await people("owner").json(path, 400, **body, by=team.uids["editor"])
    await people("owner").json(path, 400, **body, name="Somebody else")
    made = await people("owner").json(path, 201, **body)
    listed = await people("reader").json(path)

    assert (made["by"], made["name"]) == (team.uids["owner"], "owner")
    assert listed == {"signatures": [made]}
    with Database(team.filled.path, read_only=True) as db:
        [line] = audit.lines(db, action="report signed")
    assert (line.actor, line.object) == (team.uids["owner"], f"project:{team.review.uid}")
    assert line.detail["digest"] == report.digest
