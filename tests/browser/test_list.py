"""The list while databases answer: what comes is shown where nothing moves, and waits elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.browser.scripted import Work, id_of, works
from tests.browser.waiting import drawn, stands, until

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_an_empty_list_is_filled_at_once(search, window):
    page = await window(search.address)
    await search.page(works(3, 1, 2))

    await page.wait_for_selector("#hits > li")
    await stands(page, 3, 1, 2)
    places = "[...document.querySelectorAll('[data-place]')].map(place => place.textContent)"
    assert await page.evaluate(places) == ["1", "2", "3"]
    assert await page.locator("#new-works").is_hidden()


async def test_works_behind_the_last_one_are_appended(search, window):
    search.first = works(1, 2)
    page = await window(search.address)
    await search.page(works(1, 2, 5, 4))

    await page.wait_for_selector(f"#w-{id_of(4)}")
    await stands(page, 1, 2, 5, 4)


async def test_works_between_others_wait_behind_the_button(search, window):
    search.first = works(1, 2)
    page = await window(search.address)
    await search.page(works(7, 1, 8, 2, 9))

    button = page.get_by_role("button", name="3 new works · show in order")
    await button.wait_for()
    await stands(page, 1, 2)
    await button.click()
    await button.wait_for(state="hidden")
    await stands(page, 7, 1, 8, 2, 9)
    assert await page.evaluate("document.activeElement.closest('li').dataset.id") == id_of(7)
    assert "3 new works are in the list." in await page.locator("#status").text_content()


async def test_a_changed_order_is_offered_at_the_end_only(search, window):
    search.first = works(1, 2, 3)
    page = await window(search.address)
    await search.page(works(3, 2, 1))

    await drawn(page)
    await stands(page, 1, 2, 3)
    assert await page.locator("#new-works").is_hidden()
    await search.page(works(3, 2, 1), done=True)
    button = page.get_by_role("button", name="The order has changed · show in order")
    await button.click()
    await button.wait_for(state="hidden")
    await stands(page, 3, 2, 1)


async def test_a_work_that_left_the_page_goes_when_the_reader_asks_and_stays_selected(
    search, window
):
    search.first = works(1, 2, 3)
    page = await window(search.address)
    await page.locator(f"#w-{id_of(3)} input").check()
    await search.page(works(9, 1, 2))

    button = page.get_by_role("button", name="1 new work · show in order")
    await button.click()
    await button.wait_for(state="hidden")
    await stands(page, 9, 1, 2)
    await page.get_by_role("button", name="Add the ticked works").click()
    await page.wait_for_url("**/basket")
    assert ("id", id_of(3)) in search.posted[0]


async def test_a_merged_work_takes_the_place_of_its_part(search, window):
    """Focus, tick and open folds move along."""
    search.first = works(1, 2)
    page = await window(search.address)
    card = page.locator("#hits > li").nth(1)
    await card.locator("input").check()
    await card.locator(".why summary").click()
    await search.page([Work(1), Work(8, sources=("alpha", "beta"), also=(2,))])

    await page.wait_for_selector(f"#w-{id_of(8)}")
    await stands(page, 1, 8)
    assert await card.locator("input").is_checked()
    assert await card.locator("input").get_attribute("value") == id_of(8)
    assert await card.locator(".why").get_attribute("open") is not None
    assert await page.evaluate("document.activeElement.closest('li').dataset.id") == id_of(8)
    assert await page.locator("#new-works").is_hidden()
    assert "In 2 databases" in await card.locator(".found").text_content()


async def test_what_is_seen_of_a_card_waits(search, window):
    """The margin grows at once, as do closed folds; title and abstract wait for the reader."""
    search.first = works(1, 2)
    page = await window(search.address)
    better = Work(1, title="A better title", sources=("alpha", "beta"))
    await search.page([better, Work(2)], done=True)

    card = page.locator("#hits > li").first
    await until(page, "document.querySelector('.found').textContent.includes('In 2')")
    assert "Work 1" in await card.locator("h3").text_content()
    button = page.get_by_role("button", name="Some works have new details · show")
    await button.click()
    await button.wait_for(state="hidden")
    assert await card.locator("h3").text_content() == "A better title"


async def test_a_card_below_the_window_changes_at_once(search, window):
    search.first = works(*range(1, 21))
    page = await window(search.address)
    changed = Work(20, title="A better title")
    await search.page([*works(*range(1, 20)), changed])

    last = page.locator("#hits > li").last
    await until(
        page, "document.querySelector('#hits > li:last-child h3').textContent", "A better title"
    )
    assert await last.is_visible()


async def test_a_card_that_leaves_the_window_downwards_changes_then(search, window):
    search.first = works(*range(1, 21))
    page = await window(search.address)
    await page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
    changed = Work(19, title="A better title")
    await search.page([*works(*range(1, 19)), changed, Work(20)])

    title = page.locator("#hits > li").nth(18).locator("h3")
    await drawn(page)
    assert "Work 19" in await title.text_content()
    await page.evaluate("window.scrollTo(0, 0)")
    await drawn(page)
    assert await title.text_content() == "A better title"


@pytest.mark.parametrize("scrolled", [0, 150, 900])
async def test_nothing_moves_in_a_hundred_updates(search, window, scrolled):
    """Neither a card on the screen, nor the focus, the selection, an open fold."""
    search.first = works(*range(1, 11))
    page = await window(search.address)
    first = page.locator("#hits > li").first
    await first.locator(".why summary").click()
    await page.evaluate(f"window.scrollTo(0, {scrolled})")
    await (
        page.locator("#hits > li")
        .nth(1)
        .locator("h3 a")
        .evaluate("link => link.focus({preventScroll: true})")
    )
    await page.evaluate(
        "document.getSelection().selectAllChildren(document.querySelectorAll('.hit-text')[1])"
    )
    look = """() => ({
      tops: [...document.querySelectorAll('#hits > li')].slice(0, 3).map(
        card => Math.round(card.getBoundingClientRect().top)),
      focus: document.activeElement.closest('li').dataset.id + document.activeElement.localName,
      selection: document.getSelection().toString(),
      open: document.querySelector('#hits > li .why').open,
    })"""
    before = await page.evaluate(look)
    known = {number: Work(number) for number in range(1, 11)}
    for turn in range(100):
        number = turn % 10 + 1
        known[number] = replace(
            known[number],
            title=f"A title that is better since turn {turn}, and quite a bit longer than before",
            sources=("alpha", "beta", "gamma")[: turn // 10 % 3 + 1],
        )
        known[100 + turn] = Work(100 + turn)
        parts = {"failures": f"<p>{turn} failed.</p>" if turn > 50 else ""}
        order = sorted(known.values(), key=lambda work: (work.number * 37 + turn) % 101)
        await search.page(order, changed=[known[number], known[100 + turn]], parts=parts)
        if turn % 10 == 9:
            assert await page.evaluate(look) == before

    await drawn(page)
    assert await page.evaluate(look) == before
    assert await page.get_by_role("button", name="100 new works").is_visible()


async def test_the_button_restores_the_order_of_many(search, window):
    """A hundred works in another order, half of them new: each stands where it should."""
    search.first = works(*range(1, 51))
    page = await window(search.address)
    order = sorted(range(1, 101), key=lambda number: number * 37 % 101)
    await search.page(works(*order), done=True)

    button = page.get_by_role("button", name="50 new works · show in order")
    await button.click()
    await button.wait_for(state="hidden")
    await stands(page, *order)
    places = (
        "[...document.querySelectorAll('[data-place]')].map(place => Number(place.textContent))"
    )
    assert await page.evaluate(places) == list(range(1, 101))
