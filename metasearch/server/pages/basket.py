"""The page of the basket: the ticked works in brief, their exports and citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metasearch.engine.works import KEPT_IN_BASKET
from metasearch.formats.citations.styles import STYLES
from metasearch.server.basket import BasketWork
from metasearch.server.pages.hit import HitView, hit_view
from metasearch.server.pages.page import page
from metasearch.server.pages.work import FORMAT_WORDS
from metasearch.server.site import work_path
from metasearch.server.visit import Visit

#: Formats that stand first, the one that most programs read before the others.
_FIRST = ("ris", "bibtex", "csv", "json")


@dataclass(frozen=True, slots=True)
class BasketPage:
    """What the page is made from.

    Attributes:
        unknown: Ids of works that are not kept any more.
        citations: Of the works, in their order, in the style of the reader.
        formats: Names of the export formats.
    """

    works: Sequence[BasketWork]
    unknown: Sequence[str]
    labels: Mapping[str, str]
    citations: Sequence[str]
    formats: Sequence[str]


def basket_page(visit: Visit, shown: BasketPage) -> str:
    """The whole page."""
    site = visit.site
    views: list[tuple[HitView, str]] = []
    for work in shown.works:
        address = site.path(work_path(work.hit.id))
        view = hit_view(work.hit, shown.labels, site.base, page=address)
        views.append((view, visit.language.listed([one.label for one in view.found])))
    return page(
        "basket.html",
        visit,
        visit.language.gettext("Basket"),
        current="/basket",
        works=views,
        unknown=shown.unknown,
        citations=[
            (view.language, text) for (view, _), text in zip(views, shown.citations, strict=True)
        ],
        style=STYLES[visit.style].about,
        formats=[
            (name, FORMAT_WORDS.get(name, name), site.path("/basket", format=name))
            for name in sorted(shown.formats, key=_place)
        ],
        days=round(KEPT_IN_BASKET / 86_400),
    )


def _place(name: str) -> int:
    """Of a format in the list."""
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)
