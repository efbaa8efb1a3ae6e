"""Reviews of strategies by the JSON interface."""

from __future__ import annotations

from tests.review.api.conftest import Api


async def test_a_strategy_is_reviewed(api: Api) -> None:
    """Its findings with their lines; places are in the text that stands beside them."""
    await api.post("", 201, name="g")
    await api.post("/g/strategies", 201, name="main")
    for text in ("title:sleep OR title:nap", "title:work", "title:night", "#1 AND #2"):
        await api.post("/g/strategies/main/steps", 201, text=text)
    made = await api.get("/g/strategies/main/review")
    [unused] = [one for one in made["findings"] if one["code"] == "unused-line"]
    place = unused["place"]

    assert unused["line"] == 3
    assert made["text"][place["start"] : place["end"]] == place["text"] == "title:night"


async def test_a_text_is_reviewed_and_not_kept(api: Api) -> None:
    await api.post("", 201, name="g")
    made = await api.post("/g/review", 200, text="1. nap.ti.\n2. 1 or 7", syntax="ovid")

    assert [(one["line"], one["code"]) for one in made["findings"]] == [(2, "line-missing")]
    assert (await api.get("/g/strategies"))["strategies"] == []


async def test_a_text_that_is_too_long_is_refused(api: Api) -> None:
    await api.post("", 201, name="g")
    problem = await api.post("/g/review", 400, text="a" * 200_001)

    assert "200,000" in problem["detail"]
