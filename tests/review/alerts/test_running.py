"""Runs: what a saved search finds is compared with what it found before, and all of it is kept."""

from __future__ import annotations

import asyncio
import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from metasearch.adapters.fetch.rate_limiter import BEHIND
from metasearch.adapters.request import Request
from metasearch.errors import UsageError
from metasearch.formats import hits
from metasearch.message import Message
from metasearch.record import Hit, Record
from metasearch.review.alerts import news
from metasearch.review.alerts import news as history
from metasearch.review.alerts import news as told
from metasearch.review.alerts import runs as due
from metasearch.review.alerts import runs as storing
from metasearch.review.alerts import saved_searches as searches
from metasearch.review.alerts.runs import options_of, run_saved
from metasearch.review.alerts.saved_searches import MOST_FAILURES
from metasearch.review.store import database
from metasearch.review.store.database import Database
from metasearch.review.store.values import now
from metasearch.review.users import accounts
from tests.engine.test_engine import item, works
from tests.review.alerts.searches import BIRDS, MARSH, PEAT, away, watched
from tests.review.filled import Filled


async def test_the_first_run_is_the_baseline(tmp_path: Path) -> None:
    """It tells nothing, and keeps what each source answered; then the next run is planned."""
    async with await watched(tmp_path) as watch:
        run = await watch.again()
        saved = await watch.current()

    assert (run.number, run.status, run.baseline) == (1, "done", True)
    assert (run.works, run.told, run.error) == (3, 0, "")
    assert dict(run.sources) == {"alpha": "ok", "beta": "ok"}
    assert saved.baseline == saved.digest
    assert saved.next_run is not None
    assert saved.next_run > now()


async def test_a_later_run_tells_what_is_new(tmp_path: Path) -> None:
    """Once."""
    async with await watched(tmp_path) as watch:
        await watch.again()
        new = item("Soil respiration", "10.1000/four", year=1999)
        second = await watch.again(alpha=works(MARSH, PEAT, new))
        third = await watch.again()

        assert await watch.news(second) == {"Soil respiration": "new"}
        assert (second.told, third.told) == (1, 0)
        assert await watch.workspace.read(told.count_news, watch.saved) == 1


async def test_it_is_asked_by_date_with_its_own_options(tmp_path: Path) -> None:
    """Behind all other searches, and for versions as one work."""
    async with await watched(tmp_path, years="2010-", per_source=40) as watch:
        options = options_of(watch.saved)

    assert (options.sort, options.per_source, options.years) == ("date", 40, "2010-")
    assert (options.versions, options.enrich, options.wait) == ("group", "none", options.timeout)
    assert options.user is BEHIND


async def test_a_run_in_which_no_source_answers_has_failed(tmp_path: Path) -> None:
    """Nothing of it is seen or told; the next one comes sooner than the schedule says."""
    async with await watched(tmp_path, schedule="monthly 1") as watch:
        await watch.again()
        failed = await watch.again(alpha=away, beta=away)
        saved = await watch.current()
        names = await watch.workspace.read(
            lambda db: db.value("SELECT count(*) FROM saved_name WHERE run = 2")
        )

    assert (failed.status, failed.works, failed.told, names) == ("failed", None, 0, 0)
    assert isinstance(failed.error, Message)
    assert "no route" in failed.error
    assert failed.failed_sources == ("alpha", "beta")
    assert saved.next_run is not None
    assert saved.next_run < (dt.datetime.now(dt.UTC) + dt.timedelta(hours=2)).isoformat()


async def test_after_many_failures_it_is_paused(tmp_path: Path) -> None:
    """With the reason; a run by hand that succeeds has it go on."""
    async with await watched(tmp_path, {"alpha": away}) as watch:
        for _ in range(MOST_FAILURES):
            assert (await watch.current()).paused == ""
            await watch.again()
        paused = await watch.current()
        await watch.again(alpha=works(MARSH))
        again = await watch.current()

    assert f"{MOST_FAILURES} runs in a row have failed" in paused.paused
    assert isinstance(paused.paused, Message)
    assert paused.next_run is None
    assert (again.paused, again.next_run is None) == ("", False)


async def test_one_success_forgives_the_failures_before_it(tmp_path: Path) -> None:
    """They are counted in a row."""
    async with await watched(tmp_path, {"alpha": works(MARSH)}) as watch:
        for _ in range(2):
            for _ in range(MOST_FAILURES - 1):
                await watch.again(alpha=away)
            await watch.again(alpha=works(MARSH))
        assert (await watch.current()).paused == ""


async def test_a_source_that_failed_and_comes_back_does_not_flood(tmp_path: Path) -> None:
    """Its older works are late; in the run after that it is as any other."""
    async with await watched(tmp_path) as watch:
        await watch.again(beta=away)
        second = await watch.again(beta=works(BIRDS, item("Fresh marsh", "10.1000/5", year=2026)))
        third = await watch.again(beta=works(BIRDS, item("Old marsh", "10.1000/6", year=1970)))

        assert await watch.news(second) == {"Salt marsh birds": "late", "Fresh marsh": "new"}
        assert await watch.news(third) == {"Old marsh": "new"}


async def test_a_source_that_is_not_there_any_more_is_a_failure_with_its_name(
    tmp_path: Path,
) -> None:
    """No run is lost without a reason."""
    async with await watched(tmp_path, sources=["alpha", "gone"]) as watch:
        run = await watch.again()

    assert run.status == "failed"
    assert "gone" in run.error


async def test_another_query_begins_a_new_baseline(tmp_path: Path) -> None:
    """Its first run tells nothing, and what was seen before is still known after it."""
    async with await watched(tmp_path) as watch:
        await watch.again()
        saved = await watch.current()
        await watch.workspace.write(searches.update, saved, query="marsh", baseline=True)
        other = item("Marsh plants", "10.1000/four")
        second = await watch.again(alpha=works(other))
        third = await watch.again(alpha=works(other, PEAT, item("Marsh fish", "10.1000/five")))

        assert (second.baseline, second.told) == (True, 0)
        assert await watch.news(third) == {"Marsh fish": "new"}


async def test_what_is_changed_during_a_run_is_run_again(tmp_path: Path) -> None:
    """What it asks now has not been run: the change has planned that."""

    def changed(request: Request) -> Any:
        async def body() -> bytes:
            saved = await watch.current()
            await watch.workspace.write(searches.update, saved, query="peat", baseline=True)
            return works(MARSH)

        return body()

    async with await watched(tmp_path, {"alpha": changed}) as watch:
        await watch.again()
        saved = await watch.current()
        waiting = await watch.workspace.read(due.number_due)

    assert saved.baseline == watch.saved.digest != saved.digest
    assert waiting == 1


async def test_a_failure_does_not_pause_what_was_changed_meanwhile(tmp_path: Path) -> None:
    """What it asks now may succeed."""

    def changed(request: Request) -> Any:
        async def body() -> bytes:
            saved = await watch.current()
            await watch.workspace.write(searches.update, saved, query="peat")
            return away(request)

        return body()

    async with await watched(tmp_path, {"alpha": away}) as watch:
        for _ in range(MOST_FAILURES - 1):
            await watch.again()
        await watch.again(alpha=changed)
        saved = await watch.current()
        waiting = await watch.workspace.read(due.number_due)

    assert (saved.paused, waiting) == ("", 1)


async def test_what_is_removed_during_a_run_is_not_brought_back(tmp_path: Path) -> None:
    """The run ends with an error that says so."""

    def removed(request: Request) -> Any:
        async def body() -> bytes:
            await watch.workspace.write(searches.remove, watch.saved)
            return works(MARSH)

        return body()

    async with await watched(tmp_path, {"alpha": removed}) as watch:
        with pytest.raises(UsageError, match="removed"):
            await watch.again()
        assert await watch.workspace.read(lambda db: db.all("SELECT * FROM lease")) == []


async def test_a_run_that_is_cancelled_is_stopped_and_due_again(tmp_path: Path) -> None:
    """At once, with its lease given back; it does not count as a failure."""
    asked = asyncio.Event()

    def waits(request: Request) -> Any:
        async def body() -> bytes:
            asked.set()
            await asyncio.sleep(3600)
            return b""

        return body()

    async with await watched(tmp_path, {"alpha": waits}) as watch:
        task = asyncio.create_task(watch.again())
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        run = await watch.workspace.read(history.last, watch.saved)
        waiting = await watch.workspace.read(due.number_due)

    assert run is not None
    assert (run.status, run.told) == ("stopped", 0)
    assert waiting == 1


async def test_a_run_whose_process_was_killed_is_marked_by_the_next_one(tmp_path: Path) -> None:
    """It tells nothing, and is not counted as a failure."""
    async with await watched(tmp_path) as watch:
        await watch.again()
        await watch.workspace.write(storing.begin_run, watch.saved)
        third = await watch.again(alpha=works(MARSH, PEAT, item("Soil", "10.1000/four")))
        runs = await watch.workspace.read(history.runs_of, watch.saved)

        assert [run.status for run in runs] == ["done", "stopped", "done"]
        assert await watch.news(third) == {"Soil": "new"}


async def test_a_saved_search_is_not_run_twice_at_once(tmp_path: Path) -> None:
    """Who comes second is told so."""
    async with await watched(tmp_path) as watch:
        holder = database.new_holder()
        await watch.workspace.write(due.take, watch.saved, holder)
        with pytest.raises(UsageError, match="being run"):
            await watch.again()
        run = await run_saved(watch.workspace, watch.engine, watch.saved, holder=holder)

    assert run.status == "done"


async def test_who_has_lost_the_lease_stores_nothing(tmp_path: Path) -> None:
    """A process that slept through its lease must not tell what another one has told."""
    async with await watched(tmp_path) as watch:
        holder = database.new_holder()
        saved = await watch.workspace.write(due.take, watch.saved, holder)

        def other(db: Any) -> None:
            db.run("UPDATE lease SET holder = 'other'")

        def body(request: Request) -> Any:
            async def slept() -> bytes:
                await watch.workspace.write(other)
                return works(MARSH)

            return slept()

        watch.upstreams.bodies = {"alpha": body, "beta": works()}
        with pytest.raises(UsageError, match="another process"):
            await run_saved(watch.workspace, watch.engine, saved, holder=holder)
        run = await watch.workspace.read(history.last, saved)
        names = await watch.workspace.read(lambda db: db.value("SELECT count(*) FROM saved_name"))

    assert run is not None
    assert (run.status, names) == ("stopped", 0)


async def test_an_error_of_ours_is_a_failure_that_is_not_repeated_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sources would be asked again and again."""

    def broken(*_: Any, **__: Any) -> Any:
        raise ZeroDivisionError

    async with await watched(tmp_path) as watch:
        monkeypatch.setattr(news, "judge", broken)
        run = await watch.again()
        waiting = await watch.workspace.read(due.number_due)

    assert (run.status, waiting) == ("failed", 0)
    assert "internal error" in run.error


async def test_a_run_that_may_not_be_made_says_why(tmp_path: Path) -> None:
    """As where a quota is used up; no source is asked."""

    def never(*_: object) -> None:
        raise UsageError("enough for today")

    async with await watched(tmp_path) as watch:
        run = await run_saved(watch.workspace, watch.engine, watch.saved, admit=never)

    assert (run.status, run.error, watch.upstreams.asked) == ("failed", "enough for today", [])


async def test_names_that_were_found_longest_ago_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a search remembers is bounded."""
    monkeypatch.setattr(storing, "MOST_NAMES", 6)
    async with await watched(tmp_path, {"alpha": works(MARSH)}) as watch:
        await watch.again()
        await watch.again(alpha=works(PEAT))
        for number in range(4):
            await watch.again(alpha=works(PEAT, item(f"Soil {number}", f"10.1000/s{number}")))
        kept = await watch.workspace.read(
            lambda db: {row["name"] for row in db.all("SELECT name FROM saved_name")}
        )
        last = await watch.again(alpha=works(PEAT))

    assert len(kept) <= 6
    assert "doi:10.1000/two" in kept
    assert "doi:10.1000/one" not in kept
    assert last.told == 0


async def test_an_included_work_that_was_retracted_is_told_though_no_search_finds_it(
    tmp_path: Path,
) -> None:
    """Works that the search has found before, and a project includes, are looked up by DOI: once
    a retraction is told, it is told no more; a work of no project is not looked up.
    """
    retracted = {"updated-by": [{"type": "retraction"}]}

    def lookups(marsh: Any) -> Any:
        def body(request: Request) -> bytes:
            asked = str(dict(request.params))
            return works(marsh) if "10.1000/one" in asked else works()

        return body

    async with await watched(tmp_path) as watch:
        await watch.again()
        await watch.workspace.write(with_included_work, "10.1000/one")
        second = await watch.again(alpha=lookups(MARSH | retracted), beta=works(BIRDS))
        third = await watch.again()

        assert await watch.news(second) == {"Soil carbon in marshes": "retracted"}
        assert third.told == 0


async def test_works_of_a_project_of_others_are_not_looked_up(tmp_path: Path) -> None:
    """A user is told of what their own projects include."""

    def owned(db: Database) -> None:
        anna = accounts.create(db, "anna")
        db.run("UPDATE saved_search SET owner = ?", anna.uid)

    async with await watched(tmp_path) as watch:
        await watch.again()
        await watch.workspace.write(with_included_work, "10.1000/one")
        await watch.workspace.write(owned)
        watch.upstreams.asked.clear()
        await watch.again()

    assert len(watch.upstreams.asked) == 2


def with_included_work(db: Database, doi: str) -> None:
    """A project of the same owner that includes a work."""
    filled = Filled(db)
    work = filled.work(filled.run(), title="Soil carbon in marshes", doi=doi)
    record = Record(source="a", title="Soil carbon in marshes", doi=doi)
    hit = Hit(id="h1", record=record, records=(record,), provenance={})
    db.run("UPDATE work_body SET hit = ? WHERE work = ?", hits.write(hit), work)
    filled.decide(work, "fulltext", "relevant")
