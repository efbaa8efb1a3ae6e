"""The query string of a search."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from multidict import MultiDict

from metasearch.dedup import STRATEGIES
from metasearch.engine.facets import FACETS, SORTS, filter_text, parse_filters
from metasearch.query import Years
from metasearch.server.limits import Options
from metasearch.server.parameters import Parameters, read
from metasearch.server.problem import Problem
from tests.cases import each

#: Values of filters: letters, and all that stands between filters.
values = st.text('ab乳,:"- ', min_size=1, max_size=8).filter(lambda text: set(text) & set("ab乳"))


def wrong(*pairs: tuple[str, str]) -> dict[str, str]:
    """Parameter -> reason of the problem that the pairs give."""
    with pytest.raises(Problem) as raised:
        read(MultiDict(pairs), Options())
    assert (raised.value.status, raised.value.kind) == (400, "parameters")
    return {it["parameter"]: it["reason"] for it in raised.value.members["errors"]}


def test_nothing_given():
    """Everything is optional."""
    assert Parameters() == read(MultiDict(), Options())


def test_n_is_count():
    """The short name works too."""
    assert read(MultiDict(n="5"), Options()).limit == 5


def test_sources_from_commas_and_tick_boxes():
    """The list may be written with commas or repeated by a form; doubles and blanks vanish."""
    given_ = MultiDict([("sources", "b, a,"), ("sources", "c"), ("sources", "a")])

    assert read(given_, Options()).sources == ("b", "a", "c")


def test_enrichers_are_a_list_too():
    """With commas or repeated; without any, the configured ones are meant."""
    assert read(MultiDict([("enrich", "b,a"), ("enrich", "a")]), Options()).enrich == ("b", "a")
    assert read(MultiDict(enrich=" , "), Options()).enrich is None


@each(
    ("text", "expected"),
    [("2019", Years(2019, 2019)), ("2019-2024", Years(2019, 2024)), ("2019-", Years(2019, None))],
)
def test_years(text, expected):
    """Years are written as everywhere else."""
    assert expected == read(MultiDict(year=text), Options()).years


@each("text", ["0", "-1", "1001", "2.5", "ten", "1e3", "٣", "9" * 30])
@each("name", ["count", "per_source"])
def test_numbers_of_records(name, text):
    """A number of records is whole and from 1 to the server's maximum."""
    assert "is not a whole number from 1 to 1000" in wrong((name, text))[name]


@each("text", ["0", "-1", "nan", "inf", "1e9", "soon"])
def test_bad_timeout(text):
    """A deadline is a positive, ordinary number."""
    assert "is not a positive number of seconds" in wrong(("timeout", text))["timeout"]


def test_timeout_with_all_its_decimals():
    """A program writes a number as it has it."""
    assert read(MultiDict(timeout="32.69909338868728"), Options()).timeout == 32.69909338868728


def test_timeout_above_the_maximum_is_cut():
    """Asking for more than is allowed is no mistake."""
    assert read(MultiDict(timeout="600"), Options()).timeout == 60.0


@each("text", ["19", "2024-2019", "last year", "2019-20x"])
def test_bad_years(text):
    """Years that cannot be meant are told."""
    assert wrong(("year", text))["year"].startswith(repr(text))


@each("text", ["group", "separate", "merge"])
def test_versions(text):
    """What becomes of versions is one of three words."""
    assert read(MultiDict(versions=text), Options()).versions == text


@each("text", ["Group", "all", "group,merge", "\x00"])
def test_bad_versions(text):
    """Any other word is told with those that are allowed."""
    assert "is none of group, separate, merge" in wrong(("versions", text))["versions"]


@each("name", STRATEGIES)
def test_strategies(name):
    """Duplicates are found in any of the ways that there are."""
    assert read(MultiDict(dedup=name), Options()).dedup == name


@each("text", ["Default", "magic", "url,default", "\x00"])
def test_bad_strategies(text):
    """Any other name is told with those that there are."""
    assert f"is none of {', '.join(STRATEGIES)}" in wrong(("dedup", text))["dedup"]


@each("text", SORTS)
def test_sorts(text):
    """The order of the list is one of six words."""
    assert read(MultiDict(sort=text), Options()).sort == text


@each("text", ["Date", "year", "date,title", "--date", "\x00"])
def test_bad_sorts(text):
    """Any other word is refused, and the reason names all."""
    assert f"is none of {', '.join(SORTS)}" in wrong(("sort", text))["sort"]


def test_rank():
    """What relevance is: one of two words."""
    assert read(MultiDict(rank="positions"), Options()).rank == "positions"
    assert "is none of words, positions" in wrong(("rank", "bm25"))["rank"]


@each(
    "pairs",
    [
        [("filter", " type:Article , oa:yes")],
        [("filter", "oa:yes"), ("filter", ""), ("filter", "type:Article,OA:yes")],
    ],
)
def test_filters_with_commas_or_repeated(pairs):
    """They are written in one way, whatever way they were sent in."""
    assert read(MultiDict(pairs), Options()).filter == "oa:yes,type:Article"


@each(
    ("text", "reason"),
    [
        ("colour:red", "there is no filter 'colour'; filters are source, only, type,"),
        ("type:novel", "filter type: 'novel' is none of article, preprint,"),
        ("oa:gold", "filter oa: 'gold' is none of yes, no"),
        ("year:19", "filter year: Years are written with four digits, as 2020, 2019-2024"),
        ("venue:", "filter venue: there is no value behind the colon"),
        ("article", "'article' is not name:value; write for example type:article"),
        ("source:" + "a" * 5_000, "longer than 5,000 characters"),
        (",".join(f"year:{1900 + n}" for n in range(51)), "at most 50 are allowed"),
    ],
)
def test_bad_filters(text, reason):
    """The reason says what is allowed."""
    assert reason in wrong(("filter", text))["filter"]


@each(
    ("pairs", "expected"),
    [
        ([("facets", "Year, type,year")], "year,type"),
        ([("facets", "year"), ("facets", "type,,")], "year,type"),
        ([("facets", "oa,all")], ",".join(dict.fromkeys(["oa", *FACETS]))),
        ([("facets", " , ")], None),
    ],
)
def test_facets_with_commas_or_repeated(pairs, expected):
    """Each once, in the order in which they are named."""
    assert read(MultiDict(pairs), Options()).facets == expected


def test_bad_facets():
    """The reason names all, and limits say from where to where."""
    problems = wrong(("facets", "years"), ("facet_limit", "501"))

    assert f"facets are {', '.join(FACETS)}, or all" in problems["facets"]
    assert "is not a whole number from 1 to 500" in problems["facet_limit"]


@given(
    st.sampled_from([*SORTS, ""]),
    st.sampled_from(["words", "positions", ""]),
    st.lists(st.tuples(st.sampled_from(["venue", "author", "-subject", "source"]), values)),
    st.lists(st.sampled_from([*FACETS, "all"])),
    st.sampled_from(["", "1", "10", "500"]),
)
def test_links_repeat_order_filters_and_facets(sort, rank, filters, facets, limit):
    """What `pairs` writes is read as the same search, whatever the values of the filters are."""
    written = [filter_text(name, value) for name, value in filters]
    pairs = [("q", "mice"), ("sort", sort), ("rank", rank), ("facet_limit", limit)]
    pairs += [("filter", text) for text in written] + [("facets", name) for name in facets]
    parameters = read(MultiDict(pairs), Options())

    linked = parse_qsl(urlencode(parameters.pairs()), keep_blank_values=True)

    assert read(MultiDict(linked), Options()) == parameters
    assert parse_filters(parameters.filter) == parse_filters(tuple(written))


def test_repeated_parameters():
    """What can be given once may not be given twice, not even under its other name."""
    problems = wrong(
        ("q", "a"), ("q", "b"), ("count", "1"), ("n", "2"), ("year", "2019"), ("year", "2019")
    )

    assert {"q", "n", "year"} == set(problems)
    assert problems["q"] == "given 2 times; name it once"


def test_all_mistakes_are_told_at_once():
    """One answer is enough to mend the whole request."""
    assert {"count", "timeout", "year"} == set(
        wrong(("count", "x"), ("timeout", "x"), ("year", "x"))
    )


def test_too_many_enrichers():
    """Fewer may be named than sources that are searched."""
    named = ",".join(f"source{number}" for number in range(6))

    assert wrong(("enrich", named))["enrich"] == "names 6 sources; at most 5 are allowed"


def test_too_many_sources():
    """The list of sources is bounded."""
    assert "at most 100" in wrong(("sources", ",".join(map(str, range(101)))))["sources"]


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "q",
                "count",
                "n",
                "sources",
                "year",
                "timeout",
                "per_source",
                "versions",
                "dedup",
                "sort",
                "rank",
                "filter",
                "facets",
                "facet_limit",
            ]
        ),
        st.text() | st.text('type:article,-"year 2'),
    )
)
def test_any_text_is_read_or_refused(pairs):
    """No value makes anything but parameters or a 400."""
    try:
        parameters = read(MultiDict(pairs), Options())
    except Problem as problem:
        found = {it["parameter"] for it in problem.members["errors"]}
    else:
        found = set()
        assert parameters.limit is None or 1 <= parameters.limit <= 1000
        assert parameters.timeout is None or 0 < parameters.timeout <= 60

    assert found <= set(pairs)


@each("path", ["./fx.toml", "fx.toml", "/etc/passwd", "../secret", "crossref,./fx.toml", "C:\\fx"])
@each("parameter", ["sources", "enrich"])
def test_a_path_is_no_source(parameter: str, path: str):
    """A request names sources by their names; a spec file of this machine is nobody's to choose
    from outside."""
    reason = wrong((parameter, path))[parameter]

    assert "is a path" in reason


def test_rerank():
    """A flag of the search, 1 or 0, which links to other pages hold."""
    asked = read(MultiDict(rerank="1"), Options())

    assert asked.rerank is True
    assert str(asked.pairs()["rerank"]) == "1"
    assert "rerank" not in read(MultiDict(rerank="0"), Options()).pairs()
    assert "rerank" in wrong(("rerank", "yes"))
