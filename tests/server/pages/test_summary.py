"""The head of a result page."""

from __future__ import annotations

from dataclasses import replace

from lxml import html

from metasearch.errors import ConnectFailed
from metasearch.events import Counts, Totals
from metasearch.language import language
from metasearch.server.pages.environment import STATUS_LOOKS, STATUS_WORDS, macro
from metasearch.server.pages.results import summary
from tests import cases
from tests.server.fake import answer, hit, late, report, running, so_far

LABELS = {"alpha": "Alpha Index", "beta": "Beta Library"}


def head(given_, tag="en"):
    """The summary with labels."""
    return summary(given_, lambda name: LABELS.get(name, name), language(tag))


def shown(rows):
    """The rows as a table."""
    made = macro("_databases.html", "rows", language("en"))(rows)
    return html.fromstring(f"<table>{made}</table>")


def counted(given_, received, unique, **changes):
    """The same answer with other numbers."""
    return replace(given_, counts=Counts(received, unique, unique), **changes)


def test_the_status_of_a_search_that_is_over():
    """How many databases answered, and what came of it; with the filters, what passes."""
    totals = Totals(7, 0, None, None, False, "")

    assert head(counted(answer(), 49, 32)).status == (
        "2 of 2 databases have answered: 32 works from 49 records."
    )
    assert head(counted(answer(), 4900, 3200, filter="oa:yes", totals=totals)).status == (
        "2 of 2 databases have answered: 3,200 works from 4,900 records; 7 pass the filters."
    )


def test_one_of_each_is_singular():
    """A sentence with several numbers is right for each of them."""
    one = counted(answer(reports=[report("alpha")]), 1, 1)

    assert "1 works" not in head(one).status
    assert "1 records" not in head(one).status
    assert "1 works" not in head(counted(so_far(), 1, 1)).status


def test_the_status_while_the_search_runs():
    """Failed ones are over, skipped ones were not asked."""
    reports = [report("alpha"), late("beta"), report("delta", "skipped"), running("gamma")]
    shown = head(counted(replace(answer(reports=reports), complete=False), 9, 7))

    assert "of 4 databases" in shown.status
    assert "7 works so far" in shown.status
    assert shown.running == ["gamma"]
    assert not shown.none_answered


def test_the_status_in_chinese():
    """Another language, the same numbers."""
    status = head(counted(answer(), 4900, 3200), "zh-Hans").status

    assert "3,200" in status
    assert "4,900" in status


def test_sources_that_failed_for_one_reason_are_one_line():
    """The first three are named, the others counted."""
    failed = [
        report(f"s{number}", "error", error=ConnectFailed(f"s{number}", "no connection"), count=0)
        for number in range(5)
    ]
    shown = head(answer(reports=[report("alpha"), *failed, late("beta")]))

    assert [(each.labels, each.more, each.status) for each in shown.failures] == [
        (["s0", "s1", "s2"], 2, "failed"),
        (["Beta Library"], 0, "timed out"),
    ]
    assert "no connection" in shown.failures[0].error


def test_whether_nobody_answered():
    """Only once the search is over, and only where somebody was asked."""
    assert head(answer(reports=[late("alpha"), late("beta")])).none_answered
    assert not head(answer(reports=[late("alpha"), report("beta")])).none_answered
    assert not head(answer(reports=[late("alpha"), running("beta")])).none_answered
    assert not head(answer(reports=[report("alpha", "skipped", count=0)])).none_answered


@cases.each("status", STATUS_WORDS)
def test_every_state_of_a_source_has_words_and_a_look(status):
    """The words say it, so that the colour is no more than a help."""
    (row,) = head(answer(reports=[report("alpha", status)])).rows

    assert row.label == "Alpha Index"
    assert row.status == STATUS_WORDS[status]
    assert row.look == STATUS_LOOKS.get(status, ("warn", "failed"))
    assert (shown([row]).xpath("string(//td[last()])") == "") is (status == "running")


def test_a_row_has_the_error_and_the_advice():
    """As the core says them; notes too."""
    rows = head(answer(reports=[report("alpha", notes=("a note",)), late("beta")])).rows
    fine, failed = shown(rows).xpath("//tr")

    assert not fine.xpath(".//span[contains(@class, 'note')]")
    assert fine.xpath("string(.//li)") == "a note"
    assert fine.xpath("string(td[3])") == "40"
    error, advice = (
        each.text_content() for each in failed.xpath(".//span[@class!='state failed']")
    )
    assert error == "no whole answer within 15 s"
    assert "more time" in advice


def test_an_answer_without_sources():
    """Nothing to divide by."""
    shown = head(replace(answer(hit()), sources=()))

    assert (shown.asked, shown.rows, shown.none_answered) == (0, [], False)
