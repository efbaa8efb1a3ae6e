"""Answers stay small whatever databases write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metasearch.engine.facets import FACETS, MOST_VALUES
from metasearch.engine.options import OPTIONS
from metasearch.record import Author, Hit, Record
from metasearch.server.protocols.mcp import works
from metasearch.server.protocols.mcp.works import (
    MOST_TOKENS,
    cut_to_tokens,
    fit_facets,
    fit_works,
    size,
    tokens,
)
from tests import cases
from tests.cases import sample

#: What hosts allow.
HOSTS = 25_000


def hit(number=0, **fields):
    record = Record(source="alpha", position=number, **fields)
    return Hit(id=f"h{number:012x}", record=record, records=(record,), provenance={})


@pytest.mark.parametrize(
    "text",
    sample(
        [
            "",  # what we say ourselves
            "10.1016/j.cell.2019.06.012 W2741809807 978-3-16-148410-0 " * 20,
            "叙事护理对乳腺癌术后患者焦虑抑郁及病耻感水平影响的研究" * 20,
            "Über die spezielle und die allgemeine Relativitätstheorie " * 20,
            "Исследование влияния игровых автоматов на здоровье населения " * 20,
            "기계 학습을 이용한 한국어 개체명 인식 연구 " * 20,
        ],
        3,
    ),
)
def test_the_estimate_is_not_below_a_real_tokenizer(text):
    """Compared with the pieces of Llama 2, which are shorter than those of newer models."""
    wordllama = pytest.importorskip("importlib.util").find_spec("wordllama")
    tokenizers = pytest.importorskip("tokenizers")
    if wordllama is None:
        pytest.skip("wordllama is not installed: it has the tokenizer")
    (folder,) = wordllama.submodule_search_locations
    pieces = Path(folder) / "tokenizers" / "l2_supercat_tokenizer_config.json"
    real = tokenizers.Tokenizer.from_file(str(pieces))
    real.no_truncation()
    if not text:
        from metasearch.server.protocols.mcp.protocol import INSTRUCTIONS, TOOLS

        text = INSTRUCTIONS + json.dumps(TOOLS["search_papers"].result)

    assert tokens(text) >= len(real.encode(text, add_special_tokens=False).ids)


@cases.each("text", ["word " * 50_000, "汉字" * 50_000, "10.1/x " * 50_000])
def test_a_long_text_is_cut_to_its_share(text):
    short = cut_to_tokens(text, 1_000)

    assert 800 <= tokens(short) <= 1_000
    assert short.endswith("…")
    assert cut_to_tokens("short", 1_000) == "short"


def write(each, characters):
    return works.work(each, characters, None)


def test_abstracts_are_cut_before_works_are_left_out():
    """Each cut is told."""
    small = [hit(n, title=f"Title {n}", abstract="An abstract. " * 3) for n in range(10)]
    long = [hit(n, title=f"Title {n}", abstract="An abstract. " * 300) for n in range(40)]
    huge = [
        hit(n, title="標題" * 1_000, venue="刊" * 1_000, abstract="摘要" * 1_000) for n in range(50)
    ]

    assert fit_works(small, write, {})[1] == []
    kept, notes = fit_works(long, write, {})
    assert len(kept) == 40
    assert "Abstracts are cut to" in notes[0]
    kept, notes = fit_works(huge, write, {})
    assert 5 <= len(kept) < 50
    assert notes[-1] == f"Only the first {len(kept)} of these 50 works fit into one answer"
    assert size(kept) <= MOST_TOKENS


def test_a_record_without_bounds_is_bounded():
    """Thousands of authors, long names, and addresses that no one could use."""
    monster = hit(
        title="T" * 100_000,
        authors=tuple(Author(name=f"Name {n} " + "x" * 500) for n in range(5_000)),
        venue="V" * 100_000,
        doi="10.1000/" + "d" * 5_000,
        url="https://example.org/" + "u" * 5_000,
        keywords=tuple("k" * 300 for _ in range(1_000)),
        ids={f"scheme{n}": "9" * 100 for n in range(1_000)},
    )

    assert size(works.work(monster, 1_000, None)) < 2_500
    assert size(works.metadata(monster)) < MOST_TOKENS * 3 // 4
    assert "keywords" in works.metadata(monster)["left_out"]
    assert works.names(monster.record)[-1] == "and 4,994 more"
    assert works.address_of(monster, None) == f"urn:metasearch:hit:{monster.id}"


def test_what_databases_wrote_has_no_control_characters():
    """Terminal escapes, text that runs backwards, and text that hides in tags are taken out."""
    nasty = "Gene\x1b[31m drives\u202e\U000e0041 for all\x00"
    written = json.dumps(
        works.work(hit(title=nasty, abstract=nasty, venue=nasty), 1_000, None)
        | works.metadata(hit(title=nasty, publisher=nasty, keywords=(nasty,))),
        ensure_ascii=False,
    )

    assert "Gene" in written
    assert all(char.isprintable() for char in written)


def test_facets_have_as_many_values_as_fit():
    most = int(OPTIONS["facet_limit"].most)
    values = [{"value": f"value {n}", "count": n, "filter": f"x:value {n}"} for n in range(most)]
    facets = {
        "works": 1,
        "facets": {name: {"values": values, "more": 0, "missing": 0} for name in FACETS},
    }

    assert most == MOST_VALUES
    cut, notes = fit_facets(facets)
    assert size(cut) < MOST_TOKENS // 2
    assert len(notes) == 1
    assert fit_facets(None) == (None, [])


def test_both_copies_of_an_answer_are_within_what_hosts_allow():
    assert 2 * MOST_TOKENS < HOSTS


def test_what_a_host_shows_in_every_conversation_is_short():
    from metasearch.server.protocols.mcp.protocol import INSTRUCTIONS, TOOLS

    described = [
        INSTRUCTIONS,
        *(tool.description + json.dumps(tool.arguments) for tool in TOOLS.values()),
    ]

    assert sum(map(tokens, described)) < 5_000
