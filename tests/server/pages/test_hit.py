"""One work of a list: its view, and its card."""

from __future__ import annotations

from dataclasses import replace

from lxml import html

from metasearch.language import language
from metasearch.record import Author, Match, Reason, Version
from metasearch.server.pages.environment import macro
from metasearch.server.pages.hit import AUTHORS_SHOWN, HitView, hit_view, text_language
from metasearch.server.pages.metadata import Resolver
from metasearch.server.pages.results import query_marker
from tests import cases
from tests.server.fake import hit, record

BASE = "http://127.0.0.1:8080"
LABELS = {"alpha": "Alpha Index", "beta": "Beta Library"}


def view(work=None, **options) -> HitView:
    """The view with labels."""
    return hit_view(work or hit(), LABELS, BASE, **options)


def card(work=None, citation="", tag="en", **options):
    """The card as a tree."""
    options.setdefault("page", "/work/x?q=mice")
    made = macro("_hit.html", "article", language(tag))
    return html.fragment_fromstring(str(made(view(work, **options), citation)), create_parent=True)


def words(element) -> str:
    """Its text, each piece apart."""
    return " ".join(" ".join(element.itertext()).split())


def of_record(**fields):
    """A hit whose merged record has these fields."""
    return replace(hit(), record=record(**fields))


def test_a_card_says_what_it_is_and_where_from():
    """Title linked to its page, people, container, type, abstract, links, sources, and why."""
    shown = card()
    (title,) = shown.xpath("//h3/a")

    assert (title.text_content(), title.get("href")) == (
        "Gene drives in island mice",
        "/work/x?q=mice",
    )
    assert words(shown.xpath("//p[@class='hit-by']")[0]) == "Ada Byron, Bo Li"
    assert words(shown.xpath("//p[@class='hit-in']")[0]) == (
        "Journal of Islands , 12(3), 101–110, 2021"
    )
    assert words(shown.xpath("//*[@class='traits']")[0]) == "article"
    assert shown.xpath("//p[contains(@class, 'hit-text')]/text()") == ["Mice were counted twice."]
    assert shown.xpath("//*[@class='hit-links']/a/@href") == ["https://doi.org/10.5555/islands.1"]
    assert words(shown.xpath("//*[@class='found']")[0]) == (
        "In 2 databases rank Alpha Index rank 1 Beta Library rank 2"
    )
    why = words(shown.xpath("//details[contains(@class, 'why')]")[0])
    for expected in (
        "Alpha Index ranks it 1",
        "+0.09",
        "1.00",
        "same work",
        "same DOI",
    ):
        assert expected in why
    assert "Alpha Index #1 · Beta Library #2" in why


def test_a_card_has_its_names_and_its_box():
    """The script finds it by each id that it may have had; the box is described by the title."""
    shown = card(replace(hit(), also=("h0", "h1")))
    (item,) = shown.xpath("./li")
    (box,) = shown.xpath("//input[@type='checkbox']")

    assert (item.get("data-id"), item.get("value")) == ("alpha:alpha-1", "1")
    assert item.get("data-also") == "alpha:alpha-1 h0 h1"
    assert (box.get("name"), box.get("value")) == ("id", "alpha:alpha-1")
    assert shown.xpath(f"//*[@id='{box.get('aria-describedby')}']/a/text()")
    assert shown.xpath("//article/@aria-labelledby") == shown.xpath("//h3/@id")


def test_the_words_of_the_query_are_marked():
    """In the title, and nothing else is."""
    shown = card(marker=query_marker("gene mice"))

    assert shown.xpath("//mark/text()") == ["Gene", "mice"]
    assert shown.xpath("string(//h3)") == "Gene drives in island mice"
    assert card(marker=query_marker("((")).xpath("//mark") == []


def test_a_retraction_comes_first():
    """Before the title, with who says so."""
    left, right = record("alpha", 1, retracted=True), record("beta", 2, retracted=True)
    both = replace(hit(), record=left, records=(left, right))
    one = replace(both, records=(left, replace(right, retracted=None)))

    for work, said in (
        (both, "Alpha Index and Beta Library say this work was retracted."),
        (one, "Alpha Index says this work was retracted."),
    ):
        shown = card(work)
        (first, *_) = shown.xpath("//article/*")
        assert first.get("class") == "retraction"
        assert words(first) == f"Retracted {said}"
        assert "is-retracted" in shown.xpath("//article/@class")[0]
    assert card().xpath("//*[@class='retraction']") == []


def test_traits():
    """Open access, versions and citations, each in words."""
    work = replace(
        of_record(open_access="gold", citations=1234, type="conference-paper"),
        versions=(Version("published", ("alpha:alpha-1",)), Version("preprint", ("beta:beta-2",))),
    )

    assert words(card(work).xpath("//*[@class='traits']")[0]) == (
        "conference paper Open access 2 versions cited 1,234 times"
    )


@cases.each(
    ("citations", "said"), [(0, "cited 0 times"), (1, "cited 1 time"), (2, "cited 2 times")]
)
def test_how_often_it_is_cited(citations, said):
    """None is a number, too."""
    assert words(card(of_record(citations=citations)).xpath("//*[@class='traits']")[0]).endswith(
        said
    )


def test_what_is_closed_or_unknown_has_no_badge():
    """Nothing is said where nothing is known."""
    for fields in ({"open_access": "closed"}, {"open_access": None}):
        assert "Open access" not in words(card(of_record(type=None, **fields)))


@cases.each("count", [0, 1, AUTHORS_SHOWN, AUTHORS_SHOWN + 1, AUTHORS_SHOWN + 2, 3_000])
def test_many_authors(count):
    """The first ones are named and the others counted; one more is named rather than counted."""
    made = view(of_record(authors=tuple(Author(f"A{number}") for number in range(count))))

    assert len(made.authors) + made.more_authors == count
    assert len(made.authors) <= AUTHORS_SHOWN + 1
    assert made.more_authors != 1


def test_an_author_is_named_once():
    """Repeated and empty names are left out."""
    names = (Author("Ada Byron"), Author("Ada Byron"), Author("  "), Author("Bo"))

    assert list(view(of_record(authors=names)).authors) == ["Ada Byron", "Bo"]


def test_a_long_abstract_folds():
    """All of it is there, up to a bound."""
    short, long, huge = (card(of_record(abstract="word " * n)) for n in (10, 100, 100_000))

    assert short.xpath("//details[contains(@class, 'unfold')]") == []
    assert long.xpath("string(//details[contains(@class, 'unfold')]/summary)") == "Abstract"
    assert len(long.xpath("string(//p[contains(@class, 'hit-text')])")) == 499
    assert len(huge.xpath("string(//p[contains(@class, 'hit-text')])")) == 3_000


def test_without_a_title():
    """It has a link all the same."""
    shown = card(of_record(title=""))

    assert shown.xpath("string(//h3/a)") == "[no title]"


@cases.each(
    ("code", "text", "expected"),
    [
        ("en", "Mice", "en"),
        ("pt-BR", "Mice", "pt-BR"),
        ("chi", "Mice", "zh"),
        ("jpn", "Mice", "ja"),
        ("ger", "Mäuse", "ger"),
        (None, "乳腺癌", "zh"),
        (None, "乳がんの診断", "ja"),
        ("English (US)", "乳腺癌", "zh"),
        ('"><script>', "Mice", None),
        (None, "Mice", None),
        ("", "", None),
    ],
)
def test_the_language_of_a_text(code, text, expected):
    """As the source says, else by its characters."""
    assert text_language(code, text) == expected


def test_texts_have_their_language():
    """Title and abstract; fonts and voices need it."""
    shown = card(of_record(title="乳腺癌的早期诊断", language="chi", abstract="摘要"))

    assert shown.xpath("//h3/@lang | //p[contains(@class, 'hit-text')]/@lang") == ["zh", "zh"]


@cases.each("address", ["javascript:alert(1)", "//evil.example", "data:text/html,x", ""])
def test_links_lead_to_the_web(address):
    """Anything else is no link."""
    work = of_record(pdf_url=address, url=address, doi=None)

    assert card(work).xpath("//*[@class='hit-links']/a") == []


def test_links_to_the_full_text():
    """PDF, DOI and the library's resolver; each says for which work."""
    resolver = Resolver("https://isle.example.org/openurl", "Get it @ Isle")
    work = of_record(pdf_url="https://alpha.example.org/1.pdf")
    links = card(work, resolver=resolver).xpath("//*[@class='hit-links']/a")

    assert [words(link) for link in links] == [
        "PDF of Gene drives in island mice",
        "DOI 10.5555/islands.1",
        "Get it @ Isle",
    ]
    assert links[2].get("href").startswith("https://isle.example.org/openurl?")


def test_many_records_reasons_and_matches_are_bounded():
    """The page of the work has all."""
    records = tuple(record(f"s{number}", number) for number in range(1, 101))
    work = replace(
        hit(),
        records=records,
        reasons=tuple(Reason(f"reason {number}", 0.1, None) for number in range(100)),
        matches=tuple(
            Match("doi", "same", 1.0, "same DOI", records[0].key, each.key) for each in records
        ),
        versions=(Version("published", tuple(each.key for each in records)),) * 100,
        provenance={f"field{number}": "s1" for number in range(30)},
    )
    shown = card(work)

    assert "In 100 databases" in words(shown)
    assert len(shown.xpath("//*[@class='found']//li")) == 5
    assert words(shown.xpath("//*[@class='found']//li")[-1]) == "and 96 more"
    assert len(shown.xpath("//details[contains(@class, 'why')]//tbody/tr")) == 12
    assert "and 88 more" in words(shown.xpath("//details[contains(@class, 'why')]")[0])
    assert len(html.tostring(shown)) < 40_000


def test_a_source_that_has_several_records_is_named_once():
    """With its best rank."""
    records = (record("beta", 9), record("alpha", 3), record("beta", 2))
    made = view(replace(hit(), records=records))

    assert [(each.label, each.place) for each in made.found] == [
        ("Beta Library", 2),
        ("Alpha Index", 3),
    ]


def test_the_citation_can_be_copied():
    """With script; without it the button is hidden. Other styles are on the page of the work."""
    shown = card(citation="Byron, A. (2021). Gene drives.")
    (fold,) = shown.xpath("//details[contains(@class, 'cite')]")

    assert fold.xpath("string(.//p[@class='citation'])") == "Byron, A. (2021). Gene drives."
    assert fold.xpath(".//button/@hidden") == [""]
    assert fold.xpath(".//a/@href") == ["/work/x?q=mice#cite"]


def test_a_type_that_only_the_source_knows_is_text():
    """It is not trusted because it went through the words of the language."""
    shown = card(of_record(type='<img src=x onerror="x">100% %(num)s'))

    assert shown.xpath("//img") == []
    assert words(shown.xpath("//*[@class='traits']")[0]) == '<img src=x onerror="x">100% %(num)s'


def test_a_version_and_a_verdict_that_nobody_knows_are_text():
    """As above."""
    odd = "<b>100% %(x)s"
    work = replace(
        hit(),
        versions=(Version(odd, ("alpha:alpha-1",)),),
        matches=(replace(hit().matches[0], verdict=odd, because=odd, matcher=odd),),
        provenance={odd: "alpha"},
    )
    for tag in ("en", "zh-Hans"):
        shown = card(work, tag=tag)
        assert shown.xpath("//details[contains(@class, 'why')]//b") == []
        assert words(shown).count(odd) >= 4


def test_coins_are_for_programs_only():
    """Readers and their screen readers pass over them."""
    (span,) = card().xpath("//*[@class='Z3988']")

    assert span.get("aria-hidden") == "true"
    assert span.get("title").startswith("ctx_ver=Z39.88-2004")
    assert span.text is None


def test_a_card_in_chinese():
    """Its words are; the record is not."""
    shown = card(of_record(type="conference-paper", open_access="gold"), tag="zh-Hans")

    assert "Open access" not in words(shown)
    assert "conference paper" not in words(shown)
    assert "Gene drives in island mice" in words(shown)
