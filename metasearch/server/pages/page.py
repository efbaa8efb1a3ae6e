"""What all pages share and how a page is sent, and the pages that show no records: the start page,
errors and `/help`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web

from metasearch.errors import QuerySyntaxError
from metasearch.language import TAGS, language
from metasearch.query import SYNTAXES, ReadQuery
from metasearch.query.cnki_fields import EXPERT_FIELDS
from metasearch.query.simple_fields import FIELD_NAMES
from metasearch.server.opensearch import DESCRIPTION
from metasearch.server.opensearch import MEDIA_TYPE as OPENSEARCH_TYPE
from metasearch.server.pages.environment import N_, render
from metasearch.server.pages.hit import QUERY_FIELD_WORDS, SYNTAX_WORDS, Fault, Reading
from metasearch.server.problem import Problem
from metasearch.server.site import NAME
from metasearch.server.sources import SourceView
from metasearch.server.visit import Visit, visit_of

# A page as an answer: compressed, private, with the cookies that have changed.

#: What a page depends on beside its address.
VARY = "Accept, Accept-Language, Cookie"
#: Browsers ask again each time, and may keep a page for the way back to it.
_HEADERS = {"Vary": VARY, "Cache-Control": "private, no-cache"}


def page_response(
    request: web.Request,
    page: str | bytes | bytearray,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> web.Response:
    """A page as an answer. `headers`: further ones; they may replace `Cache-Control`."""
    response = web.Response(
        body=page.encode() if isinstance(page, str) else page,
        status=status,
        content_type="text/html",
        charset="utf-8",
        headers={**_HEADERS, **(headers or {})},
    )
    if "gzip" in request.headers.get("Accept-Encoding", ""):
        response.enable_compression(web.ContentCoding.gzip)
    visit_of(request).remember(response)
    return response


def see_other(request: web.Request, address: str) -> web.Response:
    """Sends a browser on to a local address after a form has changed something."""
    response = web.Response(status=303, headers={"Location": address, "Cache-Control": "no-store"})
    visit_of(request).remember(response)
    return response


#: No inline script and no inline style can run in a page, whatever gets into it.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
#: Examples in one language on the start page.
_MOST_EXAMPLES = 6


@dataclass(frozen=True, slots=True)
class SearchForm:
    """The contents of the search form. `hidden`: (name, value) of the other parameters of the
    search, which a new search from this form repeats.
    """

    query: str = ""
    hidden: Sequence[tuple[str, str]] = field(default=())


def page(
    template: str,
    visit: Visit,
    title: str,
    form: SearchForm | None = None,
    *,
    focus: bool = False,
    current: str = "",
    **context: Any,
) -> str:
    """A whole page from a template that extends `base.html`.

    `form`: the search form of the head, or None for a page without one. `current`: the path of the
    page in the navigation; "" where it is not in it.
    """
    return render(
        template,
        visit.language,
        visit=visit,
        site=visit.site,
        title=title,
        name=NAME,
        description=DESCRIPTION,
        opensearch_type=OPENSEARCH_TYPE,
        form=form,
        focus=focus,
        current=current,
        other_languages=[language(tag) for tag in TAGS if tag != visit.language.tag],
        **context,
    )


def start_page(
    visit: Visit, sources: Sequence[SourceView], examples: Sequence[str], notice: str = ""
) -> str:
    asked = [source for source in sources if source.default]
    return page(
        "start.html",
        visit,
        "",
        SearchForm(),
        focus=True,
        examples=_by_language(examples),
        asked=asked,
        notice=notice,
    )


def _by_language(examples: Sequence[str]) -> Mapping[str, Sequence[str]]:
    """Tag of a language -> the examples in it."""
    chinese = [text for text in examples if any("\u4e00" <= char <= "\u9fff" for char in text)]
    others = [text for text in examples if text not in chinese]
    listed = (("en", others), ("zh-Hans", chinese))
    return {tag: texts[:_MOST_EXAMPLES] for tag, texts in listed if texts}


def problem_page(visit: Visit, problem: Problem, form: SearchForm | None = None) -> str:
    """An error as a page, with what can be done about it."""
    members = problem.members
    return page(
        "problem.html",
        visit,
        visit.language.phrase(problem.title),
        form or SearchForm(),
        problem=problem,
        fault=_fault(problem) if problem.kind == "query-syntax" else None,
        advice=members.get("advice"),
        allowed=members.get("allowed", []),
    )


def _fault(problem: Problem) -> Fault:
    """The place of the mistake in a query, with what to do about it."""
    members = problem.members
    error = QuerySyntaxError(
        problem.detail,
        text=members["query"],
        position=members["position"],
        length=members["length"],
        suggestion=members["suggestion"],
        advice=members["advice"],
    )
    return Fault.of(error)


# `/help`: how queries are written, by examples that run, and how a result is read.

#: A query that finds something in the demo, too -> what it means.
EXAMPLES: Mapping[str, str] = {
    "gambling harms": N_("All words must occur, in any order. No operator is needed."),
    '"machine learning"': N_("A phrase: the words follow one another."),
    "psilocybin OR mushrooms": N_("OR: one of the words will do. Operators are in capitals."),
    "gambling NOT advertising": N_(
        "NOT leaves works out; a minus sign before a word does the same."
    ),
    "(gambling OR betting) AND harm*": N_(
        "Brackets group. A star ends the beginning of a word: harm, harms, harmful."
    ),
    "title:jazz year:1980-1995": N_(
        "The word stands in the title, and the work is of these years."
    ),
    "author:Browne gambling": N_("The name of an author, and a word anywhere."),
    "psilocybin year:2015-": N_(
        "From 2015 on; year:-2015 is until then, year:2015 that year alone."
    ),
    "jazz type:book": N_("Only books. Types are article, preprint, thesis, dataset and others."),
    "乳腺癌 language:zh": N_("Only works in Chinese; en, fr, de and other codes likewise."),
    "题名=乳腺癌": N_("The fields of CNKI by their Chinese names; TI= is the same."),
    "TI='乳腺癌'*(诊断+治疗)": N_("The expert syntax of CNKI: * is AND, + is OR, - is NOT."),
    "gambling[ti] AND harm*[tiab]": N_("The syntax of PubMed, recognised by its signs."),
}
#: Field -> what a source searches for it.
_LOOKS_IN: Mapping[str, str] = {
    "any": N_("Everything that a database searches by default; no field needs to be named."),
    "title": N_("Title and subtitle"),
    "author": N_("Names of authors"),
    "subject": N_("Keywords and subject headings"),
    "abstract": N_("Abstract"),
    "venue": N_("Journal, proceedings, book or repository"),
    "doi": N_("The identifier; a DOI needs no field."),
    "isbn": N_("The identifier"),
    "issn": N_("The identifier"),
    "pmid": N_("The number of PubMed"),
    "pmcid": N_("The number of PubMed Central; PMC1234567 needs no field."),
    "arxiv": N_("The number of arXiv, without its version"),
    "trial": N_("The number under which a trial or review is registered: NCT01234567"),
    "type": N_("What kind of work it is"),
    "language": N_("The language of the work"),
    "year": N_("Year of publication: 2020, 2015-2020, 2015-, -2020"),
}


@dataclass(frozen=True, slots=True)
class FieldHelp:
    """One field of a query.

    Attributes:
        word: Its name, to be translated.
        names: As a query of our own has them, with their colons.
        chinese: As the expert syntax of Chinese databases has them, with their signs.
        looks_in: To be translated.
    """

    word: str
    names: Sequence[str]
    chinese: Sequence[str]
    looks_in: str


def help_page(
    visit: Visit, text: str, syntax: str, found: ReadQuery | QuerySyntaxError | None
) -> str:
    """The whole page.

    `text`: what the reader wants to see read; "" for nothing. `syntax`: of the text, one of
    `SYNTAX_WORDS`. `found`: the text as it was read, or why it cannot be; None where there is none.
    """
    return page(
        "help.html",
        visit,
        visit.language.gettext("Help"),
        current="/help",
        text=text,
        syntax=syntax,
        syntaxes=SYNTAX_WORDS,
        fault=Fault.of(found) if isinstance(found, QuerySyntaxError) else None,
        reading=Reading.of(found, visit.language) if isinstance(found, ReadQuery) else None,
        examples=[(text, _language_of(text), meaning) for text, meaning in EXAMPLES.items()],
        fields=[_field_help(name) for name in QUERY_FIELD_WORDS],
        others=[
            (name, words, SYNTAXES[name].example)
            for name, words in SYNTAX_WORDS.items()
            if name not in ("auto", "simple")
        ],
    )


def _language_of(text: str) -> str:
    """The tag of a language for fonts and voices."""
    return "zh-Hans" if any("\u4e00" <= char <= "\u9fff" for char in text) else "en"


def _field_help(field: str) -> FieldHelp:
    names = [f"{name}:" for name, meant in FIELD_NAMES.items() if meant == field]
    chinese = [
        name
        for name, target in EXPERT_FIELDS.items()
        if target.fields == (field,) and not target.loss
    ]
    codes = [f"{name.upper()}=" for name in chinese if name.isascii() and len(name) > 1][:1]
    words = [f"{name}=" for name in chinese if not name.isascii()][:1]
    return FieldHelp(QUERY_FIELD_WORDS[field], names, (*words, *codes), _LOOKS_IN[field])
