"""COinS spans."""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import parse_qsl

from hypothesis import given

from metasearch.record import TYPES, Author, Hit
from metasearch.server.pages.hit import hit_view
from metasearch.server.pages.metadata import Resolver, context_object
from tests.cases import each
from tests.server.fake import hit, record
from tests.server.pages.test_environment import Skeleton, hostile, rendered

BASE = "https://search.example.org/meta"


def pairs(work: Hit) -> list[tuple[str, str]]:
    """What a reference manager reads out of the span."""
    span = '{% from "_hit.html" import article %}{{ article(hit) }}'
    article = Skeleton(rendered(span, hit=hit_view(work, {}, BASE)))
    (title,) = [value for name, value in article.attributes if name == "title"]
    assert title is not None
    return parse_qsl(title, keep_blank_values=True, strict_parsing=True)


def described(**fields) -> dict[str, list[str]]:
    """Key -> its values for a hit with these fields."""
    it = record(**fields)
    found: dict[str, list[str]] = {}
    for key, value in pairs(replace(hit(), record=it)):
        found.setdefault(key, []).append(value)
    return found


GOLDEN = {
    "article": (
        "ctx_ver=Z39.88-2004&rft_val_fmt=info:ofi/fmt:kev:mtx:journal"
        "&rfr_id=info:sid/search.example.org:metasearch&rft.genre=article"
        "&rft.atitle=Gene drives in island mice&rft.jtitle=Journal of Islands"
        "&rft.au=Byron, Ada&rft.au=Li, Bo&rft.date=2021-03&rft.volume=12&rft.issue=3"
        "&rft.spage=101&rft.epage=110&rft.language=en&rft.description=Mice were counted twice."
        "&rft.subject=mice&rft.issn=8765-4321&rft.issn=1234-5678"
        "&rft_id=https://alpha.example.org/1&rft_id=info:doi/10.5555/islands.1&rft_id=info:pmid/123"
    ),
    "preprint": (
        "ctx_ver=Z39.88-2004&rft_val_fmt=info:ofi/fmt:kev:mtx:dc"
        "&rfr_id=info:sid/search.example.org:metasearch&rft.type=preprint"
        "&rft.title=Gene drives in island mice&rft.source=Journal of Islands"
        "&rft.au=Byron, Ada&rft.au=Li, Bo&rft.date=2021-03&rft.volume=12&rft.issue=3"
        "&rft.spage=101&rft.epage=110&rft.publisher=Journal of Islands&rft.language=en"
        "&rft.description=Mice were counted twice.&rft.subject=mice&rft.issn=8765-4321"
        "&rft.issn=1234-5678&rft.identifier=https://alpha.example.org/1"
        "&rft_id=info:doi/10.5555/islands.1&rft_id=info:pmid/123"
    ),
    "conference-paper": (
        "ctx_ver=Z39.88-2004&rft_val_fmt=info:ofi/fmt:kev:mtx:book"
        "&rfr_id=info:sid/search.example.org:metasearch&rft.genre=proceeding"
        "&rft.atitle=Gene drives in island mice&rft.btitle=Journal of Islands"
        "&rft.au=Byron, Ada&rft.au=Li, Bo&rft.date=2021-03&rft.volume=12&rft.issue=3"
        "&rft.spage=101&rft.epage=110&rft.language=en&rft.issn=8765-4321&rft.issn=1234-5678"
        "&rft_id=https://alpha.example.org/1&rft_id=info:doi/10.5555/islands.1&rft_id=info:pmid/123"
    ),
    "patent": (
        "ctx_ver=Z39.88-2004&rft_val_fmt=info:ofi/fmt:kev:mtx:patent"
        "&rfr_id=info:sid/search.example.org:metasearch&rft.title=Gene drives in island mice"
        "&rft.inventor=Byron, Ada&rft.inventor=Li, Bo&rft.date=2021-03&rft.volume=12&rft.issue=3"
        "&rft.spage=101&rft.epage=110&rft.number=CN101A&rft.language=en&rft.issn=8765-4321"
        "&rft.issn=1234-5678&rft_id=https://alpha.example.org/1&rft_id=info:doi/10.5555/islands.1"
        "&rft_id=info:pmid/123"
    ),
}


@each("kind", GOLDEN)
def test_keys_and_values(kind):
    """These keys, in this order; of several ISSNs the first comes last, as Zotero takes that."""
    ids = {"pmid": "123", "arxiv": "2101.1"} | ({"patent": "CN101A"} if kind == "patent" else {})
    work = record(
        type=kind,
        ids=ids,
        issn=("1234-5678", "8765-4321"),
        date="2021-03",
        language="en",
        keywords=("mice",),
    )

    assert GOLDEN[kind] == "&".join(
        f"{key}={value}" for key, value in pairs(replace(hit(), record=work))
    )


@each("type_", [*TYPES, None])
def test_every_type_has_a_title_where_zotero_looks_for_it(type_):
    """Zotero makes an item of its own type, and looks nothing up for want of a title."""
    found = described(type=type_, venue=None, volume=None, issue=None, issn=())
    (format_,) = found["rft_val_fmt"]
    genre = found.get("rft.genre")
    keys = {
        "info:ofi/fmt:kev:mtx:journal": "rft.atitle",
        "info:ofi/fmt:kev:mtx:book": "rft.atitle"
        if genre in (["bookitem"], ["proceeding"])
        else "rft.btitle",
    }

    assert found[keys.get(format_, "rft.title")] == ["Gene drives in island mice"]
    assert ("rft.type" in found) == format_.endswith(":dc")


@each(
    ("type_", "fmt", "genre"),
    [
        ("book", "book", "book"),
        ("proceedings", "book", "book"),
        ("chapter", "book", "bookitem"),
        ("report", "book", "report"),
        ("thesis", "dissertation", None),
        ("review", "journal", "article"),
        ("dataset", "dc", "dataset"),
        ("software", "dc", "computerProgram"),
        ("standard", "dc", "standard"),
        ("journal", "dc", "document"),
        ("other", "dc", "document"),
        (None, "journal", "article"),
    ],
)
def test_kinds(type_, fmt, genre):
    """Each type of work has its format, and its genre or the type of Zotero."""
    found = described(type=type_)

    assert [f"info:ofi/fmt:kev:mtx:{fmt}"] == found["rft_val_fmt"]
    assert genre == (found.get("rft.type" if fmt == "dc" else "rft.genre") or [None])[0]


def test_who_published_it():
    """A thesis has its university, a report its institution, a preprint its server."""
    bodies = {"institution": "Isle University", "publisher": "Isle Press"}

    assert described(type="thesis", **bodies)["rft.inst"] == ["Isle University"]
    assert described(type="report", **bodies)["rft.pub"] == ["Isle University"]
    assert described(type="book", **bodies)["rft.pub"] == ["Isle Press"]
    assert described(type="preprint", venue="arXiv")["rft.publisher"] == ["arXiv"]


def test_names():
    """Family and given name are parted by a comma; a body ends in one, a whole name has none."""
    authors = (
        Author("Ludwig van Beethoven", "van Beethoven", "Ludwig"),
        Author("World Health Organization", collective=True),
        Author("王小明", "王", "小明"),
        Author("李四"),
    )

    assert described(authors=authors)["rft.au"] == [
        "van Beethoven, Ludwig",
        "World Health Organization,",
        "王, 小明",
        "李四",
    ]


def test_no_plus_is_lost():
    """Zotero reads "+" and "%2B" as blanks: text has a full-width one, addresses an escape."""
    it = record(title="C++", doi="10.5555/a+b", url="https://a.example.org/x+y?q=1+2")
    written = context_object(replace(hit(), record=it), BASE)

    assert "+" not in written
    assert "%2B" not in written.replace("%252B", "").upper()
    found = dict(parse_qsl(written))
    assert found["rft.atitle"] == "C＋＋"
    assert [value for key, value in parse_qsl(written) if key == "rft_id"] == [
        "https://a.example.org/x%2By?q=1%202",
        "https://doi.org/10.5555/a%2Bb",
    ]


def test_a_long_abstract_is_cut():
    """A list has many spans."""
    (text,) = described(abstract="乳" * 5_000)["rft.description"]

    assert len(text) == 1_501
    assert text.endswith("…")


def test_a_link_to_a_resolver():
    """It has the keys of the span, a plus as it is, and the first author in parts."""
    it = record(title="C++ in labs", ids={"pmid": "1"}, keywords=("labs",))
    address = Resolver("https://resolver.example.org/x", "Find").link(
        replace(hit(), record=it), BASE
    )
    start, _, query = address.partition("?")
    found = parse_qsl(query, strict_parsing=True)

    assert start == "https://resolver.example.org/x"
    assert found[:2] == [
        ("url_ver", "Z39.88-2004"),
        ("url_ctx_fmt", "info:ofi/fmt:kev:mtx:ctx"),
    ]
    assert ("rft.atitle", "C++ in labs") in found
    assert ("rft.aulast", "Byron") in found
    assert ("rft.aufirst", "Ada") in found
    assert ("rft_id", "info:doi/10.5555/islands.1") in found
    assert not {"rft.description", "rft.subject"} & {key for key, _ in found}


@each(
    ("base", "start"),
    [
        ("https://r.example.org/x", "https://r.example.org/x?url_ver="),
        ("https://r.example.org/x?", "https://r.example.org/x?url_ver="),
        ("https://r.example.org/x?a=b", "https://r.example.org/x?a=b&url_ver="),
        ("https://r.example.org/x?a=b&", "https://r.example.org/x?a=b&url_ver="),
    ],
)
def test_a_resolver_with_parameters_of_its_own(base, start):
    """They stay."""
    assert Resolver(base, "Find").link(hit(), BASE).startswith(start)


def test_a_link_is_short():
    """A thousand authors and long texts do not make an address that no server takes."""
    it = record(
        title="t" * 5_000,
        authors=tuple(Author(f"A {n}", f"Family{n}", "A") for n in range(1_000)),
        url="https://a.example.org/" + "x" * 5_000,
        isbn=("9" * 400,),
    )
    address = Resolver("https://r.example.org/", "Find").link(replace(hit(), record=it), BASE)

    assert len(address) < 1_500
    assert address.count("rft.au=") == 5
    assert "xxx" not in address
    assert "rft.isbn" not in address


def test_empty_keys_are_left_out():
    """What is not known is not mentioned."""
    found = described(
        authors=(),
        year=None,
        venue=None,
        volume=None,
        issue=None,
        pages=None,
        doi=None,
        ids={},
        url=None,
        abstract=None,
    )

    assert {"ctx_ver", "rft_val_fmt", "rfr_id", "rft.genre", "rft.atitle"} == set(found)


def test_blanks_and_other_scripts_are_percent_encoded():
    """Values are UTF-8, blanks are %20."""
    written = context_object(replace(hit(), record=record(title="乳腺癌 & more")), BASE)

    assert "rft.atitle=%E4%B9%B3%E8%85%BA%E7%99%8C%20%26%20more" in written


@given(hostile)
def test_text_cannot_add_a_key(text):
    """Upstream text stays the value of its own key."""
    it = record(title=f"a{text}b", venue=f"a{text}b", authors=(Author(f"a{text}b"),), doi=None)
    keys = [key for key, _ in pairs(replace(hit(), record=it))]
    tame = [
        key
        for key, _ in pairs(
            replace(hit(), record=record(title="a", venue="b", authors=(Author("c"),), doi=None))
        )
    ]

    assert tame == keys
