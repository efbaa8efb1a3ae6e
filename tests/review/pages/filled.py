"""A workspace with a project of each kind, filled by the functions that pages call, too. All that
people would type is in Greek letters or digits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import orjson

from metasearch.formats import hits
from metasearch.message import message
from metasearch.record import Author, Hit
from metasearch.review.alerts import email_outbox, news, saved_searches
from metasearch.review.alerts import news as history
from metasearch.review.alerts.saved_searches import SavedSearch
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.reports import reports
from metasearch.review.runs import known_works, runs
from metasearch.review.runs.imports import import_file
from metasearch.review.runs.plan import SourceQuestion
from metasearch.review.store.database import Database
from metasearch.review.store.values import now, pack_sentences
from metasearch.review.strategies import steps, strategies
from metasearch.review.strategies.resolve import ResolvedStep, resolve_all
from metasearch.review.strategies.strategies import Strategy
from metasearch.review.works import decisions, lists, pins
from metasearch.review.works.intake import add_records
from metasearch.review.works.lists import WorksQuery
from metasearch.settings import Settings
from metasearch.settings.alerts import AlertsSettings, MailSettings
from tests.server.fake import hit, record

TEXT = "αβγ"
#: Part of the address that ends e-mails.
UNSUBSCRIBE = "1" * 43
_LEFT_OUT = message(
    "{filtered} record(s) were left out by what this source could not search", filtered=1
)
RIS = "".join(
    f"TY  - JOUR\nTI  - {TEXT} δ{number}\nAU  - {TEXT}, {TEXT}\nPY  - 20{number:02}\n"
    f"JO  - {TEXT}\nDO  - 10.5555/hand.{number}\nER  - \n\n"
    for number in range(1, 4)
).encode()


@dataclass(frozen=True)
class FilledWorkspace:
    """What was made.

    Attributes:
        path: The file.
        review, novelty, empty: The projects.
        strategy: That of the review.
        uids: The works of the review, the newest first.
        saved: A saved search that has told something, and one that is paused.
    """

    path: Path
    review: Project
    novelty: Project
    empty: Project
    strategy: Strategy
    uids: tuple[str, ...]
    saved: tuple[SavedSearch, ...]

    @property
    def settings(self) -> Settings:
        """Of a server with this workspace."""
        return Settings(
            workspace=self.path,
            serve_workspace=True,
            alerts=AlertsSettings(run=False),
            mail=MailSettings(host="1.1", sender="1@1.1", to="1@1.1"),
        )


def filled(path: Path) -> FilledWorkspace:
    """Make a workspace in a file."""
    content, made = _made_once()
    path.write_bytes(content)
    path.chmod(0o600)
    return replace(made, path=path)


@cache
def _made_once() -> tuple[bytes, FilledWorkspace]:
    """The content of the file, and what was made in it."""
    with TemporaryDirectory() as folder:
        made = _make(Path(folder) / "workspace.sqlite3")
        return made.path.read_bytes(), made


def _make(path: Path) -> FilledWorkspace:
    with Database(path) as db:
        review = projects.create(db, "review", "review", f"{TEXT} 1")
        novelty = projects.create(db, "novelty", "novelty", f"{TEXT} 2")
        empty = projects.create(db, "empty", "plain", f"{TEXT} 3")
        strategy = strategies.create(review, TEXT, years="2010-", note=TEXT)
        strategies.create(review, "ε")
        for text in ("αβ* OR γδ", "εζ", "#1 AND #2"):
            steps.add(db, strategy, text, note=TEXT)
        run = _answered(db, review, strategy, "records")
        _answered(db, review, strategy, "counts")
        steps.edit(db, strategy, 2, text="εζ OR ηθ")  # so that #2 and #3 are stale
        import_file(review, strategy, RIS, "1.ris", source="κλ", searched="2026-05-03", claimed=4)
        known_works.add_lines(review, "10.5555/hand.1\n10.5555/none")
        uids = tuple(lists.uids(review, WorksQuery()))
        pins.pin(review, "different", uids[0], uids[1])  # as they are without it
        decisions.mark(review, uids[:2], "relevant")
        decisions.mark(review, uids[2:3], "excluded", reason=TEXT)
        decisions.mark(review, uids[:1], "unavailable", stage="fulltext")
        decisions.mark(review, uids[1:2], "relevant", stage="fulltext")
        _checked(db, uids[1])
        decisions.tag(review, uids[:1], [TEXT])
        decisions.set_note(review, uids[0], TEXT)
        reports.freeze(review, "prisma-flow", draft=True)
        assert run.number == 1
        searches = _saved(db)
        email_outbox.switch_on(db, "")
        db.run("UPDATE mail_owner SET secret = ?", UNSUBSCRIBE)
    return FilledWorkspace(path, review, novelty, empty, strategy, uids, searches)


def _checked(db: Database, uid: str) -> None:
    """A check of an included work that tells something of it."""
    why = message("The title has other words in {source}.", source=TEXT)
    difference = {"field": "title", "written": TEXT, "found": TEXT, "source": "1", "serious": True}
    asked = {"source": "1", "label": TEXT, "status": "found", "by": ["doi"], "error": None}
    db.run(
        "INSERT INTO work_check (work, verdict, serious, differences, asked, sentences, at, tried)"
        " SELECT id, 'differs', 1, ?1, ?2, ?3, ?4, ?4 FROM work WHERE uid = ?5",
        orjson.dumps([difference | {"why": str(why)}]).decode(),
        orjson.dumps([asked]).decode(),
        pack_sentences(reason="", whys=[why]),
        now(),
        uid,
    )


def _saved(db: Database) -> tuple[SavedSearch, ...]:
    """A saved search with news of every kind and runs of every status, and one that is paused."""
    one = saved_searches.create(
        db, TEXT, "αβ* OR γδ", years="2010-", schedule="weekly mon", email=True
    )
    for kind in news.KINDS:
        with db.transaction():
            run = history.begin(db, one)
            works = [hit(number, title=f"{TEXT} {number}", language="el") for number in range(1, 3)]
            news.add_news(db, run, [(kind, hits.write(_greek(each))) for each in works])
            statuses = {"alpha": "ok", "beta": "timeout"}
            history.end_done(db, run, works=2, waiting=0, passed_over=0, statuses=statuses)
    with db.transaction():
        history.end_failed(db, history.begin(db, one), message("no source answered"), {})
    with db.transaction():
        history.begin(db, one)
    paused = saved_searches.create(db, "ε", "εζ", schedule="daily")
    saved_searches.pause(db, paused, message("no source answered"))
    return one, paused


def _greek(work: Hit) -> Hit:
    return replace(
        work, record=replace(work.record, authors=(Author(TEXT),), venue=TEXT, url="https://1.1/1")
    )


def _answered(db: Database, project: Project, strategy: Strategy, mode: str) -> runs.Run:
    """A run in which one database answers and another fails."""
    run = runs.begin(project, strategy, mode)  # type: ignore[arg-type]
    rows = steps.of(db, strategy)
    for row in rows:
        found = resolve_all(rows)[row.number]
        assert isinstance(found, ResolvedStep)
        for source in ("alpha", "beta"):
            answer = runs.begin_answer(
                db,
                run,
                row.id,
                source,
                label=f"{TEXT} {source == 'alpha'}".replace("True", "1").replace("False", "2"),
                place="database",
                digest=SourceQuestion.of(found, strategy.years).digest,
                query=found.text,
            )
            fails = source == "beta" and row.number == 2
            keeps = mode == "records" and row.number == 3
            if keeps:
                add_records(
                    project,
                    answer,
                    [
                        record(
                            source,
                            number,
                            title=f"{TEXT} {number}",
                            doi=f"10.5555/{number}",
                            volume=f"{number}",
                            pages=f"{number}00-{number}09",
                            year=2010 + number,
                            source_id=f"9{number}",
                            authors=(Author(TEXT),),
                            venue=TEXT,
                            language="el",
                            abstract=f"{TEXT} " * 60,
                        )
                        for number in range(1, 9)
                    ],
                )
            runs.finish_answer(
                db,
                answer,
                status="error" if fails else "ok",
                error=message("no whole answer within {seconds} s", seconds=15) if fails else "",
                advice="Try again later." if fails else "",
                sent=found.text,
                requests=({"method": "GET", "url": f"https://1.example.org/?q={row.number}"},),
                claimed=None if fails else 1000 * row.number,
                exact=source == "alpha",
                fetched=8 if keeps else None,
                asked_at=None if fails else "2026-05-03T08:09:10Z",
                cached=source == "beta",
                notes=(_LEFT_OUT,) if source == "beta" else (),
            )
    return runs.finish(db, run)


def addresses(made: FilledWorkspace) -> dict[str, str]:
    """Name of a state -> its address."""
    review = f"/projects/{made.review.uid}"
    strategy = f"{review}/strategies/{TEXT}"
    novelty, empty = f"/projects/{made.novelty.uid}", f"/projects/{made.empty.uid}"
    return {
        "projects": "/projects",
        "overview": review,
        "overview, empty": empty,
        "strategies": f"{review}/strategies",
        "strategies, none": f"{empty}/strategies",
        "strategy": strategy,
        "strategy, evidence": f"{strategy}/evidence",
        "strategy, words": f"{strategy}/evidence?words=1",
        "strategy, asked": f"{strategy}?asked=2&known=1&edit=1&to=ovid",
        "strategy, import": f"{strategy}?edit=4&asked=4",
        "strategy, new": f"{review}/strategies/ε",
        "strategy, reviewed": f"{strategy}/review",
        "review of a text": f"{review}/review",
        "works": f"{review}/works",
        "works, filters": f"{review}/works?q={TEXT}&verdict=undecided&from=2000&source=alpha",
        "works, full text": f"{review}/works?stage=fulltext&sort=title",
        "works, duplicates": f"{review}/works/duplicates",
        "works, no duplicates": f"{empty}/works/duplicates",
        "works, none": f"{empty}/works",
        "works, nothing": f"{review}/works?q=000",
        "reports": f"{review}/reports",
        "reports, empty": f"{empty}/reports",
        "flow": f"{review}/reports/prisma-flow",
        "flow, frozen": f"{review}/reports/prisma-flow?frozen=1",
        "prisma-s": f"{review}/reports/prisma-s",
        "appendix": f"{review}/reports/appendix",
        "chaxin": f"{novelty}/reports/chaxin",
        "log": f"{review}/log",
        "no such project": "/projects/1",
        "saved": "/saved",
        "saved, offered": f"/saved?q={TEXT}&year=2010-&done=removed",
        "saved search": f"/saved/{made.saved[0].uid}",
        "saved search, paused": f"/saved/{made.saved[1].uid}?done=feed",
        "no such saved search": "/saved/1",
        "unsubscribe": f"/unsubscribe/{UNSUBSCRIBE}",
    }
