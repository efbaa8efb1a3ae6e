"""What is sent and what is filtered afterwards, together, are what was asked: tried on toy
databases, query by query.

Each toy database reads what it is sent by its own grammar, and knows nothing of how queries are
written here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import assume, event, example, given
from hypothesis import strategies as st

from metasearch.adapters.spec import AdapterSpec, Dialect, YearsTemplate
from metasearch.adapters.specs.specfile import build
from metasearch.adapters.translate.capability import Capability
from metasearch.adapters.translate.plan import Plan, plan
from metasearch.adapters.translate.translate import Translator
from metasearch.errors import CannotAsk
from metasearch.query import And, Not, Or, Query, Term, Years, conjunction, matches, parse
from metasearch.query.tree import searches
from metasearch.record import Record
from tests import cases
from tests.cases import sample
from tests.examples import examples

TYPES = {"article": ["paper", "case"], "review": "review", "thesis": "thesis"}
LANGUAGES = {"en": "eng", "zh": ["chi", "zho"]}


def spec(request: dict[str, Any] | None = None, **query: Any) -> AdapterSpec:
    return build(
        {
            "name": "toy",
            "request": {"url": "https://a.example", "params": request or {"q": "{query}"}},
            "query": query,
            "parse": {"body": "json", "records": "items"},
            "fields": {"title": "title"},
        },
        "toy.toml",
    )


def test_the_work_grows_with_the_query(monkeypatch: pytest.MonkeyPatch) -> None:
    """NOT within NOT, twenty deep: each part is looked at once, and not once for every way that
    leads to it."""
    looked_at: list[Query] = []
    widen = Capability._widen_anew
    monkeypatch.setattr(
        Capability, "_widen_anew", lambda self, query: looked_at.append(query) or widen(self, query)
    )
    text = "x"
    for number in range(19):
        text = f"w{number} NOT ({text})"
    lucene = spec(
        style="expression",
        conjunction=" AND ",
        negation=" NOT {x}",
        group="({x})",
        fields={"any": "{x}"},
    )

    assert plan(parse(text), lucene, 20, {}).sent.count(" NOT ") == 19
    assert len(looked_at) == len(set(looked_at)) < 100


@cases.each(
    ("text", "sent", "filtered"),
    [
        ("a1 b2 c3 d4 e5 f6 g7 h8 i9 j10 k11", "a1 b2 c3 d4 e5 f6 g7 h8 i9 j10 k11", False),
        (" AND ".join("abcdefghijkl"), "a b c d e f g h i j k l", False),
        ('a AND "b c" AND d NOT e', '(a d) AND "b c" AND NOT e', False),
        ("(a AND b AND title:c) OR d", "((a b) AND t:c) OR d", False),
        ("title:(a b c)", "t:a AND t:b AND t:c", False),
        ("title:(a b c d e f g h i j)", "a b c d e f g h i j", True),
    ],
)
def test_no_long_chain_of_operators(text: str, sent: str, filtered: bool) -> None:
    """Plain words stand side by side; those of one field are looked for everywhere where they are
    many, and the records are filtered."""
    planned = plan(parse(text), BESIDE, 20, {})

    assert planned.sent == sent
    assert (planned.residual is not None) is filtered


# --------------------------------------------------------------------------- toy databases


def tokens(text: str) -> list[str]:
    return re.findall(r"[^\W_]+[+#]*", text.lower())


def texts(record: Record, field: str) -> list[str]:
    own = {"t": [record.title], "v": [record.venue or ""], "k": list(record.keywords)}
    return own[field] if field else [*own["t"], *own["v"], *own["k"], record.abstract or ""]


def occurs(record: Record, field: str, text: str, *, star: bool = False) -> bool:
    """Whether the words follow one another in a text of the field; with a star, the last one may go
    on."""
    wanted = tokens(text)

    def at(have: list[str]) -> bool:
        same = all(
            want in (word, word.rstrip("+#")) for want, word in zip(wanted, have, strict=False)
        )
        return same or (
            star
            and have[: len(wanted) - 1] == wanted[:-1]
            and have[len(wanted) - 1].startswith(wanted[-1])
        )

    lists = [tokens(it) for it in texts(record, field)]
    return any(at(have[n:]) for have in lists for n in range(len(have) - len(wanted) + 1))


def one_of(word: str, own: str | None, table: dict[str, Any]) -> bool:
    words = table.get(own or "", [])
    return word in ([words] if isinstance(words, str) else words)


def clause(record: Record, field: str, text: str, *, star: bool) -> bool:
    if field == "pt":
        return one_of(text, record.type, TYPES)
    if field == "la":
        return one_of(text, record.language, LANGUAGES)
    if field == "doi":
        return text == record.doi
    return occurs(record, field, text, star=star)


LUCENE = spec(
    style="expression",
    fields={
        "any": "{x}",
        "title": "t:{x}",
        "venue": "v:{x}",
        "subject": "k:{x}",
        "doi": 'doi:"{x}"',
        "type": "pt:{x}",
        "language": "la:{x}",
    },
    conjunction=" AND ",
    disjunction=" OR ",
    negation=" AND NOT {x}",
    phrase='"{x}"',
    escape='\\+-&|!(){}[]^"~*?:/',
    truncated="{x}*",
    truncated_least=3,
    types=TYPES,
    languages=LANGUAGES,
    years={
        "both": "y:[{first} TO {last}]",
        "since": "y:[{first} TO 9999]",
        "until": "y:[0 TO {last}]",
    },
)
_PIECE = re.compile(
    r"\s*(?:(?P<sign>\(|\)|AND NOT\b|AND\b|OR\b)|(?:(?P<field>[a-z]+):)?"
    r'(?:"(?P<phrase>(?:\\.|[^"\\])*)"|\[(?P<first>\d+) TO '
    r'(?P<last>\d+)\]|(?P<word>(?:\\.|[^\s()"\\:])+)))'
)


class Lucene:
    """AND, OR, AND NOT, brackets, phrases, fields, ranges, stars."""

    def __init__(self, sent: str, record: Record) -> None:
        self.pieces = list(self.cut(sent))
        self.record = record

    @staticmethod
    def cut(sent: str) -> Iterator[re.Match[str]]:
        at = 0
        while at < len(sent):
            piece = _PIECE.match(sent, at)
            assert piece, f"a syntax error at {sent[at:]!r}"
            yield piece
            at = piece.end()

    def finds(self) -> bool:
        found = self.alternatives()
        assert not self.pieces, "something is left over"
        return found

    def sign(self, *signs: str) -> str | None:
        if self.pieces and self.pieces[0]["sign"] in signs:
            return self.pieces.pop(0)["sign"]
        return None

    def alternatives(self) -> bool:
        found = self.parts()
        while self.sign("OR"):
            found |= self.parts()
        return found

    def parts(self) -> bool:
        found = self.atom()
        while sign := self.sign("AND", "AND NOT"):
            found &= self.atom() == (sign == "AND")
        return found

    def atom(self) -> bool:
        if self.sign("("):
            found = self.alternatives()
            assert self.sign(")"), "a bracket is not closed"
            return found
        piece = self.pieces.pop(0)
        assert piece["sign"] is None, f"{piece['sign']} has nothing before it"
        if piece["first"]:
            return int(piece["first"]) <= (self.record.year or 0) <= int(piece["last"])
        text = piece["phrase"] if piece["phrase"] is not None else piece["word"]
        star = bool(piece["word"]) and text.endswith("*") and not text.endswith("\\*")
        plain = re.sub(r"\\(.)", r"\1", text.removesuffix("*") if star else text)
        return clause(self.record, piece["field"] or "", plain, star=star)


#: As Lucene, but plain words stand side by side, all of which must occur.
BESIDE = replace(LUCENE, query=replace(LUCENE.query, plain=" ", scored=False))


class Beside(Lucene):
    """What stands side by side must hold, as with AND."""

    def parts(self) -> bool:
        found = super().parts()
        while self.pieces and self.pieces[0]["sign"] in (None, "("):
            found &= super().parts()
        return found


#: One word after the other; a bar between words is OR and binds tighter; neither NOT nor phrases,
#: brackets nor stars.
BARS = spec(
    style="expression",
    fields={"any": "{x}", "type": "pt:{x}"},
    conjunction=" ",
    disjunction="|",
    group="",
    strip='|:"()-+',
    types={"review": "review", "thesis": "thesis"},
    years={"only": "y:{first}"},
)
#: The same without OR.
WORDS = spec(
    style="expression", fields={"any": "{x}", "title": "t:{x}"}, conjunction=" ", strip=':"()-'
)
#: All words must occur, field by field; one type at most.
PARAMETERS = spec(
    {"q": "{any}", "t": "{title}", "pt": "{type}", "la": "{language}", "y": "{years}"},
    style="params",
    scored=False,
    strip='"-',
    types={"review": "review", "thesis": "thesis"},
    languages=LANGUAGES,
    either={"language": "|"},
    years_in="params",
    years={"both": "{first}-{last}", "only": "{first}-{first}"},
)


def bars(sent: str, record: Record) -> bool:
    def word(text: str) -> bool:
        field, _, value = text.rpartition(":")
        if field == "y":
            return int(value) == record.year
        return clause(record, field, value, star=False)

    return all(any(word(each) for each in side.split("|")) for side in sent.split())


def parameters(sent: str, record: Record) -> bool:
    years = re.search(r"(?:^| )\[?(\d+)-(\d+)\]?$", sent)
    if years:
        sent = sent[: years.start()]
        if not int(years[1]) <= (record.year or 0) <= int(years[2]):
            return False
    for each in filter(None, sent.split("; ")):
        name, _, value = each.partition(": ")
        field = {"any": "", "title": "t", "type": "pt", "language": "la"}[name]
        words = [value.split("|")] if field in ("pt", "la") else [[word] for word in value.split()]
        if not all(
            any(clause(record, field, it, star=False) for it in alternatives)
            for alternatives in words
        ):
            return False
    return True


YEARS_IN_PARAMS = Dialect(
    style="params",
    years_in="params",
    years=YearsTemplate(both="{first}-{last}"),
    fields={"any": ""},
)

TOYS: dict[str, tuple[AdapterSpec, Callable[[str, Record], bool]]] = {
    "lucene": (LUCENE, lambda sent, record: Lucene(sent, record).finds()),
    "beside": (BESIDE, lambda sent, record: Beside(sent, record).finds()),
    "bars": (BARS, bars),
    "words": (WORDS, bars),
    "parameters": (PARAMETERS, parameters),
}


# --------------------------------------------------------------------------- queries and records

WORD = st.sampled_from(
    [
        "gene",
        "genes",
        "genetic",
        "drive",
        "or",
        "OR",
        "c++",
        "c",
        "covid-19",
        "covid",
        "19",
        "a/b",
        "x:y",
    ]
)
TEXT = st.lists(WORD, min_size=1, max_size=4).map(" ".join)
DOI = st.sampled_from(["10.1000/a", "10.1000/b(1)"])
FIELD = st.sampled_from(["any", "any", "title", "venue", "subject", "abstract"])
LEAF: st.SearchStrategy[Query] = st.one_of(
    st.builds(Term, st.lists(WORD, min_size=1, max_size=2).map(" ".join), FIELD, st.booleans()),
    st.builds(
        lambda stem, field: Term(stem, field, truncated=True),
        st.sampled_from(["ge", "gene", "covid-1", "dr"]),
        FIELD,
    ),
    st.builds(
        lambda text, field: Term(text, field, phrase=True, truncated=True),
        st.sampled_from(["gene dr", "drive ge", "c gene"]),
        FIELD,
    ),
    st.builds(Term, st.sampled_from(["article", "review", "thesis", "map"]), st.just("type")),
    st.builds(Term, st.sampled_from(["en", "zh", "de"]), st.just("language")),
    st.builds(Term, DOI, st.just("doi")),
    st.sampled_from([Years(2019, 2021), Years(2020, 2020), Years(2020, None), Years(None, 2019)]),
)


def either(parts: list[Query]) -> Query:
    flat = tuple(
        dict.fromkeys(
            i for part in parts for i in (part.parts if isinstance(part, Or) else (part,))
        )
    )
    return Or(flat) if len(flat) > 1 else flat[0]


QUERIES = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: conjunction(*parts)),
        st.lists(inner, min_size=2, max_size=3).map(either),
        inner.map(lambda part: part.part if isinstance(part, Not) else Not(part)),
    ),
    max_leaves=8,
).filter(searches)
RECORDS = st.builds(
    Record,
    source=st.just("toy"),
    title=TEXT,
    venue=TEXT,
    abstract=TEXT,
    keywords=st.lists(TEXT, min_size=1, max_size=2).map(tuple),
    year=st.sampled_from([2018, 2019, 2020, 2021, 2022]),
    type=st.sampled_from(["article", "review", "thesis", "map"]),
    language=st.sampled_from(["en", "zh", "de"]),
    doi=DOI,
)
#: What a note says where less is asked for than was meant; where more is found than was meant, and
#: nothing is filtered.
LESS = ("only the first", "is looked for")
MORE = ("sent as words", "is not applied", "is left out")


def asked(query: Query, toy: AdapterSpec) -> Plan:
    try:
        return plan(query, toy)
    except CannotAsk:
        assume(False)
        raise


def told(planned: Plan, signs: tuple[str, ...]) -> bool:
    return any(sign in note for note in planned.notes for sign in signs)


@cases.each(
    ("text", "sent"),
    [
        ("gene year:2019-2021 year:2020", "2020-2020"),
        ("gene year:2019- year:-2021", "2019-2021"),
        ("gene year:2019-2020 year:2020-2021 year:2018-", "2020-2020"),
    ],
)
def test_several_ranges_of_years_are_one_parameter(text: str, sent: str) -> None:
    """A parameter takes one range: the years in which all ranges hold."""
    values = Translator("toy", YEARS_IN_PARAMS, frozenset({"any"})).write(parse(text))

    assert values["years"] == sent


def test_years_that_exclude_one_another_are_filtered_here() -> None:
    """One range is sent, the other one is applied to the records."""
    translator = Translator("toy", YEARS_IN_PARAMS, frozenset({"any"}))
    values = translator.write(parse("gene year:2019 year:2021"))

    assert values["years"] == "2019-2019"
    assert translator.losses.clauses == [Years(2021, 2021)]


@pytest.mark.parametrize("name", sample(TOYS, 3))
@examples(1)
@example(query=parse("gene OR c++"), record=Record(source="toy", title="gene"))
@example(
    query=parse("gene NOT c++ type:article"), record=Record(source="toy", title="gene c", year=2020)
)
@given(query=QUERIES, record=RECORDS)
def test_no_record_that_matches_is_lost(name: str, query: Query, record: Record) -> None:
    """Where the notes do not say that less is asked for, what is meant is found, and stands the
    filter."""
    toy, finds = TOYS[name]
    planned = asked(query, toy)
    if told(planned, LESS) or matches(query, record) is not True:
        return

    event("a record that matches")
    assert finds(planned.sent, record), (planned.sent, planned.notes)
    assert planned.residual is None or matches(planned.residual, record) is not False


@pytest.mark.parametrize("name", sample(TOYS, 3))
@examples(1)
@given(query=QUERIES, record=RECORDS)
def test_no_record_is_found_that_does_not_match(name: str, query: Query, record: Record) -> None:
    """Where the notes do not say that more is found, what is found and stands the filter is
    meant."""
    toy, finds = TOYS[name]
    planned = asked(query, toy)
    broken = bool(toy.query.strip) and re.search(
        r"\w[-:/]\w", repr(query)
    )  # its parts are looked for, wherever they stand
    if told(planned, MORE) or broken or not finds(planned.sent, record):
        return

    event("a record that is found")
    if planned.residual is None or matches(planned.residual, record) is not False:
        assert matches(query, record) is not False, (planned.sent, planned.notes)


@pytest.mark.parametrize("name", TOYS)
@examples(0.4)
@given(query=QUERIES)
def test_what_is_filtered_is_told(name: str, query: Query) -> None:
    """Each clause that is applied here has a note."""
    planned = asked(query, TOYS[name][0])
    parts = planned.residual.parts if isinstance(planned.residual, And) else (planned.residual,)

    if planned.residual is not None:
        assert (
            len([note for note in planned.notes if "is applied here" in note])
            >= len(set(parts)) - 1
            >= 0
        )


# --------------------------------------------------------------------------- beginnings of words

WHOLE_WORDS = spec(
    style="expression",
    fields={"any": "{x}"},
    conjunction=" AND ",
    disjunction=" OR ",
    negation=" NOT {x}",
    phrase='"{x}"',
)
GAMBLING = "gambling OR gamble OR gambled OR gambler OR gamblers OR gambles"


@cases.each(
    ("text", "sent"),
    [
        ("gambl* OR betting", f"{GAMBLING} OR betting"),
        ("gambl* youth", f"({GAMBLING}) AND youth"),
        ('"problem gambl*"', " OR ".join(f'"problem {word}"' for word in GAMBLING.split(" OR "))),
        ("中国* OR youth", "中国 OR youth"),
    ],
)
def test_a_beginning_becomes_the_usual_words(text: str, sent: str) -> None:
    """Never the beginning itself; a phrase stays one; the words are told, and nothing is
    filtered."""
    planned = plan(parse(text), WHOLE_WORDS)

    assert planned.sent == sent
    assert planned.residual is None
    assert len(planned.notes) == 1
    assert "is looked for as" in planned.notes[0]
    assert "other words that begin so are not found" in planned.notes[0]


@cases.each(
    ("text", "sent"),
    [
        ("youth NOT gambl*", "youth"),
        ("youth covid-1*", "youth"),
        ("youth ga*", "youth"),
    ],
)
def test_what_no_words_stand_for_is_filtered(text: str, sent: str) -> None:
    """Less would be excluded, or hardly anything found, by some of the words."""
    planned = plan(parse(text), WHOLE_WORDS)

    assert planned.sent == sent
    assert planned.residual is not None
    assert "is applied here to the records" in planned.notes[0]


def test_without_or_only_the_most_usual_word_is_looked_for() -> None:
    """And the note says so."""
    planned = plan(parse("gambl*"), WORDS)

    assert planned.sent == "gambling"
    assert "of gambl* only gambling is looked for" in planned.notes[0]


def test_many_beginnings_have_few_notes() -> None:
    """Four are named, the others counted or told together."""
    text = " ".join(
        f"{stem}*" for stem in ("gambl", "addict", "depress", "educat", "child", "nurs")
    )
    scored = spec({"q": "{any}"}, style="params")

    assert len(plan(parse(text), WHOLE_WORDS).notes) == 5
    assert len(plan(parse(text), scored).notes) == 5
    assert plan(parse(text), scored).sent.startswith("any: gambling addiction")


def test_a_phrase_with_a_beginning_is_written_where_the_database_can() -> None:
    """By a template of its own."""
    able = replace(WHOLE_WORDS, query=replace(WHOLE_WORDS.query, phrase_truncated='"{x}*"'))

    assert plan(parse('"slot machine*" youth'), able).sent == '"slot machine*" AND youth'
    assert plan(parse('"slot machine*" youth'), able).notes == ()


def test_fewer_words_are_taken_where_the_address_would_be_too_long() -> None:
    """Rather than refusing all; the notes name those that are left."""
    stems = ["gambl", "addict", "depress", "educat", "evaluat", "child", "psych", "therap"]
    text = " OR ".join(f"{stem}*" for stem in stems)
    short = replace(WHOLE_WORDS, request=replace(WHOLE_WORDS.request, longest=700))
    planned = plan(parse(text), short)

    assert len(planned.sent) < len(plan(parse(text), WHOLE_WORDS).sent)
    assert all(stem in planned.sent for stem in stems)
    assert "and other words that begin so are not found" in planned.notes[0]
    assert "4 more are looked for" in planned.notes[-1]
    with pytest.raises(CannotAsk):
        plan(
            parse(text),
            replace(short, request=replace(short.request, longest=100)),
        )
