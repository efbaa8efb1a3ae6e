"""Strategies as texts by the JSON interface: pasted, written, copied, and as search files."""

from __future__ import annotations

import base64
import io
import json

import pytest

from tests.cases import each
from tests.review.api.conftest import Api

OVID = "1. gambling.ti,ab. 120\n2. debt*.ti,ab. 45\n3. 1 and 2 7\n"
PLACE = "/g/strategies/main"


@pytest.fixture
async def main(api: Api) -> Api:
    """A project with an empty strategy."""
    await api.post("", 201, name="g")
    await api.post("/g/strategies", 201, name="main", sources=["demo-pubmed"])
    return api


async def test_lines_of_another_database_become_steps(main: Api) -> None:
    """With their numbers, what they name, and the hits that they showed."""
    made = await main.post(f"{PLACE}/paste", 201, text=OVID)
    shown = await main.get(PLACE)

    assert made["syntax"] == "ovid"
    assert [step["number"] for step in shown["steps"]] == [1, 2, 3]
    assert shown["steps"][2]["parents"] == [1, 2]
    assert [step["details"]["hits"] for step in made["steps"]] == [120, 45, 7]


@each(
    ("members", "said"),
    [
        ({}, "text"),
        ({"text": ""}, ""),
        ({"text": "1. gambling.ti,ab.\n2. 1 and 7"}, "7"),
        ({"text": OVID, "syntax": "klingon"}, "syntax"),
        ({"text": "a" * 500_001}, "500,000"),
        ({"text": "\n".join(f"{n}. debt.ti." for n in range(1, 502))}, "500 lines"),
    ],
)
async def test_lines_that_cannot_be_read(main: Api, members: dict[str, object], said: str) -> None:
    """The problem says why, and no line is added."""
    problem = await main.post(f"{PLACE}/paste", 400, **members)

    assert said in problem["detail"]
    assert (await main.get(PLACE))["steps"] == []


async def test_a_strategy_is_written_in_another_syntax(main: Api) -> None:
    """One line a step, as it is typed there."""
    await main.post(f"{PLACE}/paste", 201, text=OVID)

    ovid = await main.get(f"{PLACE}/written", syntax="ovid")
    cnki = await main.get(f"{PLACE}/written", syntax="cnki")
    unknown = await main.get(f"{PLACE}/written", 400, syntax="klingon")

    assert [line["text"] for line in ovid["lines"]] == [
        "gambling.ti,ab.",
        "debt*.ti,ab.",
        "1 and 2",
    ]
    assert [line["label"] for line in ovid["lines"]] == ["1", "2", "3"]
    assert len(cnki["lines"]) == 1
    assert cnki["notes"]
    assert unknown["errors"][0]["parameter"] == "syntax"
    assert "is missing" in (await main.get(f"{PLACE}/written", 400))["detail"]


async def test_a_copy_has_its_steps_in_another_order(main: Api) -> None:
    """New numbers are put into what names them; without an order they stay as they are."""
    await main.post(f"{PLACE}/paste", 201, text=OVID)

    same = await main.post(f"{PLACE}/copy", 201, name="same")
    turned = await main.post(f"{PLACE}/copy", 201, name="turned", order=[2, 1, 3])
    wrong = await main.post(f"{PLACE}/copy", 400, name="wrong", order=[1, 2])
    taken = await main.post(f"{PLACE}/copy", 400, name="main")

    assert [step["text"] for step in same["steps"]] == [
        "gambling.ti,ab.",
        "debt*.ti,ab.",
        "1 and 2",
    ]
    assert [step["text"] for step in turned["steps"]][:2] == ["debt*.ti,ab.", "gambling.ti,ab."]
    assert turned["steps"][2]["parents"] == [1, 2]
    assert turned["details"]["derived_from"]["strategy"] == "main"
    assert "each step once" in wrong["detail"]
    assert "main" in taken["detail"]
    names = {each["name"] for each in (await main.get("/g/strategies"))["strategies"]}
    assert names == {"main", "same", "turned"}


async def test_a_search_file_is_written_and_read_again(main: Api) -> None:
    """The steps of the copy are those of the strategy."""
    await main.post(f"{PLACE}/paste", 201, text=OVID)
    await main.post("", 201, name="h")

    async with main.session.get(f"{main.base}{PLACE}/search-file") as response:
        content = await response.read()
        assert response.headers["Content-Disposition"] == 'attachment; filename="search.json"'
    packed = base64.b64encode(content).decode()
    made = await main.post("/h/search-files", 201, name="a.json", base64=packed, strategy="again")
    before, after = await main.get(PLACE), await main.get("/h/strategies/again")

    assert json.loads(content)["platform"] == "pubmed"
    assert [each["name"] for each in made["strategies"]] == ["again"]
    assert [step["text"] for step in after["steps"]] == [step["text"] for step in before["steps"]]


@each(
    "members",
    [
        {"name": "a.json"},
        {"name": "a.json", "text": "{"},
        {"name": "a.json", "text": '{"search_string": 5}'},
        {"name": "a.json", "text": "[" * 1_000},
        {"name": "a.json", "base64": "*"},
        {"text": "{}"},
    ],
)
async def test_what_is_no_search_file(main: Api, members: dict[str, object]) -> None:
    """It is refused, and no strategy is made."""
    await main.post("/g/search-files", 400, **members)

    assert len((await main.get("/g/strategies"))["strategies"]) == 1


@pytest.mark.parametrize(("size", "status"), [(2_000_001, 400), (6_000_001, 413)])
async def test_a_search_file_that_is_too_large(main: Api, size: int, status: int) -> None:
    """It is refused before it is read."""
    body = io.BytesIO(json.dumps({"name": "a.json", "text": " " * size}).encode())

    async with main.session.post(
        f"{main.base}/g/search-files", data=body, headers={"Content-Type": "application/json"}
    ) as response:
        assert response.status == status, await response.text()


async def test_what_cannot_be_written_as_a_search_file(main: Api) -> None:
    """An empty strategy, a step that is not there, a syntax that is none."""
    empty = await main.get(f"{PLACE}/search-file", 400)
    await main.post(f"{PLACE}/paste", 201, text=OVID)

    assert "no step" in empty["detail"]
    await main.get(f"{PLACE}/search-file", 400, step="9")
    await main.get(f"{PLACE}/search-file", 400, syntax="klingon")
