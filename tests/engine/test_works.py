"""Works are found again by their ids: for a day, after a restart, by another process."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from metasearch.cache import DiskStore, MemoryStore
from metasearch.engine import results
from metasearch.engine.engine import Engine
from metasearch.engine.results import WorkStore
from metasearch.record import Hit
from metasearch.settings import Settings
from tests.formats.test_hits import FULL


async def test_a_kept_work_is_found() -> None:
    """Without a cache: in memory. Another id finds nothing."""
    kept = WorkStore(None)
    await kept.keep([FULL])

    assert await kept.find(FULL.id) == FULL
    assert await kept.find("h000000000000") is None
    assert await kept.find("no id of a hit" * 1000) is None


async def test_it_outlasts_a_restart(tmp_path: Path) -> None:
    """And another worker finds it: it lies in the cache."""
    settings = Settings(cache_dir=tmp_path)
    async with Engine(settings) as first:
        await first.works.keep([FULL])
    async with Engine(settings) as second, Engine(settings) as third:
        assert await second.works.find(FULL.id) == FULL
        assert await third.works.find(FULL.id) == FULL


async def test_a_search_by_itself_keeps_nothing(tmp_path: Path) -> None:
    """The folder of the cache is not even made."""
    async with Engine(Settings(cache_dir=tmp_path / "cache")) as engine:
        assert await engine.works.find(FULL.id) is None
    store = DiskStore(tmp_path / "cache")
    assert (await store.stats()).entries == 0
    await store.close()


async def test_it_is_forgotten_after_a_day() -> None:
    now = 0.0
    kept = WorkStore(MemoryStore(clock=lambda: now))
    await kept.keep([FULL])
    now = results.KEPT - 1
    assert await kept.find(FULL.id) == FULL
    now = results.KEPT
    assert await kept.find(FULL.id) is None


async def test_damaged_bytes_are_deleted_and_reported(caplog: pytest.LogCaptureFixture) -> None:
    store = MemoryStore()
    kept = WorkStore(store)
    await kept.keep([FULL])
    await store.set(f"work:{FULL.id}", b"damaged", 60)

    with caplog.at_level(logging.WARNING):
        assert await kept.find(FULL.id) is None
    assert "h0123456789ab was deleted" in caplog.text
    assert (await store.stats()).entries == 0


async def test_number_and_size_are_bounded(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is not kept is reported."""
    monkeypatch.setattr(results, "MOST_WORKS", 2)
    many: list[Hit] = [replace(FULL, id=f"h{number:012x}") for number in range(4)]
    huge = replace(FULL, record=replace(FULL.record, abstract="a" * results.LARGEST))
    store = MemoryStore()

    with caplog.at_level(logging.WARNING):
        await WorkStore(store).keep([huge, *many])
    assert (await store.stats()).entries == 2
    assert "2 works beyond 2 are not kept" in caplog.text
    assert f"{FULL.id} has " in caplog.text


async def test_a_work_of_a_basket_is_kept_longer() -> None:
    """To show its page meanwhile, for a day, does not shorten that; it shows what was seen last."""
    now = 0.0
    kept = WorkStore(MemoryStore(clock=lambda: now))
    later = replace(FULL, rank=99)
    await kept.keep([FULL], results.KEPT_IN_BASKET)
    await kept.keep([later])
    assert await kept.find(FULL.id) == later
    now = results.KEPT_IN_BASKET - 1
    assert await kept.find(FULL.id) == FULL
    now = results.KEPT_IN_BASKET
    assert await kept.find(FULL.id) is None


async def test_a_work_is_renewed_once_a_day() -> None:
    """A basket that is opened again and again writes nothing."""
    now, written = 0.0, 0

    class Counting(MemoryStore):
        async def set(self, key: str, value: bytes, ttl: float, tag: str = "") -> None:
            nonlocal written
            written += len(value) > 1
            await super().set(key, value, ttl, tag)

    kept = WorkStore(Counting(clock=lambda: now))
    await kept.keep([FULL], results.KEPT_IN_BASKET)
    for hour in range(23):
        now = hour * 3600.0
        await kept.renew([FULL], results.KEPT_IN_BASKET)
    assert written == 1
    now = results.KEPT_IN_BASKET - 1
    await kept.renew([FULL], results.KEPT_IN_BASKET)
    assert written == 2
    now += results.KEPT_IN_BASKET - 1
    assert await kept.find(FULL.id) == FULL


async def test_what_is_not_kept_is_returned() -> None:
    huge = replace(
        FULL, id="h" + "1" * 12, record=replace(FULL.record, abstract="a" * results.LARGEST)
    )

    assert await WorkStore(None).keep([huge, FULL]) == [huge]
