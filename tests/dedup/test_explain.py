"""Why two records are one hit or are not: what is told is what de-duplication has done."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from metasearch.dedup import DEFAULT, OnlineDedup
from metasearch.dedup.explain import Explainer, Explanation
from metasearch.dedup.pins import Pins
from metasearch.record import VERSIONS_MODES, Record, VersionsMode
from tests.cases import each
from tests.dedup.records import ARTICLE, record, records


def explained(
    rows: list[Record], one: str, other: str, pinned: str = "", versions: VersionsMode = "group"
) -> Explanation:
    """The explanation of the first records that bear two names."""
    explainer = Explainer(DEFAULT.with_pins(Pins.read(pinned, "pins.txt")), rows, versions)
    return explainer.pair(explainer.bearers(one)[0], explainer.bearers(other)[0])


TITLE = "Sorption of phosphate on iron oxides in lakes"
PART_ONE = record("a", 1, **{**ARTICLE, "title": f"{TITLE}. Part I", "doi": "10.1000/one"})
PART_TWO = record("b", 1, **{**ARTICLE, "title": f"{TITLE}. Part II", "doi": "10.1000/two"})
BARE = record("c", 1, **{**ARTICLE, "title": TITLE, "doi": "10.1000/one"})


def test_a_pair_that_was_merged() -> None:
    """Keys, every rule, the verdict, and the one hit."""
    rows = [
        record("a", 1, doi="10.1000/one", **ARTICLE),
        record("b", 1, doi="10.1000/one", **ARTICLE),
    ]

    it = explained(rows, "a:1", "b:1")

    assert it.together
    assert it.names == ("a:1", "b:1")
    assert "doi" in {key.matcher for key in it.keys}
    assert [name for name, _ in it.rules] == [
        rule.name for rule in (*DEFAULT.matchers, *DEFAULT.vetoes)
    ]
    assert dict(it.rules)["doi"] is not None
    assert dict(it.rules)["url"] is None
    assert it.verdict is not None
    assert it.verdict.verdict == "same"
    assert it.path == it.hits[0].matches
    assert it.across == it.against == ()


def test_the_order_of_asking_does_not_matter() -> None:
    """The smaller key stands left."""
    assert explained([PART_ONE, BARE], "a:1", "c:1") == explained([BARE, PART_ONE], "c:1", "a:1")


def test_a_pair_that_others_brought_together() -> None:
    """The path names the record between."""
    rows = [
        record("a", 1, title="Phosphate sorption", doi="10.1000/one"),
        record("b", 1, title="Phosphates sorption (in German)", ids={"pmid": "77"}),
        record("c", 1, title="Phosphate sorption", doi="10.1000/one", ids={"pmid": "77"}),
    ]

    it = explained(rows, "a:1", "b:1")

    assert it.together
    assert [{match.left, match.right} for match in it.path] in (
        [{"a:1", "c:1"}, {"b:1", "c:1"}],
        [{"a:1", "b:1"}],
    )


def test_a_pair_that_is_kept_apart_by_itself() -> None:
    """The veto between the two comes first."""
    it = explained([PART_ONE, PART_TWO], "a:1", "b:1")

    assert not it.together
    assert it.path == ()
    assert dict(it.rules)["veto"] is not None
    assert it.verdict is None or it.verdict.verdict == "different"


def test_a_pair_that_is_kept_apart_by_another_record() -> None:
    """Two records alike stand apart, because one stands with a record that contradicts the
    other."""
    common = {"title": TITLE, "authors": ["Berg, Anna van der"]}
    rows = [
        record("a", 1, doi="10.1000/one", **common),
        record("b", 1, doi="10.1000/one", ids={"pmid": "7"}, **common),
        record("c", 1, ids={"pmid": "7"}, **common),
    ]

    it = explained(rows, "b:1", "c:1", "different a:1 c:1")

    assert not it.together
    assert [(match.left, match.right) for match in it.across] == [("b:1", "c:1")]
    assert [(match.left, match.right, match.matcher) for match in it.against] == [
        ("a:1", "c:1", "pin")
    ]


def test_a_pair_of_which_nobody_thinks_anything() -> None:
    """No key, no verdict, and a veto between strangers is no reason."""
    it = explained(
        [record("a", 1, **ARTICLE), record("b", 1, title="Desorption", year=1950)], "a:1", "b:1"
    )

    assert not it.together
    assert (it.keys, it.verdict, it.across, it.against) == ((), None, (), ())


def test_pins_are_told() -> None:
    """They are the first rule, and their verdict stands."""
    same = explained([PART_ONE, PART_TWO], "a:1", "b:1", "same a:1 b:1 # one book")
    different = explained([PART_ONE, BARE], "a:1", "c:1", "different a:1 c:1")

    assert same.rules[0][0] == different.rules[0][0] == "pin"
    assert same.together
    assert same.verdict is not None
    assert same.verdict.because == "pinned as the same (pins.txt line 1: one book)"
    assert "pin" in {key.matcher for key in same.keys}
    assert not different.together
    assert different.against[0].because == "pinned as different (pins.txt line 1)"


def test_versions_that_are_kept_apart() -> None:
    """It is told that nothing else parts them."""
    preprint = {
        **ARTICLE,
        "venue": "arXiv",
        "volume": None,
        "issue": None,
        "pages": None,
        "type": "preprint",
    }
    rows = [
        record("a", 1, **ARTICLE),
        record("b", 1, **preprint),
        record("c", 1, title="Another", year=1950),
    ]

    assert explained(rows, "a:1", "b:1", versions="group").together
    assert explained(rows, "a:1", "b:1", versions="separate").versions_apart
    assert not explained(rows, "a:1", "c:1", versions="separate").versions_apart


@given(records(), st.sampled_from(VERSIONS_MODES), st.data())
def test_what_is_told_is_what_was_done(
    rows: list[Record], versions: VersionsMode, data: st.DataObject
) -> None:
    """An explanation says "together" exactly where a search shows one hit, and its path holds."""
    one, other = data.draw(st.permutations(rows))[:2] if len(rows) > 1 else (rows[0], rows[0])
    if one is other:
        return
    stage = OnlineDedup(DEFAULT, versions=versions)
    for row in rows:
        stage.insert(row)
    together = any({one.key, other.key} <= {row.key for row in hit.records} for hit in stage.hits())

    it = explained(rows, one.key, other.key, versions=versions)

    assert it.together == together
    at = {it.names[0]}
    for match in it.path:
        assert len(at & {match.left, match.right}) == 1
        at = {match.left, match.right} - at
    assert at == ({it.names[1]} if together else {it.names[0]})
    if not together and it.across and it.met:
        assert it.against or it.versions_apart


# --------------------------------------------------------------------------- names


def test_bearers() -> None:
    """Every record that bears a name, by DOI, key or identifier; none for a name that nobody
    has."""
    rows = [
        record("b", 1, doi="10.1000/one"),
        record("a", 2, doi="10.1000/one", ids={"pmid": "7"}),
        record("a", 3, isbn=("9780306406157",)),
    ]
    explainer = Explainer(DEFAULT, rows)

    def found(name: str) -> list[str]:
        return [it.record_key for it in explainer.bearers(name)]

    assert found("https://doi.org/10.1000/ONE") == ["a:2", "b:1"]
    assert found("PMID:7") == ["a:2"]
    assert found("isbn:0-306-40615-2") == ["a:3"]
    assert found("b:1") == ["b:1"]
    assert found("b:2") == []


def test_the_same_key_twice() -> None:
    """A record that came twice is two records; the second can be named, too."""
    explainer = Explainer(DEFAULT, [record("a", 1, **ARTICLE), record("a", 1, **ARTICLE)])

    one, other = explainer.bearers("a:1")
    assert explainer.pair(one, other).together
    assert explainer.bearers(other.record_key) == [other]


def test_the_same_object_twice_is_one_record() -> None:
    """Nothing is gained by counting it again."""
    row = record("a", 1, **ARTICLE)

    assert len(Explainer(DEFAULT, [row, row]).bearers("a:1")) == 1


@each("name", ["10.1000/on", "10.1000/ONEE", "doi:10.1000/one"])
def test_near_misses(name: str) -> None:
    """Names that are nearly right come first, as they would have to be typed."""
    explainer = Explainer(
        DEFAULT, [record("a", 1, doi="10.1000/one", ids={"pmid": "7"}), record("b", 2)]
    )

    assert explainer.near(name)[0] == "10.1000/one"
    assert explainer.near("zzzzzzzz:yyyyyyyy") == []
