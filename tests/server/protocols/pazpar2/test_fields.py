"""The fields of a work: their names, and that nothing in them is a tag for a browser."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from metasearch.record import Author
from metasearch.server.protocols.pazpar2.documents import fields_of, plain_text
from tests import cases
from tests.growth import MOST, growth
from tests.server.fake import FakeEngine, answer, hit, record
from tests.server.protocols.pazpar2.answers import ask, first, searched, texts

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)> <im<b>g src=x onerror=alert(1)"


@cases.each(
    ("text", "plain"),
    [
        ("Gene drives", "Gene drives"),
        ("<i>Mus</i> in H<sub>2</sub>O", "Mus in H2O"),
        ("p < 0.05 and p<0.05", "p < 0.05 and p<0.05"),
        ("a <b c", "a < b c"),
        ("<<b>script>", "< script>"),
        ("<!-- x -->y", "< !-- x -->y"),
        ("x\x00\x1b\ny", "x y"),
        (None, ""),
    ],
)
def test_plain_text(text, plain):
    """Tags go, comparisons stay."""
    assert plain_text(text) == plain


@given(st.text(alphabet="<>/!?ab \"'=-\x00"))
def test_no_text_makes_an_element(text):
    """However a page puts it into itself."""
    page = html.fragment_fromstring(f"<p>{plain_text(text)}</p>", create_parent="div")

    assert [each.tag for each in page.iter()] == ["div", "p"]


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["<", "<a", "<a ", "<!", "<<b>", ">"])
def test_time_grows_with_the_length(piece):
    """At most in proportion."""

    def work(size: int) -> Callable[[], object]:
        return partial(plain_text, piece * (size // len(piece)))

    assert growth(work, 50_000) <= MOST


def test_fields():
    """In the order of writing; the abstract only where a work is written whole, and all values of
    a repeated field."""
    full = record(
        subtitle="A count",
        publisher="Isle Press",
        language="en",
        issn=("1234-5678",),
        isbn=("9780306406157",),
        subjects=("Mice", "Islands"),
        keywords=("Mice", "counting"),
        pdf_url="https://alpha.example.org/1.pdf",
        authors=tuple(Author(f"A. N{place}", f"N{place}", "A.") for place in range(30)),
    )
    listed, whole = fields_of(full, whole=False), fields_of(full, whole=True)

    names = list(dict.fromkeys(name for name, _ in listed))
    assert names == [
        "title", "title-remainder", "title-responsibility", "author", "date", "medium",
        "journal-title", "volume-number", "issue-number", "pages-number", "publication-name",
        "language", "issn", "isbn", "doi", "electronic-url", "subject",
    ]  # fmt: skip
    assert list(dict.fromkeys(name for name, _ in whole)) == [*names, "description", "abstract"]
    values = dict(listed)
    assert values["title-responsibility"].startswith("A. N0; A. N1; ")
    assert values["title-responsibility"].endswith("; A. N9; et al.")
    assert [value for name, value in whole if name == "subject"] == ["Mice", "Islands", "counting"]
    assert [sum(name == "author" for name, _ in each) for each in (listed, whole)] == [20, 30]
    assert sum(name == "electronic-url" for name, _ in listed) == 2


@cases.each(
    ("url", "shown"),
    [
        ("https://example.org/it's", "https://example.org/it%27s"),
        ('https://example.org/"><script>', "https://example.org/%22%3E%3Cscript%3E"),
        ("javascript:alert(1)", None),
        ("data:text/html,<script>", None),
    ],
)
def test_addresses(url, shown):
    """Only those of the web, as they can stand between quotation marks of either kind."""
    values = dict(fields_of(record(url=url), whole=False))

    assert values.get("electronic-url") == shown


async def test_hostile_records(serve):
    """Nothing that a page writes into itself is a tag, in lists, works and terms."""
    hostile = hit(
        1,
        title=HOSTILE,
        subtitle=HOSTILE,
        abstract=HOSTILE,
        authors=(Author(HOSTILE),),
        venue=HOSTILE,
        publisher=HOSTILE,
        keywords=(HOSTILE,),
        volume=HOSTILE,
        doi=None,
    )
    client = await serve(FakeEngine(answer(hostile)))
    session = await searched(client)
    show = await ask(client, "show", session=session)
    work = await ask(client, "record", session=session, id=first(show, "recid"))
    terms = await ask(client, "termlist", session=session, name="*")
    written = [each.text or "" for root in (show, work, terms) for each in root.iter()]

    assert len([text for text in written if "alert" in text]) > 10
    page = html.fragment_fromstring("".join(f"<p>{text}</p>" for text in written), "div")
    assert {each.tag for each in page.iter()} == {"div", "p"}
    assert texts(terms, "list[@name='subject']/term/name")
