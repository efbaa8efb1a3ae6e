"""The frame of every page: head, search form, errors, the start page and the list of sources.

Pages work without JavaScript and hold none; every text goes through `markup.tag`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from metasearch.formats.text import web_url
from metasearch.server.opensearch import DESCRIPTION
from metasearch.server.opensearch import MEDIA_TYPE as OPENSEARCH_TYPE
from metasearch.server.pages.markup import Content, Markup, document, tag
from metasearch.server.problem import Problem
from metasearch.server.site import NAME, Site
from metasearch.server.sources import SourceView

#: No script and no inline style can run in a page, whatever gets into it.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True, slots=True)
class Form:
    """What stands in the search form.

    Attributes:
        query, year: As typed.
        chosen: Names of the sources that are ticked.
        kept: Other parameters of the search, which a new search from this form takes over.
    """

    query: str = ""
    year: str = ""
    chosen: Sequence[str] = ()
    kept: dict[str, str] = field(default_factory=dict)


def frame(
    site: Site,
    title: str,
    form: Content,
    *main: Content,
    metas: dict[str, int | str] | None = None,
    refresh: int | None = None,
) -> str:
    """A whole page.

    Args:
        site: Where the server is reachable.
        title: Of the window; the site's name is added.
        form: The search form, or None.
        main: What the page is about.
        metas: `<meta name= content=>` pairs.
        refresh: Seconds after which a browser asks for the page again; None for never.
    """
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("title", f"{title} · {NAME}" if title else NAME),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="description", content=DESCRIPTION),
        tag("meta", name="color-scheme", content="light dark"),
        tag("meta", http_equiv="refresh", content=refresh) if refresh is not None else None,
        [tag("meta", name=name, content=value) for name, value in (metas or {}).items()],
        tag("link", rel="stylesheet", href=site.path("/static/style.css")),
        tag("link", rel="icon", href=site.path("/favicon.ico"), sizes="16x16"),
        tag(
            "link", rel="icon", href=site.path("/static/icon.png"), type="image/png", sizes="64x64"
        ),
        tag(
            "link",
            rel="search",
            type=OPENSEARCH_TYPE,
            title=NAME,
            href=site.path("/opensearch.xml"),
        ),
    )
    body = tag(
        "body",
        tag("a", "Skip to content", href="#main", class_="skip"),
        tag(
            "header",
            tag("a", _logo(site), NAME, href=site.path("/"), class_="brand"),
            form,
        ),
        tag("main", *main, id="main"),
        tag(
            "footer",
            tag("a", "Databases", href=site.path("/sources", format="html")),
            tag("a", "Search description", href=site.path("/opensearch.xml")),
        ),
    )
    return document(tag("html", head, body, lang="en"))


def search_form(
    site: Site, sources: Sequence[SourceView], form: Form, *, focus: bool = False
) -> Markup:
    """The form that every search starts from."""
    # Where all are asked anyway, saying so of each is noise.
    choice = not all(it.default for it in sources)
    boxes = [
        tag(
            "label",
            tag(
                "input",
                type="checkbox",
                name="sources",
                value=it.name,
                checked=it.name in form.chosen,
            ),
            it.label,
            " (usual)" if it.default and choice else None,
        )
        for it in sources
        if it.usable or it.name in form.chosen
    ]
    return tag(
        "form",
        tag(
            "div",
            tag("label", "Search terms", for_="q", class_="hidden"),
            tag(
                "input",
                type="search",
                id="q",
                name="q",
                value=form.query,
                placeholder='words, "phrases", author:name, AND OR NOT',
                required=True,
                autocomplete="off",
                autofocus=focus,
            ),
            tag("label", "Years", for_="year", class_="hidden"),
            tag(
                "input",
                type="text",
                id="year",
                name="year",
                value=form.year,
                placeholder="2019-2024",
                size=11,
            ),
            tag("button", "Search", type="submit"),
            class_="row",
        ),
        tag(
            "details",
            tag(
                "summary",
                "Databases: ",
                f"{len(form.chosen)} chosen" if form.chosen else "the usual ones",
            ),
            tag(
                "fieldset",
                tag("legend", "Ask only these; with none ticked, the usual ones are asked"),
                boxes,
            ),
        )
        if boxes
        else None,
        [tag("input", type="hidden", name=name, value=value) for name, value in form.kept.items()],
        action=site.path("/search"),
        method="get",
        role="search",
    )


def start_page(
    site: Site, sources: Sequence[SourceView], examples: Sequence[str], notice: str = ""
) -> str:
    """The page that a browser opens first."""
    return frame(
        site,
        "",
        search_form(site, sources, Form(), focus=True),
        tag("h1", "One query, many scholarly databases"),
        tag("p", notice, class_="notice") if notice else None,
        tag(
            "p",
            "The databases are asked at once. What several of them have is shown once, "
            "and every hit says where it came from.",
        ),
        tag(
            "p",
            "For example: ",
            [
                [tag("a", it, href=site.path("/search", q=it, format="html")), " "]
                for it in examples
            ],
            class_="examples",
        )
        if examples
        else None,
        tag("h2", "Databases"),
        _source_list([it for it in sources if it.default]),
        tag(
            "p",
            tag(
                "a",
                "All databases, their limits and state",
                href=site.path("/sources", format="html"),
            ),
        ),
    )


def sources_page(site: Site, sources: Sequence[SourceView]) -> str:
    """All sources with limits, keys and state."""
    rows = [
        tag(
            "tr",
            tag("th", _homepage(it), tag("code", it.name), scope="row"),
            tag("td", "yes" if it.default else "no"),
            tag("td", tag("span", it.status, class_=f"status {_css_class(it.status)}"), _pause(it)),
            tag(
                "td",
                f"{it.spec.limits.requests:g} requests in {it.spec.limits.per:g} s"
                if it.spec
                else "unknown",
            ),
            tag(
                "td",
                [_key(key.env, required=key.required, is_set=key.set) for key in it.keys] or "none",
            ),
        )
        for it in sources
    ]
    heads = [
        tag("th", text, scope="col") for text in ("Database", "Usual", "State", "Limit", "Key")
    ]
    table = tag("table", tag("thead", tag("tr", heads)), tag("tbody", rows))
    return frame(
        site,
        "Databases",
        search_form(site, sources, Form()),
        tag("h1", "Databases"),
        tag("div", table, class_="wide", role="region", aria_label="Databases", tabindex=0),
    )


def error_page(site: Site, problem: Problem, form: Content = None) -> str:
    """An error as a page, with what can be done about it."""
    suggestion, advice = problem.members.get("suggestion"), problem.members.get("advice")
    allowed = problem.members.get("allowed", [])
    return frame(
        site,
        problem.title,
        form,
        tag("h1", problem.title),
        tag("p", problem.detail or f"Error {problem.status}.", class_="problem", role="alert"),
        _marked_query(problem) if problem.kind == "query-syntax" else None,
        tag(
            "p",
            "Did you mean ",
            tag("a", suggestion, href=site.path("/search", q=suggestion, format="html")),
            "?",
        )
        if suggestion
        else None,
        tag("p", advice) if advice else None,
        tag("ul", [tag("li", tag("code", it["format"]), " ", it["media_type"]) for it in allowed])
        if allowed
        else None,
        tag("p", tag("a", "To the start page", href=site.path("/"))),
        metas={"robots": "noindex, nofollow"},
    )


def _marked_query(problem: Problem) -> Markup:
    """The query with the offending characters marked."""
    text, at, length = (problem.members[name] for name in ("query", "position", "length"))
    return tag(
        "pre",
        text[:at],
        tag("mark", text[at : at + length] or " "),
        text[at + length :],
        class_="query",
    )


def _source_list(sources: Sequence[SourceView]) -> Markup:
    return tag(
        "ul",
        [
            tag(
                "li",
                _homepage(it),
                tag("span", it.spec.coverage, class_="dim")
                if it.spec and it.spec.coverage
                else None,
            )
            for it in sources
        ],
        class_="sources",
    )


def _homepage(it: SourceView) -> Markup:
    address = web_url(it.spec.homepage) if it.spec else None
    return tag("a", it.label, href=address) if address else tag("span", it.label)


def _pause(it: SourceView) -> Content:
    return f" for {it.state.until:.0f} s" if it.state.until else None


def _key(env: str, *, required: bool, is_set: bool) -> Markup:
    need = "needed" if required else "optional"
    return tag("div", tag("code", env), f" {need}, {'set' if is_set else 'not set'}")


def _logo(site: Site) -> Markup:
    return tag("img", src=site.path("/static/icon.png"), alt="", width=28, height=28)


def _css_class(status: str) -> str:
    return "good" if status in ("ok", "half-open") else "off" if status == "disabled" else "bad"
