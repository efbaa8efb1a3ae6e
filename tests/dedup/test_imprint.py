"""DOIs that name nothing, houses and imprints, editions, and bodies that publish many alike."""

from __future__ import annotations

from metasearch.dedup import DEFAULT, fingerprints
from metasearch.dedup.evidence import evidence
from metasearch.dedup.fingerprints import fingerprint
from metasearch.dedup.imprint import houses
from metasearch.dedup.people import is_body
from metasearch.dedup.weights_and_vetoes import siblings
from metasearch.record import Author
from tests.cases import each
from tests.dedup.records import record


@each(
    "doi",
    [
        "10.1007/978",
        "10.1007/978-3-540",
        "10.1016/j",
        "10.1016/j.cell",
        "10.1016/s0140",
        "10.1016/b978-0-12",
    ],
)
def test_a_doi_that_was_cut_off_names_nothing(doi: str) -> None:
    """Its first part stands on many works."""
    assert fingerprints.names_nothing(doi)


@each(
    "doi",
    [
        "10.1007/978-3-540-68279-0",
        "10.1007/bf01234567",
        "10.1016/j.cell.2005.01.001",
        "10.5555/abc",
        "10.1016/0304-4",
    ],
)
def test_a_short_doi_may_name_a_work(doi: str) -> None:
    """A whole ISBN does, and so does a word where a registrant names works by words."""
    assert not fingerprints.names_nothing(doi)


def test_dois_that_differ_in_marks_meet_and_are_not_trusted() -> None:
    """They share a key; the DOI says neither "same" nor "different"."""
    a, b = (
        fingerprint(record(s, title="T", doi=doi))
        for s, doi in (("a", "10.5555/x.1"), ("b", "10.5555/x/1"))
    )
    matcher = DEFAULT.matchers[1]

    assert set(matcher.keys(a)) == set(matcher.keys(b))
    assert matcher.compare(a, b) is None
    assert evidence(a, b).doi is None


def test_the_evidence_speaks_of_the_edition() -> None:
    """Where two ISBNs are those of one edition, the match says so."""
    book = {
        "title": "The keepers of the northern lights",
        "authors": ["Sandvik, Runa"],
        "edition": "2nd ed.",
    }
    a = fingerprint(record("a", **book, year=2014, isbn=("9780306406157",)))
    b = fingerprint(record("b", **book, isbn=("9783161484100",)))
    match = DEFAULT.judge(a, b)

    assert match is not None
    assert match.verdict == "same"
    assert "same edition" in match.because
    assert "another ISBN of the edition" in match.because


def test_siblings_of_a_person_are_judged_by_the_other_rules() -> None:
    """Only bodies publish rows of titles; and the order of arguments means nothing."""
    one, other = (
        "Fisheries of the coast: statistics for Nordland",
        "Fisheries of the coast: statistics for Rogaland",
    )
    by = {"body": ["Agency for Coastal Statistics"], "person": ["Sandvik, Runa"]}
    for kind, authors in by.items():
        a = fingerprint(record("a", title=one, authors=authors, year=2009))
        b = fingerprint(record("b", title=other, authors=authors, year=2009))
        said = [siblings(x, y, evidence(x, y)) for x, y in ((a, b), (b, a))]
        assert [bool(text) for text in said] == [kind == "body"] * 2


def test_bodies_and_houses_are_known_by_their_words() -> None:
    assert is_body(Author("Ministry of Fisheries"))
    assert is_body(Author("The Nordic Five", collective=True))
    assert is_body(Author("挪威统计局"))
    assert not is_body(Author("Anna College", "College", "Anna"))
    assert (
        houses(("clarendon", "press")) == houses(("oxford", "university", "press")) != frozenset()
    )
    assert houses(("harbour", "press")) == frozenset()
