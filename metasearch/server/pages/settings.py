"""The page of what a reader prefers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from metasearch.formats.citations.styles import STYLES
from metasearch.server.pages.language import TAGS, language
from metasearch.server.pages.page import page
from metasearch.server.pages.source_groups import SourceGroup
from metasearch.server.pages.terms import N_
from metasearch.server.preferences import SIZES, THEMES
from metasearch.server.sources import SourceView
from metasearch.server.visit import Visit

#: Theme -> its name, to be translated.
_THEME_WORDS: Mapping[str, str] = {
    "auto": N_("as the system"),
    "light": N_("light"),
    "dark": N_("dark"),
}
#: What has just been done -> the message, to be translated.
_DONE: Mapping[str, str] = {
    "saved": N_("The settings are saved."),
    "forgotten": N_("All cookies of this server are deleted, and the basket with them."),
}


def tickable(source: SourceView) -> bool:
    """Whether a search can ask a source, now or after a pause."""
    return source.status not in ("misconfigured", "key missing", "disabled")


def settings_page(visit: Visit, groups: Sequence[SourceGroup], done: str, group: str) -> str:
    """The whole page."""
    site, has = visit.site, visit.preferences
    known = {source.name: source for each in groups for source in each.sources}
    ticked = [name for name in has.sources if name in known]
    shared = {"lang": has.language, "theme": has.theme}
    search: dict[str, str | int] = {"q": "WORDS", **shared}
    search |= {"count": has.page_size, "format": "html"}
    if ticked:
        search["sources"] = ",".join(ticked)
    return page(
        "settings.html",
        visit,
        visit.language.gettext("Settings"),
        current="/settings",
        message=_DONE.get(done, ""),
        languages=[language(tag) for tag in TAGS],
        themes={name: _THEME_WORDS[name] for name in THEMES},
        sizes=SIZES,
        styles={name: style.about for name, style in STYLES.items()},
        usual_style=STYLES[visit.usual_style].about,
        groups=[each for each in _choosable(groups, ticked) if each.sources],
        ticked=frozenset(ticked),
        gone=[name for name in has.sources if name not in known],
        usual=[source.label for source in known.values() if source.default],
        unfolded=group,
        here=site.url("/", **shared),
        search=site.url("/search", **search).replace("%2C", ","),
    )


def _choosable(groups: Sequence[SourceGroup], ticked: Sequence[str]) -> Iterator[SourceGroup]:
    """The groups, without the sources that no search can ask and that are not ticked."""
    for group in groups:
        sources = [each for each in group.sources if tickable(each) or each.name in ticked]
        yield replace(group, sources=sources)
