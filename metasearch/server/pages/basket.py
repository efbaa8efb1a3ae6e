"""`/basket`: the works that a reader has ticked, as a page and in every export format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from aiohttp import web
from multidict import MultiDict, MultiMapping

from metasearch.bib.work_ids import find_each, is_hit_id, read_name
from metasearch.engine.results import KEPT_IN_BASKET
from metasearch.events import Answer, Counts
from metasearch.formats import WRITABLE, write
from metasearch.formats.citations import STYLES
from metasearch.message import message
from metasearch.record import Hit
from metasearch.server.forms import (
    choice_of,
    local_address,
    only,
    pairs_of_form,
    read_form_fields,
)
from metasearch.server.pages.hit import HitView, hit_view
from metasearch.server.pages.page import page, page_response, see_other
from metasearch.server.pages.work import FORMAT_WORDS, JSON_LD, is_large
from metasearch.server.pages.work import OFFERED_OF_WORKS as OF_WORKS
from metasearch.server.pages.work_records import MOST_COMPARED, compare
from metasearch.server.parameters import Parameters, read
from metasearch.server.problem import Problem
from metasearch.server.search import WRITTEN_AT_ONCE, choose_form, for_page, is_usable
from metasearch.server.search_answers import (
    answer_of,
    no_answer_problem,
    status_of,
)
from metasearch.server.site import SHARED, ServerContext, work_path
from metasearch.server.sources import labels
from metasearch.server.visit import MOST_IN_BASKET, Visit, visit_of

# The works in a basket: its cookie holds their ids, the cache the works.


@dataclass(frozen=True, slots=True)
class BasketWork:
    """One work. `ids`: those in the basket; several where two searches named it differently."""

    hit: Hit
    ids: Sequence[str]


@dataclass(frozen=True, slots=True)
class Basket:
    """The contents of a basket. `works`: in the order in which they were added; each work once.
    `unknown`: ids of works that are not kept any more.
    """

    works: Sequence[BasketWork]
    unknown: Sequence[str]

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The works, numbered by their place in the basket."""
        return tuple(replace(work.hit, rank=at) for at, work in enumerate(self.works, 1))


async def contents_of(ids: Sequence[str], shared: ServerContext) -> Basket:
    kept: list[Hit] = []
    unknown: list[str] = []
    turns = shared.engine.scheduler.turns()  # to read a work takes a millisecond
    async with shared.admission.brief():
        for name in ids:
            await turns.next()
            hit = await shared.engine.works.find(name)
            if hit is None:
                unknown.append(name)
            else:
                kept.append(hit)
    return Basket(distinct(kept), unknown)


def distinct(hits: Iterable[Hit]) -> list[BasketWork]:
    """Each work once: hits that share an id or a record are one, as two searches have shown it.

    Of such hits the one with the most records stays, at the place of the first.
    """
    richest: list[Hit | None] = []
    ids: list[dict[str, None]] = []  # of the work at a place, in order: of long chains no copies
    merged_into: dict[int, int] = {}
    place_of: dict[str, int] = {}

    def place(name: str) -> int:
        at = place_of[name]
        while at in merged_into:
            at = merged_into[at]
        return at

    for hit in hits:
        names = [hit.id, *(record.key for record in hit.records)]
        at, *others = sorted({place(name) for name in names if name in place_of}) or [len(ids)]
        if at == len(ids):
            richest.append(None)
            ids.append({})
        for other in others:
            ids[at] |= ids[other]
        ids[at][hit.id] = None
        same = filter(None, (*(richest[each] for each in (at, *others)), hit))
        richest[at] = max(same, key=lambda each: len(each.records))
        for other in others:
            richest[other] = None
        merged_into |= dict.fromkeys(others, at)
        place_of |= dict.fromkeys(names, at)
    return [BasketWork(hit, tuple(ids[at])) for at, hit in enumerate(richest) if hit is not None]


#: Formats that stand first, the one that most programs read before the others.
_FIRST = ("ris", "bibtex", "csv", "json")


def basket_page(
    visit: Visit, contents: Basket, labels: Mapping[str, str], citations: Sequence[str]
) -> str:
    """The whole page. `citations`: of the works, in their order, in the style of the reader."""
    site = visit.site
    views: list[tuple[HitView, str]] = []
    for work in contents.works:
        address = site.path(work_path(work.hit.id))
        view = hit_view(work.hit, labels, site.base, page=address)
        views.append((view, visit.language.enumeration([one.label for one in view.found])))
    formats = [name for name in OFFERED if name != "html" and is_usable(name)]
    return page(
        "basket.html",
        visit,
        visit.language.gettext("Basket"),
        current="/basket",
        works=views,
        unknown=contents.unknown,
        compared=[*compare(contents.hits, visit.language)] if len(views) > 1 else [],
        most_compared=MOST_COMPARED,
        citations=[(view.language, text) for (view, _), text in zip(views, citations, strict=True)],
        style=STYLES[visit.style].about,
        formats=[
            (name, FORMAT_WORDS.get(name, name), site.path("/basket", format=name))
            for name in sorted(formats, key=_place)
        ],
        days=round(KEPT_IN_BASKET / 86_400),
    )


def _place(name: str) -> int:
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)


# `/basket`: the works that a reader has ticked, as a page and in every export format. A signed
# cookie holds their ids, the cache the works: docs/decisions/0036.

#: Name in `format=` -> media type; a client that does not say what it likes gets the page.
OFFERED: Mapping[str, str] = {
    name: media_type for name, media_type in OF_WORKS.items() if name != JSON_LD
}
_WITH_CHARSET = frozenset({"csv", "citations"})
#: What a form does.
_ADD, _REMOVE, _CLEAR = "add", "remove", "clear"
#: Ids that a message names.
_NAMED = 5


async def answer_basket(request: web.Request) -> web.StreamResponse:
    """`/basket`: shows the works, exports them, or changes them by a form."""
    if request.method == "POST":
        return await _change(request)
    shared, visit = request.app[SHARED], visit_of(request)
    form = choose_form(request, OFFERED)
    parameters = read(request.query, shared.options)
    shown = await contents_of(visit.basket, shared)
    await shared.engine.works.renew([work.hit for work in shown.works], KEPT_IN_BASKET)
    ticked = request.query.getall("id", [])
    if form == "html":
        return await _page(request, shown)
    return await _export(request, _choose_works(shown, ticked), form, parameters)


async def _page(request: web.Request, contents: Basket) -> web.Response:
    shared, visit = request.app[SHARED], visit_of(request)
    await shared.engine.ready()  # the labels of the sources are in their specs
    hits = contents.hits
    citations = await _write_works(shared, hits, "citations", Parameters(style=visit.style))
    sources = {record.source for hit in hits for record in hit.records}
    names = labels(shared.engine, sources, visit.language)
    texts = citations.decode().splitlines()
    body = await shared.admission.written(
        lambda: basket_page(visit, contents, names, texts).encode(), large=_is_long(hits)
    )
    return page_response(request, body)


def _choose_works(contents: Basket, names: Sequence[str]) -> Basket:
    """The works that a request names; all where it names none."""
    if not names:
        return contents
    ids = _hit_ids(names)
    there = {name for work in contents.works for name in work.ids}
    if missing := [name for name in ids if name not in there]:
        raise Problem(
            404, "no-such-work", message("The basket does not have {ids}.", ids=_name_list(missing))
        )
    works = [work for work in contents.works if not ids.keys().isdisjoint(work.ids)]
    return Basket(works, ())


async def _export(
    request: web.Request, contents: Basket, form: str, parameters: Parameters
) -> web.Response:
    shared, visit = request.app[SHARED], visit_of(request)
    if not request.query.get("style"):
        parameters = replace(parameters, style=visit.style)
    body = await _write_works(shared, contents.hits, form, parameters, contents.unknown)
    headers = {"Vary": "Accept, Cookie", "Cache-Control": "private, no-store"}
    if form in WRITABLE and WRITABLE[form].download:
        name = f"metasearch-basket.{WRITABLE[form].extension}"
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return web.Response(
        body=body,
        headers=headers,
        content_type=OFFERED[form],
        charset="utf-8" if form in _WITH_CHARSET else None,
    )


async def _write_works(
    shared: ServerContext,
    hits: tuple[Hit, ...],
    form: str,
    parameters: Parameters,
    unknown: Sequence[str] = (),
) -> bytes:
    """The works in a format, as a search answer has them."""
    received = sum(len(hit.records) for hit in hits)
    counts = Counts(received, len(hits), received - len(hits))
    notes = (
        (message("Not known here any more: {ids}.", ids=_name_list(unknown)),) if unknown else ()
    )
    whole = Answer("", not unknown, counts, hits, (), notes=notes)
    return await shared.admission.written(
        lambda: write(
            form,
            whole,
            bom=parameters.bom,
            provenance=parameters.provenance,
            style=parameters.style,
        ),
        large=_is_long(hits),
    )


def _is_long(hits: Sequence[Hit]) -> bool:
    """Whether writing the works would hold up the loop."""
    return len(hits) > WRITTEN_AT_ONCE or any(map(is_large, hits))


async def _change(request: web.Request) -> web.Response:
    fields = await read_form_fields(request)
    shared, visit = request.app[SHARED], visit_of(request)
    back = local_address(only(fields, "back"), visit.site) or visit.site.path("/basket")
    match choice_of(fields, "do", (_ADD, _REMOVE, _CLEAR), ""):
        case "add":
            await _add(request, _ids_of_form(fields), only(fields, "search"))
        case "remove":
            contents = await contents_of(visit.basket, shared)
            _remove(visit, contents, _ids_of_form(fields))
        case "clear":
            visit.fill_basket(())
        case _:
            raise Problem.bad_parameter("do", message("missing"))
    return see_other(request, back)


async def _add(request: web.Request, names: Mapping[str, None], search: str) -> None:
    shared, visit = request.app[SHARED], visit_of(request)
    there = await contents_of(visit.basket, shared)
    new = [name for name in names if name not in visit.basket]
    _check_room(len(there.works) + len(there.unknown), len(new))
    found = await _find_works(request, new, search)
    hits = list({found[name].id: found[name] for name in new if name in found}.values())
    left_out = {hit.id for hit in await shared.engine.works.keep(hits, KEPT_IN_BASKET)}
    works = distinct(
        [*(work.hit for work in there.works), *(hit for hit in hits if hit.id not in left_out)]
    )
    ids = (*(work.hit.id for work in works), *there.unknown)
    _check_room(len(ids), 0)
    visit.fill_basket(ids)
    missing = [name for name in new if name not in found or found[name].id in left_out]
    if missing:
        detail = message(
            "These works are not known here any more, and were not added: {ids}. "
            "The other ticked works are in the basket.",
            ids=_name_list(missing),
        )
        advice = message("Search again, and tick them in the new list.")
        raise Problem(404, "no-such-work", detail, advice=advice)


def _remove(visit: Visit, contents: Basket, names: Mapping[str, None]) -> None:
    """Takes works out of the basket, under all their ids."""
    gone = set(names)
    for work in contents.works:
        if not gone.isdisjoint(work.ids):
            gone.update(work.ids)
    visit.fill_basket(tuple(name for name in visit.basket if name not in gone))


async def _find_works(request: web.Request, names: Sequence[str], search: str) -> dict[str, Hit]:
    """Id -> work, of those that are kept or that the search finds again."""
    shared = request.app[SHARED]
    works: dict[str, Hit] = {}
    turns = shared.engine.scheduler.turns()
    async with shared.admission.brief():
        for name in names:
            await turns.next()
            if (kept := await shared.engine.works.find(name)) is not None:
                works[name] = kept
    parameters = read(MultiDict(pairs_of_form(search.encode())), shared.options)
    if len(works) == len(names) or not parameters.query:
        return works
    asked = replace(for_page(parameters, visit_of(request)), wait=None)
    answer = await answer_of(request, asked)
    works |= await _in_answer(shared, answer, [name for name in names if name not in works])
    if len(works) < len(names) and answer.running:  # the configured wait is over, the search is not
        answer = await answer_of(request, replace(asked, wait=shared.options.max_timeout))
        works |= await _in_answer(shared, answer, [name for name in names if name not in works])
    if not works and (status := status_of(answer)) != 200:
        raise no_answer_problem(answer, status, {})
    return works


async def _in_answer(shared: ServerContext, answer: Answer, names: Sequence[str]) -> dict[str, Hit]:
    # The further ids of a hit with many records are thousands.
    return await shared.admission.written(lambda: find_each(names, answer.hits), large=True)


def _check_room(there: int, new: int) -> None:
    if there + new <= MOST_IN_BASKET:
        return
    detail = message(
        "The basket holds {most} works at most; it has {there}, and {new} more were ticked. "
        "Nothing was changed.",
        most=MOST_IN_BASKET,
        there=there,
        new=new,
    )
    advice = message("Export the basket and empty it, or tick fewer works.")
    raise Problem(409, "basket-full", detail, advice=advice)


def _ids_of_form(fields: MultiMapping[str]) -> dict[str, None]:
    ids = _hit_ids(fields.getall("id", []))
    if not ids:
        raise Problem.bad_parameter("id", message("missing; tick a work"))
    return ids


def _hit_ids(texts: Iterable[str]) -> dict[str, None]:
    """Ids as they are compared, each once."""
    ids: dict[str, None] = {}
    for text in texts:
        if len(text) > 100 or not is_hit_id(text):
            reason = message("{text} is no id of a work", text=repr(text[:40]))
            raise Problem.bad_parameter("id", reason)
        ids[read_name(text)] = None
    return ids


def _name_list(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" (+{more})" if more > 0 else "")
