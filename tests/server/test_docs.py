"""docs/server.md says what the code does."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from metasearch.events import Facets
from metasearch.formats.events import event_object
from metasearch.query.tree import MAX_LENGTH
from metasearch.server import search as api
from metasearch.server.limits import Options
from metasearch.server.metrics import MetricsPage
from metasearch.server.pages import work
from metasearch.server.pages.environment import STATUS_WORDS
from metasearch.server.parameters import KNOWN
from metasearch.server.parameters import PAGE as OF_PAGES
from metasearch.server.problem import KINDS
from metasearch.server.sources import source_object, view
from tests.cases import each
from tests.server.addresses import EVERY_ROUTE
from tests.server.fake import FakeEngine, FakeSearch, answer, hit

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "server.md").read_text(encoding="utf-8")
PAGES = (Path(__file__).resolve().parents[2] / "docs" / "pages.md").read_text(encoding="utf-8")
PROJECTS = (Path(__file__).resolve().parents[2] / "docs" / "pages-projects.md").read_text("utf-8")
WORKS = (Path(__file__).resolve().parents[2] / "docs" / "works.md").read_text(encoding="utf-8")
WORKSPACE = (Path(__file__).resolve().parents[2] / "docs" / "workspace-api.md").read_text(
    encoding="utf-8"
)
ALERTS = (Path(__file__).resolve().parents[2] / "docs" / "alerts.md").read_text(encoding="utf-8")
HEADINGS = " ".join(line for line in PAGE.splitlines() if line.startswith("#"))


@each("path", [route.path for route in EVERY_ROUTE])
def test_routes(path):
    """Every route is in a heading; one that is a page alone may be in the table of pages, and those
    of the workspace's interface and of saved searches are on pages of their own."""
    row = f"| `{re.sub(r':[^}]*}', '}', path)}` |"
    assert f"`{path}`" in HEADINGS or row in PAGES + PROJECTS + WORKSPACE + ALERTS


def test_no_route_is_made_up():
    """Every heading with a path is a route."""
    assert {route.path for route in EVERY_ROUTE} >= set(re.findall(r"`(/[^`]*)`", HEADINGS))


@each("name", OF_PAGES)
def test_parameters_of_pages(name):
    """Those that concern pages alone have their row on the page about these."""
    assert re.search(rf"^\| (`[a-z]+`, )*`{name}`", PAGES, re.MULTILINE)


@each("name", sorted(KNOWN - {*OF_PAGES}))
def test_parameters(name):
    """Every parameter has its row."""
    assert re.search(rf"^\| (`count` or )?`{name}`", PAGE, re.MULTILINE)


def test_formats():
    """The table of formats is the table of the code."""
    rows = re.findall(r"^\| `([a-z-]+)` \| `([a-z]+/[a-z.+-]+)`", PAGE, re.MULTILINE)

    assert dict(api.OFFERED) == dict(rows)


def test_formats_of_a_work():
    """docs/works.md names the formats of a record page, and no others."""
    table = WORKS.partition("## Formats")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)

    assert set(work.OFFERED_OF_WORKS) == set(re.findall(r"`([a-z-]+)`", " ".join(rows))) - {
        "format"
    }


async def test_events():
    """Every kind of event has its row."""
    counted = replace(answer(hit()), facets=Facets(1, ()))
    kinds = {event_object(it)["event"] async for it in FakeSearch("s1", counted)} | {
        "update",
        "merge",
    }

    table = PAGE.partition("### Streams")[2].partition("| --- |")[2].partition("\n\n")[0]

    assert kinds == set(re.findall(r"^\| `([a-z]+)`", table, re.MULTILINE))


def test_problems():
    """Every type of problem has its row."""
    assert set(KINDS) == set(re.findall(r"`urn:metasearch:problem:([a-z-]+)` \|", PAGE))


def test_statuses():
    """Every status of a source is named."""
    assert all(f"`{status}`" in PAGE for status in STATUS_WORDS)


async def test_members_of_a_source():
    """Every member of an entry of /sources is named."""
    assert all(f"`{name}`" in PAGE for name in source_object(view(FakeEngine())[0]))  # type: ignore[arg-type]


def test_metrics():
    """Every metric has its row, and no other."""
    named = re.findall(r"^# TYPE (\w+)", MetricsPage([], [], 0, "1").text().decode(), re.MULTILINE)

    assert set(named) == set(re.findall(r"^\| `(metasearch_\w+)`", PAGE, re.MULTILINE))


def test_limits():
    """The numbers are those of the code."""
    options = Options()

    for shown in (
        f"1 to {options.max_records}",
        f"seconds, to {options.max_timeout:g} |",
        f"at most {options.max_sources}",
        f"at most {MAX_LENGTH:,} characters",
        f"max-age={options.max_age}",
        f"retry: {options.retry}",
        f"after {options.ping:g} silent seconds",
        f"continued for {options.keep:g} seconds",
        f"{options.rate_limit} requests in a minute",
        f"{options.max_clients:,} clients are remembered",
        (
            f"{options.max_connections} connections may be open at once, "
            f"{options.max_client_connections} from one address"
        ),
        f"within {options.head_timeout:g} seconds",
        f"silent for {options.keepalive:g} seconds",
        f"for {options.write_timeout:g} seconds is cut off",
    ):
        assert shown in PAGE
