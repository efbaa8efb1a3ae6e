"""`/advanced`: rows and text, each made from the other, and what each source would be asked."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from multidict import MultiDict

from metasearch.adapters.specs.registry import Registry
from metasearch.query import SYNTAXES, parse
from metasearch.query.rows import MOST_ROWS, ROW_FIELDS, NotFlat, Obstacle
from metasearch.query.tree import MAX_LENGTH
from metasearch.server.limits import Options
from metasearch.server.pages.advanced import (
    _OBSTACLES,
    EMPTY_ROWS,
    OPERATOR_WORDS,
    TAKEN_WORDS,
    read_form,
    state_of,
)
from metasearch.server.pages.hit import QUERY_FIELD_WORDS, SYNTAX_WORDS
from metasearch.settings import Settings
from tests.cases import each
from tests.growth import MOST, growth
from tests.server.fake import FakeEngine
from tests.server.visitor import HTML, page, text

GAMBLING = 'title:"gambling harm" AND (prevent* OR reduc*) AND NOT advertising AND year:2015-'
BRACKETS = "(title:a OR abstract:b) AND (c OR title:d)"


def sent(tree, button: str = "", **changes: str) -> list[tuple[str, str]]:
    """What the form of a page sends when a button is pressed; `changes` are what was typed."""
    (form,) = tree.xpath("//main//form")
    pairs = [
        (name, changes.get(name, value if value is not None else ""))
        for name, value in form.form_values()
    ]
    return [*pairs, ("do", button)] if button else pairs


async def pressed(client, tree, button: str, status: int = 200, **changes: str):
    """The page after a button."""
    return await page(client, f"/advanced?{urlencode(sent(tree, button, **changes))}", status)


def rows(tree) -> list[tuple[str, ...]]:
    """(operator, field, how, words) of each row."""
    values = [value for name, value in sent(tree) if name in ("op", "in", "how", "text")]
    return [tuple(value or "" for value in values[at : at + 4]) for at in range(0, len(values), 4)]


def chosen(tree, name: str) -> str:
    """The chosen value of a list."""
    return str(dict(sent(tree)).get(name, ""))


def text_of(element) -> str:
    return " ".join(element.text_content().split())


def with_real_sources(env: dict[str, str]) -> FakeEngine:
    """An engine that knows the shipped sources, for plans; it asks none."""
    engine = FakeEngine(settings=Settings(env=env))
    engine.registry = Registry(engine.settings)  # type: ignore[assignment]
    return engine


def read_as(tree) -> str:
    return str(tree.xpath("string(//*[@class='readback'])"))


# ------------------------------------------------------------------------- rows


async def test_an_empty_form_has_rows_for_the_usual_fields(client):
    """Nothing was read yet, and nothing is wrong."""
    tree = await page(client, "/advanced")

    assert [row[1] for row in rows(tree)] == [row.field for row in EMPTY_ROWS]
    assert read_as(tree) == ""
    assert not tree.xpath("//*[contains(@class, 'notice')]")
    assert tree.xpath("//header//a[@aria-current='page']/@href") == ["/advanced"]


async def test_every_control_has_a_name(client):
    """A label, or words of its own; a name appears once."""
    tree = await page(client, f"/advanced?{urlencode({'q': GAMBLING})}")
    controls = tree.xpath("//main//input[not(@type='hidden')] | //main//select | //main//textarea")
    names = [
        control.get("aria-label")
        or tree.xpath("string(//label[@for=$id])", id=control.get("id") or "-")
        for control in controls
    ]

    assert len(controls) > 12
    assert all(names)
    assert len(set(names)) == len(names)
    assert len(set(tree.xpath("//@id"))) == len(tree.xpath("//@id"))


async def test_a_row_can_be_added_and_removed(client):
    """By buttons of the form; what was typed stays, and the cursor is put where it goes on."""
    tree = await page(client, f"/advanced?{urlencode({'q': GAMBLING})}")
    longer = await pressed(client, tree, "add")
    shorter = await pressed(client, longer, "remove-2")

    assert rows(longer) == [*rows(tree), ("AND", "any", "all", "")]
    assert longer.xpath("//input[@autofocus]/@aria-label") == ["Words of line 4"]
    assert rows(shorter) == [row for at, row in enumerate(rows(longer)) if at != 1]
    assert chosen(shorter, "from") == "2015"
    assert read_as(shorter) == 'title:"gambling harm" AND NOT advertising AND year:2015-'


async def test_an_exclusion_that_becomes_the_first_row_stays_one(client):
    """The first row has a choice of operator then."""
    tree = await page(client, "/advanced?q=a+NOT+(b+c)")
    left = await pressed(client, tree, "remove-1")

    assert rows(left) == [("NOT", "any", "all", "b c")]
    assert left.xpath("//select[@name='op']/option/@value") == ["AND", "NOT"]
    assert "The query has no word to look for" in text(left)


async def test_the_last_row_stays_and_there_are_no_more_than_the_form_has(client):
    """The buttons are not there, and their addresses change nothing."""
    one = await page(client, "/advanced?tab=rows&text=a&do=remove-1")
    many = await page(client, f"/advanced?tab=rows&do=add{'&text=a' * MOST_ROWS}")

    assert (len(rows(one)), one.xpath("//button[starts-with(@value, 'remove')]")) == (1, [])
    assert (len(rows(many)), many.xpath("//button[@value='add']")) == (MOST_ROWS, [])


async def test_enter_in_a_field_searches(client):
    """The first button of the form is that of the search."""
    tree = await page(client, "/advanced")

    assert tree.xpath("(//main//form//button)[1]/@value") == ["search"]


async def test_search_leads_to_the_list(client):
    """With the parameters of a search, as the rows are read."""
    tree = await page(client, f"/advanced?{urlencode({'q': GAMBLING, 'sources': 'medicine'})}")
    address = f"/advanced?{urlencode(sent(tree, 'search', type='thesis'))}"
    response = await client.get(address, headers=HTML, allow_redirects=False)
    target = urlsplit(response.headers["Location"])

    assert (response.status, target.path) == (303, "/search")
    assert dict(parse_qsl(target.query)) == {
        "q": f"{GAMBLING} AND type:thesis",
        "sources": "medicine",
    }


async def test_rows_are_searched_for_as_they_are_read(client):
    """A text that has the signs of another syntax is sent with the name of ours."""
    address = "/advanced?tab=rows&in=title&how=phrase&text=dc.title+%3D+x&text=TI%3D水质&do=search"
    response = await client.get(address, headers=HTML, allow_redirects=False)
    asked = dict(parse_qsl(urlsplit(response.headers["Location"]).query))

    assert asked["syntax"] == "simple"
    assert parse(asked["q"]) == parse('title:"dc.title = x" AND TI=水质')


async def test_mistakes_are_shown_below_their_rows(client):
    """All of them at once, each with its place; nothing is searched."""
    query = urlencode(
        {
            "tab": "rows",
            "text": ["mice (marsh", "x", "a OR b"],
            "how": ["all", "all", "any"],
            "from": "20x",
            "do": "search",
        },
        doseq=True,
    )
    tree = await page(client, f"/advanced?{query}", 400)

    assert tree.xpath("//*[@class='caret']//u/text()") == ["(", "a OR b"]
    assert tree.xpath("//input[@aria-invalid]/@name") == ["text", "text", "from", "to"]
    for described in tree.xpath("//@aria-describedby"):
        assert tree.get_element_by_id(described).text_content().strip()
    assert "This bracket is never closed" in text(tree)
    assert "mice (marsh)" in text(tree)
    assert "Years are written with four digits" in text(tree)


async def test_nothing_typed_is_no_search(client):
    """The page says so; a mere change of tabs does not complain."""
    assert "The query is empty" in text(await page(client, "/advanced?tab=rows&do=search", 400))
    assert "The query is empty" in text(await page(client, "/advanced?tab=expert&do=plan", 400))
    tree = await page(client, "/advanced?tab=rows&text=&do=expert")
    assert chosen(tree, "tab") == "expert"
    assert "empty" not in text(tree)


# ------------------------------------------------------------------------- conversion


async def test_a_flat_query_opens_in_rows(client):
    """With years, and as the mock of the page has it."""
    tree = await page(client, f"/advanced?{urlencode({'q': GAMBLING})}")

    assert rows(tree) == [
        ("AND", "title", "phrase", "gambling harm"),
        ("AND", "any", "any", "prevent* reduc*"),
        ("NOT", "any", "all", "advertising"),
    ]
    assert (chosen(tree, "from"), chosen(tree, "to")) == ("2015", "")
    assert read_as(tree) == GAMBLING


async def test_a_query_of_another_database_opens_in_rows(client):
    """What its syntax was stays visible, and so do its notes."""
    query = "（沉水植物＋贝类）＊YE>='2010'*FT=生态"
    tree = await page(client, f"/advanced?{urlencode({'q': query})}")

    assert rows(tree)[0] == ("AND", "any", "any", "沉水植物 贝类")
    assert chosen(tree, "from") == "2010"
    assert "Read in the syntax of: CNKI" in text(tree)
    assert "may not include the full text" in text(tree)


@each(
    ("query", "reason", "part"),
    [
        (BRACKETS, "lines have no brackets", "(c OR title:d)"),
        ("a OR NOT b", "lines cannot say OR NOT", "NOT b"),
        ("a (year:2010 OR year:2012)", "lines have one range of years", "year:2010"),
        ("a -type:book", "lines have one type and one language", "type:book"),
    ],
)
async def test_a_query_that_rows_cannot_say_stays_as_text(client, query, reason, part):
    """The page says why, and names the part."""
    opened = await page(client, f"/advanced?{urlencode({'q': query})}")
    turned = await pressed(client, await page(client, "/advanced?tab=expert"), "rows", q=query)

    for tree in (opened, turned):
        assert tree.xpath("string(//textarea)").strip() == query
        (notice,) = tree.xpath("//*[@role='alert']")
        assert reason in notice.text_content()
        assert notice.xpath(".//code/text()") == [part]


async def test_rows_become_text_and_text_becomes_rows(client):
    """The same query all the way, with the databases that were chosen."""
    tree = await page(client, f"/advanced?{urlencode({'q': GAMBLING, 'sources': 'medicine'})}")
    as_text = await pressed(client, tree, "expert")
    again = await pressed(client, as_text, "rows")

    assert as_text.xpath("string(//textarea)").strip() == GAMBLING
    assert rows(again) == rows(tree)
    assert chosen(again, "sources") == "medicine"


# ------------------------------------------------------------------------- text


async def test_a_mistake_in_the_text_is_shown_in_its_place(client):
    """With a query that can be read, one link away."""
    tree = await page(client, f"/advanced?{urlencode({'q': 'title:(gambling OR betting'})}")
    suggested = tree.xpath("//*[@id='fault']//a/@href")[0]

    assert tree.xpath("//*[@class='caret']//u/text()") == ["("]
    assert dict(parse_qsl(urlsplit(suggested).query))["q"] == "title:(gambling OR betting)"
    assert read_as(await page(client, suggested)) == "title:gambling OR title:betting"


async def test_a_syntax_can_be_chosen(client):
    """It is used, and goes along to the search."""
    tree = await page(client, "/advanced?tab=expert&q=reef[ti]&syntax=simple")
    chosen_syntax = await pressed(client, tree, "", syntax="pubmed")
    response = await client.get(
        f"/advanced?{urlencode(sent(chosen_syntax, 'search'))}", allow_redirects=False
    )

    assert read_as(tree) == "reef[ti]"
    assert read_as(chosen_syntax) == "title:reef"
    assert dict(parse_qsl(urlsplit(response.headers["Location"]).query)) == {
        "q": "reef[ti]",
        "syntax": "pubmed",
    }


async def test_text_is_text(client):
    """Whatever is typed comes back as it was, in every field."""
    hostile = "</textarea><script>alert(1)</script>\"'&amp;"
    as_text = await page(client, f"/advanced?{urlencode({'tab': 'expert', 'q': hostile})}")
    as_row = await page(client, f"/advanced?{urlencode({'tab': 'rows', 'text': hostile})}")

    assert as_text.xpath("string(//textarea)").removeprefix("\n") == hostile
    assert rows(as_row)[0][3] == hostile
    for tree in (as_text, as_row):
        assert not tree.xpath("//script")


# ------------------------------------------------------------------------- databases, plan


async def test_databases_are_chosen_by_group(serve):
    """Each group that has any, with its number; a choice of single ones stays."""
    client = await serve(FakeEngine(settings=Settings(env={"GAMMA_KEY": "hush"})))
    tree = await page(client, "/advanced?sources=gamma,alpha")
    options = tree.xpath("//select[@name='sources']/option")

    assert [(option.get("value"), option.text) for option in options] == [
        ("", "The usual 2 databases"),
        ("general", "All subjects (1)"),
        ("medicine", "Medicine (1)"),
        ("all", "All (1)"),
        ("gamma,alpha", "2 chosen databases"),
    ]
    assert chosen(tree, "sources") == "gamma,alpha"


async def test_what_each_database_will_be_asked(serve):
    """Only when it is wanted; what is lost is said, nothing is sent, and no key is shown."""
    engine = with_real_sources({"METASEARCH_SPRINGER_KEY": "hush"})
    client = await serve(engine)
    sources = "pubmed,crossref,springer"
    tree = await page(client, f"/advanced?{urlencode({'q': GAMBLING, 'sources': sources})}")
    planned = await pressed(client, tree, "plan")
    pubmed, crossref, _ = planned.xpath("//table[contains(@class, 'plan')]/tbody/tr")

    assert not tree.xpath("//table")
    assert pubmed.xpath("string(th)") == "PubMed"
    assert pubmed.xpath("string(td[1])").startswith('"gambling harm"[ti] AND (prevent* OR reduc*)')
    assert pubmed.xpath("normalize-space(td[2])") == "nothing is lost"
    assert "Checked here on what comes back: (prevent* OR reduc*)" in text_of(crossref)
    assert "3 of 3 databases would be asked. Nothing has been sent." in text(planned)
    assert planned.xpath("//h2[@autofocus]/@tabindex") == ["-1"]
    assert "hush" not in text(planned)
    assert engine.asked == []


async def test_a_database_that_would_not_be_asked_says_why(serve):
    """With what to do about it, and the query that it would receive with a key."""
    client = await serve(with_real_sources({}))
    planned = await page(client, "/advanced?tab=expert&q=mice&sources=pubmed,springer&do=plan")
    _, springer = planned.xpath("//table[contains(@class, 'plan')]/tbody/tr")

    assert "1 of 2 databases would be asked" in text(planned)
    assert "mice" in springer.xpath("string(td[1])")
    assert "Not asked: this source needs a key" in text_of(springer)
    assert "METASEARCH_SPRINGER_KEY" in text_of(springer)


async def test_without_a_choice_the_plan_is_that_of_the_usual_databases(serve):
    """Those of the server."""
    client = await serve(with_real_sources({}))
    planned = await page(client, "/advanced?tab=rows&text=mice&do=plan")

    assert "15 of 15 databases would be asked" in text(planned)


async def test_an_unknown_database_is_an_error(client):
    response = await client.get("/advanced?tab=expert&q=mice&sources=nothing&do=plan", headers=HTML)

    assert response.status == 400
    assert "there is no source called" in await response.text()


# ------------------------------------------------------------------------- bounds


@each(
    ("query", "parameter"),
    [
        ("in=publisher&text=a", "in"),
        ("how=near&text=a", "how"),
        ("op=XOR&text=a", "op"),
        ("tab=other", "tab"),
        ("do=remove-x", "do"),
        ("do=search&do=plan", "do"),
        ("type=novel", "type"),
        ("language=english", "language"),
        ("syntax=sql&q=a", "syntax"),
        ("sources=../x", "sources"),
        ("&text=a" * (MOST_ROWS + 1), "text"),
        ("text=" + "a" * 150 + "&text=" + "b" * 60, "text"),
        ("q=" + "a" * 201, "q"),
    ],
)
async def test_values_that_no_form_sends_are_refused(serve, query, parameter):
    """With the name of the parameter."""
    client = await serve(max_query=200)
    response = await client.get(f"/advanced?{query}", headers={"Accept": "application/json"})
    problem = await response.json(content_type="application/problem+json")

    assert response.status == 400
    assert [error["parameter"] for error in problem["errors"]][:1] == [parameter]


def test_every_choice_has_words():
    """All fields, operators, ways, obstacles and syntaxes that there are."""
    assert set(ROW_FIELDS) <= set(QUERY_FIELD_WORDS)
    assert set(OPERATOR_WORDS) == {"AND", "OR", "NOT"}
    assert set(TAKEN_WORDS) == {"all", "phrase", "any"}
    assert set(_OBSTACLES) == set(Obstacle.__args__)
    assert set(SYNTAX_WORDS) == {"auto", *SYNTAXES}
    assert NotFlat("many", parse("a")).obstacle in _OBSTACLES


@pytest.mark.slow
def test_time_is_linear_in_the_text():
    """Of both forms, whether the text is a query or not."""

    def opened(sample: str):
        def work(size: int):
            given = MultiDict({"q": (sample * size)[:MAX_LENGTH]})
            return lambda: state_of(read_form(given, Options()))

        return work

    def filled(size: int):
        given = MultiDict([("tab", "rows"), ("text", "ab* " * size), ("how", "any")])
        return lambda: state_of(read_form(given, Options()))

    for sample in ("水质*", "title:a OR ", "((", '"', "a* OR "):
        assert growth(opened(sample), 60) <= MOST, sample
    assert growth(filled, 60) <= MOST
