"""One saved search: its news, its feed, its runs, and the forms that change it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metasearch.errors import Conflict
from metasearch.formats.reference import full_title, link
from metasearch.formats.text import line
from metasearch.server.pages.page import page
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.reading import SYNTAX_WORDS
from metasearch.server.pages.saved.words import (
    DONE_WORDS,
    HAPPENED,
    OFF_WORDS,
    RUN_WORDS,
    SCHEDULES,
    happened,
    schedule_words,
)
from metasearch.server.pages.terms import N_
from metasearch.server.visit import Visit
from metasearch.workspace.saved.history import SavedRun
from metasearch.workspace.saved.outbox import MailState
from metasearch.workspace.saved.saved import LONGEST_NAME, PER_SOURCE, SavedSearch
from metasearch.workspace.saved.told import News

#: Authors that are named, and characters of a name.
_MOST_AUTHORS, _LONGEST_NAME = 6, 200


@dataclass(frozen=True, slots=True)
class NewsLine:
    """A piece of news.

    Attributes:
        happened: A key of `words.HAPPENED`.
        title: Of the work; "" where it has none.
        language: Of the title, as a code; "" where that is not known.
        address: Of the work on the web; "" where none is known.
    """

    happened: str
    title: str
    language: str
    address: str
    about: str
    at: str


@dataclass(frozen=True, slots=True)
class SavedView:
    """What the page shows.

    Attributes:
        news: The newest, or those before them.
        older: Address of the page with older news; "" where there are none.
        mails: Whether e-mails are sent; None on a server that sends none.
    """

    saved: SavedSearch
    news: Sequence[NewsLine]
    count: int
    older: str
    runs: Sequence[SavedRun]
    labels: Mapping[str, str]
    mails: MailState | None


def news_line(news: News) -> NewsLine:
    """A piece of news as the page shows it."""
    record = news.hit.record
    names = [line(author.name)[:_LONGEST_NAME] for author in record.authors[:_MOST_AUTHORS]]
    people = ", ".join(filter(None, names)) + (" …" if len(record.authors) > _MOST_AUTHORS else "")
    about = " · ".join(filter(None, (people, line(record.venue), str(record.year or ""))))
    code = record.language or ""
    return NewsLine(
        happened(news),
        full_title(record),
        code if code.isascii() and code.isalpha() and len(code) <= 3 else "",
        link(record) or "",
        about,
        news.at,
    )


def one_page(visit: Visit, shown: SavedView, said: Said, done: str = "") -> str:
    """The whole page; the arguments are those of `listing.saved_page`."""
    saved, site = shown.saved, visit.site
    schedules = dict(SCHEDULES)
    schedules.setdefault(saved.schedule, saved.schedule)
    search = {"q": saved.query, "sources": ",".join(saved.sources), "year": saved.years}
    if saved.syntax != "auto":
        search["syntax"] = saved.syntax
    kept = {
        "name": saved.name,
        "query": saved.query,
        "syntax": saved.syntax,
        "years": saved.years,
        "sources": ", ".join(saved.sources),
        "schedule": saved.schedule,
        "version": str(saved.version),
    }

    def typed(name: str, _usual: str = "") -> str:
        if name == "version" and isinstance(said.error, Conflict):
            return kept[name]  # what stands now is above the form, and may be replaced
        return said.typed(name, kept[name]) if said.place == "change" else kept[name]

    return page(
        "saved/one.html",
        visit,
        saved.name,
        shown=shown,
        saved=saved,
        said=said,
        typed=typed,
        done=DONE_WORDS.get(done, ""),
        base=site.path(f"/saved/{saved.uid}"),
        search=site.path("/search", **{name: value for name, value in search.items() if value}),
        feeds=[
            (name, site.url(f"/feeds/{saved.feed}.{ending}"))
            for name, ending in ((N_("Atom feed"), "atom"), (N_("JSON feed"), "json"))
        ],
        happened=HAPPENED,
        off_words=OFF_WORDS,
        run_words=RUN_WORDS,
        schedule_words=schedule_words,
        schedules=schedules,
        syntaxes=SYNTAX_WORDS,
        longest_name=LONGEST_NAME,
        usual_per_source=PER_SOURCE,
    )
