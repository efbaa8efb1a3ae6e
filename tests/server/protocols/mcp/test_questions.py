"""Which words of a question are searched for; and thirty questions with known answers."""

from __future__ import annotations

from contextlib import asynccontextmanager

import pytest

from metasearch.server.protocols.assistant_questions import plain_words, words_of
from tests import cases
from tests.server.protocols.mcp.asking import (
    MOST_TOKENS,
    ask_all,
    over_http,
    over_stdio,
    questions,
)
from tests.server.protocols.mcp.conftest import connected, server


@cases.each(
    ("text", "words"),
    [
        ("Does coffee change the risk of breast cancer?", "coffee change risk breast cancer"),
        ("find papers about CRISPR-Cas9 in rice", "CRISPR-Cas9 rice"),
        ("Who wrote about the CIO's job", "CIO's job"),
        ("什么是乳腺癌的病因？", "乳腺癌 病因"),
    ],
)
def test_words_that_carry_a_question(text, words):
    assert words_of(text) == words.split()


@cases.each(
    "text",
    [
        "coffee and breast cancer risk",
        "vitamin a in rice",
        "does AND coffee",
        'what is "gene drive"',
        "title:what is life",
        "10.1000/abc",
        "乳腺癌术后护理",
    ],
)
def test_what_is_no_question_is_left_as_it_is(text):
    assert words_of(text) == []


def test_work_is_bounded():
    assert len(words_of("what " + " ".join(f"word{n}" for n in range(5_000)))) == 20
    assert len(plain_words(" ".join(f"word{n}" for n in range(5_000)))) == 20


@asynccontextmanager
async def over_a_fast_server():
    async with server() as running, connected(running) as client:
        yield client


@pytest.mark.parametrize(
    "opened",
    [
        over_a_fast_server,
        pytest.param(over_stdio, marks=pytest.mark.slow),
        pytest.param(over_http, marks=pytest.mark.slow),
    ],
)
@pytest.mark.slow
async def test_thirty_questions_have_their_answers(opened):
    """Asked by a real client; each answer is small."""
    pytest.importorskip("mcp")
    async with opened() as client:
        asked = await ask_all(client)

    assert len(asked) == len(questions()) == 30
    assert [each.text for each in asked if not each.place] == []
    assert max(each.tokens for each in asked) < MOST_TOKENS
