"""A reference is confirmed, or differs in a field, by all that databases say of its work."""

from __future__ import annotations

from typing import Any

from metasearch.bib.normalise import has_han
from metasearch.record import Author, Record
from metasearch.references.compare import Judgement, judge
from metasearch.references.reference import Reference
from tests.cases import each


def people(names: str) -> tuple[Author, ...]:
    """Authors from "Family, Given; ..."."""
    parts = [name.partition(", ")[::2] for name in names.split("; ") if name]
    return tuple(
        Author(family + given if has_han(family) else f"{given} {family}", family, given)
        for family, given in parts
    )


WORK: dict[str, Any] = {
    "title": "Soil erosion and the grazing of dunes in northern lakes",
    "authors": people("Berg, Anna van der; Okafor, Chidi; Lindqvist, Märta; Moreau, Luc"),
    "year": 2019,
    "venue": "Journal of Soil Science",
    "doi": "10.1000/soil.7",
}
PREPRINT: dict[str, Any] = {
    **WORK,
    "venue": None,
    "doi": "10.48550/arxiv.1810.01234",
    "ids": {"arxiv": "1810.01234"},
    "type": "preprint",
    "year": 2018,
}


def record(source: str = "crossref", /, **values: Any) -> Record:
    return Record(source=source, **{**WORK, **values})


def check(
    *records: Record, all_authors: bool = True, doi_known: bool | None = None, **written: Any
) -> Judgement:
    """Judges the work, written otherwise in some fields, by records; by its own, if none."""
    reference = Reference(
        key="1", record=Record(source="refs.bib", **{**WORK, **written}), all_authors=all_authors
    )
    return judge(reference, records or (record(),), doi_known=doi_known)


def serious(judgement: Judgement) -> list[str]:
    assert judgement.serious == any(each.serious for each in judgement.differences)
    return [each.field for each in judgement.differences if each.serious]


def slight(judgement: Judgement) -> list[str]:
    return [each.field for each in judgement.differences if not each.serious]


def test_what_every_field_confirms_is_certain() -> None:
    judgement = check()
    assert (judgement.verdict, judgement.certain, judgement.serious) == ("confirmed", True, False)
    assert judgement.records == (record(),)


def test_without_a_record_of_the_work_nothing_is_said() -> None:
    other = record(title="A history of jazz in Detroit", authors=people("Ray, Sam"), doi=None)
    assert check(other).verdict == judge_nothing().verdict == ""
    assert not check(other).differences


def judge_nothing() -> Judgement:
    return judge(Reference(key="1", record=record()), (), doi_known=False)


@each(
    "title",
    [
        "SOIL EROSION AND THE GRAZING OF DUNES IN NORTHERN LAKES.",
        "<i>Soil erosion</i> &amp; the grazing of dunes in northern lakes",
        "{S}oil erosion and the grazing of dunes in northern lakes: a survey",
        "Soil-erosion and the grazing of dunes in northern lakes",
    ],
)
def test_case_markup_hyphens_and_subtitles_are_nothing(title: str) -> None:
    assert not check(title=title).differences


@each(
    ("one", "other"),
    [
        ("Modelling the behaviour of grey seals", "Modeling the behavior of gray seals"),
        ("Part II of the epic of São Tomé", "Part 2 of the epic of Sao Tome"),
        ("The soils of Mali and their colours", "Soils of Mali and their colors"),
    ],
)
def test_spellings_and_numbers_of_one_title_are_nothing(one: str, other: str) -> None:
    assert not check(record(title=other), title=one).differences


@each(
    "title",
    [
        "Soil erosion and the grazing of dunes in southern lakes",
        "Soil erosion and the intensive grazing of dunes in northern lakes",
        "Soil erosions and the grazing of dunes in northern lakes",
        "Soil erosion and the grazing of dunes towards northern lakes",
        "Soil erosion without the grazing of dunes in northern lakes",
    ],
)
def test_a_word_exchanged_inserted_or_inflected_is_serious(title: str) -> None:
    assert serious(check(title=title)) == ["title"]
    assert serious(check(title=title, doi=None)) == ["title"]


def test_a_word_that_is_mistyped_is_slight() -> None:
    assert slight(check(title=WORK["title"].replace("northern", "norhtern"))) == ["title"]


def test_a_cut_title_confirms_no_more_than_it_has() -> None:
    cut = record("catalogue", title="Soil erosion")
    whole = record(title="Soil erosion: the grazing of dunes")
    assert serious(check(cut, whole, title="Soil erosion: the hunting of dunes")) == ["title"]
    assert not check(cut, title="Soil erosion: the hunting of dunes").certain


def test_a_similar_title_is_another_work_where_nothing_else_agrees() -> None:
    other = record(
        title=WORK["title"].replace("Soil", "Rock"),
        doi=None,
        authors=people("Ray, Sam; Poe, Ed"),
        venue="Geology",
    )
    assert check(other).verdict == ""


def test_a_title_in_another_language_cannot_be_judged() -> None:
    assert not check(record(title="Érosion du sol et le pâturage dans les dunes du nord")).serious
    chinese = record(title="北方湖泊沙丘的放牧与土壤侵蚀", authors=people("王, 小明"))
    assert not check(chinese).serious
    both = record(title="北方湖泊沙丘", titles=(WORK["title"],))
    assert check(both).certain


@each(
    "authors",
    [
        "Berg, A.; Okafor, C.; Lindqvist, M.; Moreau, L.",
        "van der Berg, Anna; Okafor, C; Lindqvist, Marta; Moreau, Luc",
        "Anna, van der Berg; Chidi, Okafor; Märta, Lindqvist; Luc, Moreau",
        "Berg, AV; Okafor, Chidi; Lindquist, M; Moreau, Luc",
    ],
)
def test_names_may_be_written_otherwise(authors: str) -> None:
    assert not check(authors=people(authors)).differences


@each(
    "authors",
    [
        "Sato, Kenji; Brown, James",
        "Berg, Anna; Okafor, Chidi; Moreau, Luc",
        "Berg, Anna; Sato, Kenji; Okafor, Chidi; Lindqvist, Märta; Moreau, Luc",
        "Berg, Hans; Okafor, Ruth; Lindqvist, Svante; Moreau, Tom",
    ],
)
def test_other_missing_and_added_persons_are_serious(authors: str) -> None:
    two = record("b", authors=WORK["authors"][:2])
    assert serious(check(two, record(), authors=people(authors))) == ["authors"]


def test_a_list_that_ends_with_others_need_not_be_whole() -> None:
    assert not check(authors=WORK["authors"][:2], all_authors=False).differences
    assert serious(check(authors=people("Sato, K."), all_authors=False)) == ["authors"]


def test_a_database_may_stop_behind_some_authors() -> None:
    for number in (1, 3):
        judgement = check(record(authors=WORK["authors"][:number]))
        assert (judgement.differences, judgement.certain) == ((), False)


def test_a_person_between_those_of_a_shorter_list_is_added() -> None:
    berg, *others = WORK["authors"]
    added = (berg, Author("Kenji Sato", "Sato", "Kenji"), *others)
    assert serious(check(record(authors=WORK["authors"][:3]), authors=added)) == ["authors"]


def test_one_other_initial_and_another_order_are_slight() -> None:
    berg, okafor, *others = WORK["authors"]
    assert slight(check(authors=(berg, Author("B. Okafor", "Okafor", "B."), *others))) == [
        "authors"
    ]
    assert slight(check(authors=(okafor, berg, *others))) == ["authors"]


def test_characters_and_letters_are_compared_where_they_can_be() -> None:
    chinese: dict[str, Any] = {
        "title": "北方湖泊沙丘的放牧与土壤侵蚀研究",
        "authors": people("王, 小明; 李, 华"),
    }
    assert check(record(**chinese), **chinese).certain
    pinyin = record(**{**chinese, "authors": people("Wang, Xiaoming; Li, Hua")})
    assert not check(pinyin, **chinese).differences
    foreign = record(**{**chinese, "authors": people("Smith, John; Brown, Ann")})
    assert not check(foreign, **chinese).serious


def test_what_one_database_confirms_is_confirmed() -> None:
    bad = record("b", year=2011, venue="Geology", authors=people("Ray, Sam"), doi="10.1000/x")
    assert check(bad, record()).verdict == "confirmed"
    assert serious(check(bad, bad)) == ["authors", "year", "venue"]


@each(
    ("year", "fields"),
    [(2019, []), (2018, ["slight"]), (2020, ["slight"]), (2016, ["serious"]), (2090, ["serious"])],
)
def test_one_year_apart_is_slight_and_more_is_serious(year: int, fields: list[str]) -> None:
    judgement = check(year=year)
    assert ["serious" if each.serious else "slight" for each in judgement.differences] == fields


def test_a_book_may_have_other_editions_but_none_of_the_future() -> None:
    book = record(type="book", venue=None, doi=None)
    assert slight(check(book, type="book", venue=None, doi=None, year=1999)) == ["year"]
    assert serious(check(book, type="book", venue=None, doi=None, year=2090)) == ["year"]


@each("venue", ["Geology", "Journal of Imaginary Soils", "NeurIPS", "Soil Science Letters"])
def test_another_venue_is_serious(venue: str) -> None:
    assert serious(check(venue=venue)) == ["venue"]


@each("venue", ["J. Soil Sci.", "Proceedings of Machine Learning Research", "arXiv", None])
def test_abbreviations_series_and_no_venue_are_nothing(venue: str | None) -> None:
    assert not check(venue=venue).serious


def test_a_venue_of_what_is_known_only_as_a_preprint_is_serious() -> None:
    assert serious(check(record("arxiv", **PREPRINT), doi=None, year=2018)) == ["venue"]
    no_venue = record("openalex", venue=None)
    assert not check(no_venue).serious


def test_an_article_of_a_preprint_that_is_cited_is_another_version() -> None:
    preprint = {**PREPRINT, "venue": "arXiv preprint arXiv:1810.01234"}
    judgement = check(record("arxiv", **PREPRINT), record(), **preprint)
    assert (judgement.verdict, judgement.serious, judgement.certain) == (
        "another-version",
        False,
        True,
    )
    assert len(judgement.records) == 2
    assert check(record("arxiv", **PREPRINT), **preprint).verdict == "confirmed"


def test_what_belongs_to_another_version_is_serious() -> None:
    first = record("dblp", year=2015, venue="CVPR", doi="10.1000/cvpr.1")
    second = record("crossref", year=2019, doi="10.1000/soil.7")
    assert check(first, second, venue="CVPR", year=2015, doi="10.1000/cvpr.1").certain
    assert serious(check(first, second, venue="CVPR", year=2015)) == ["venue"]
    assert serious(check(first, second, venue="CVPR", year=2019, doi="10.1000/cvpr.1")) == ["year"]
    preprint = record("arxiv", **{**PREPRINT, "year": 2014})
    assert serious(check(preprint, second, year=2014)) == ["year"]


def test_the_doi_of_a_preprint_beside_the_article_is_slight() -> None:
    both = (record("arxiv", **PREPRINT), record())
    assert slight(check(*both, doi=PREPRINT["doi"])) == ["doi"]
    joined = record(doi=PREPRINT["doi"])
    assert check(joined, doi="10.48550/arXiv.1810.01234v2").certain


def test_a_doi_of_another_work_is_serious() -> None:
    other = record(
        title="A history of jazz in Detroit", authors=people("Ray, Sam"), doi="10.1000/j"
    )
    judgement = check(record(), other, doi="10.1000/j", doi_known=True)
    assert serious(judgement) == ["doi"]
    assert judgement.records == (record(),)
    alone = check(other, doi="10.1000/j", doi_known=True)
    assert (serious(alone), alone.records) == (["doi"], ())


def test_a_title_of_other_words_under_a_doi_is_serious() -> None:
    judgement = check(title="Deep learning for the discovery of causes", doi_known=True)
    assert (serious(judgement), len(judgement.records)) == (["title"], 1)


def test_a_doi_is_accused_only_where_registries_do_not_know_it() -> None:
    for known, fields in ((False, ["doi"]), (None, []), (True, [])):
        assert serious(check(doi="10.9999/none", doi_known=known)) == fields
    without = record(doi=None)
    assert not check(without, doi_known=None).differences
    assert not check(without, doi_known=None).certain
    assert serious(check(without, doi_known=False)) == ["doi"]


def test_a_title_that_many_works_have_needs_more() -> None:
    editorial = record(title="Editorial", authors=people("Ray, Sam"), doi=None, year=2001)
    assert check(editorial, title="Editorial", doi=None).verdict == ""


def test_an_erratum_is_another_work() -> None:
    erratum = record(title=f"Erratum: {WORK['title']}", doi="10.1000/e", year=2020)
    assert check(erratum, record()).records == (record(),)


def test_another_name_beside_the_same_volume_and_page_is_slight() -> None:
    printed = record(volume="12", pages="101-120", venue="Water Research")
    assert slight(check(printed, volume="12", pages="101-20")) == ["venue"]
    assert serious(check(printed, volume="13", pages="101-20")) == ["venue"]


def test_translated_titles_are_not_compared() -> None:
    translated = record(title="[Erosion of soil and grazing of dunes in the lakes of the north]")
    assert not check(translated).serious


def test_a_retraction_outweighs_all_else() -> None:
    judgement = check(record(), record("openalex", retracted=True), year=2018)
    assert (judgement.verdict, judgement.serious) == ("retracted", True)
    assert slight(Judgement("differs", False, judgement.differences, (), False)) == ["year"]


@each(
    ("notice", "verdict", "serious", "found"),
    [
        (
            "retraction 2020-06-04 10.1000/n",
            "retracted",
            True,
            "retraction of 2020-06-04, 10.1000/n",
        ),
        ("withdrawal pmid:77", "retracted", True, "withdrawal, pmid:77"),
        ("concern 2020", "differs", True, "concern of 2020"),
        ("correction 2020-06 10.1000/n", "differs", False, "correction of 2020-06, 10.1000/n"),
    ],
)
def test_a_notice_is_told_with_date_and_link(
    notice: str, verdict: str, serious: bool, found: str
) -> None:
    judgement = check(record(notices=(notice,)))
    (told,) = judgement.differences
    assert (judgement.verdict, judgement.serious) == (verdict, serious)
    assert (told.field, told.written, told.found, told.source) == ("notice", "", found, "crossref")
    assert judgement.certain


def test_a_notice_of_several_databases_is_told_once() -> None:
    """The one that names a DOI; a mere flag adds nothing."""
    judgement = check(
        record("europepmc", notices=("retraction 2020-06 pmid:77", "correction 2018 10.1000/c")),
        record(notices=("retraction 2020-06-04 10.1000/n",)),
        record("openalex", retracted=True),
    )
    assert [(each.source, each.found) for each in judgement.differences] == [
        ("crossref", "retraction of 2020-06-04, 10.1000/n"),
        ("europepmc", "correction of 2018, 10.1000/c"),
    ]


def test_a_retraction_without_a_notice_names_the_record() -> None:
    (told,) = check(record("openalex", retracted=True, url="https://a.example/W1")).differences
    assert (told.found, told.serious) == ("retraction", True)
    assert told.why == "openalex says that the work was retracted: https://a.example/W1"


@each(
    "written",
    [
        {"title": f"RETRACTED: {WORK['title']}"},
        {"title": f"RETRACTED ARTICLE: {WORK['title']}"},
        {"title": f"{WORK['title']} [Retracted]"},
        {"title": f"{WORK['title']} (Retracted article. See vol. 12, p. 4)"},
        {"retracted": True},  # a note says so
        {"doi": "10.1000/n"},  # that of the notice
    ],
)
def test_who_knows_of_a_retraction_is_not_told(written: dict[str, Any]) -> None:
    notices = ("retraction 2020-06-04 10.1000/n", "concern 2019")
    judgement = check(record(notices=notices, retracted=True), **written)
    assert "notice" not in [each.field for each in judgement.differences]
    assert judgement.verdict != "retracted"


@each("head", ["Retraction: ", "Retraction notice to: ", "Expression of Concern: ", "Erratum to: "])
def test_a_notice_is_no_retracted_work(head: str) -> None:
    """Even where a database flags the notice itself."""
    title = head + WORK["title"]
    notice = record("openalex", title=title, doi="10.1000/n", retracted=True)
    assert check(notice, title=title, doi="10.1000/n").verdict == "confirmed"


@each(("notice", "verdict"), [("correction", "another-version"), ("concern", "differs")])
def test_a_notice_about_a_preprint_that_has_appeared(notice: str, verdict: str) -> None:
    judgement = check(record("arxiv", **PREPRINT), record(notices=(notice,)), **PREPRINT)
    assert (judgement.verdict, judgement.serious) == (verdict, verdict == "differs")


def test_a_work_about_withdrawal_may_be_retracted() -> None:
    title = "Withdrawal of grazing from dunes in northern lakes"
    work = record(title=title, notices=("retraction 2020",))
    assert check(work, title=title).verdict == "retracted"


def test_other_volumes_and_pages_are_slight() -> None:
    printed = record(volume="12", issue="3", pages="101-120")
    assert not check(printed, volume="12", issue="3", pages="101--20").differences
    assert slight(check(printed, volume="13", pages="7-9")) == ["volume", "pages"]


def test_each_difference_says_where_it_comes_from() -> None:
    (difference,) = check(year=2011).differences
    assert (difference.field, difference.written, difference.found) == ("year", "2011", "2019")
    assert difference.source == "crossref"
    assert difference.why == "crossref has another year: 2019."


def test_thousands_of_authors_are_compared_in_linear_time() -> None:
    names = [Author(f"J. Name{i % 900}x", f"Name{i % 900}x", "J.") for i in range(3_000)]
    assert not check(record(authors=tuple(names)), authors=tuple(names)).differences
    assert slight(check(record(authors=tuple(names)), authors=tuple(names[::-1]))) == ["authors"]
