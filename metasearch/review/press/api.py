"""Reviews of strategies as a JSON interface: of a project's strategy, and of a text."""

from __future__ import annotations

import asyncio

from aiohttp import web

from metasearch.engine.options import OPTIONS
from metasearch.query.syntaxes import TARGETS
from metasearch.review.api import (
    Member,
    Members,
    answer,
    body_of,
    parameters_of,
    project_request,
)
from metasearch.review.press.answer import Review, review_text
from metasearch.review.press.peer_review import syntax_of, text_of
from metasearch.review.press.target_rules import target_rules
from metasearch.review.store.database import Database
from metasearch.review.strategies import steps
from metasearch.review.strategies.api import strategy_of
from metasearch.review.strategies.strategies import Strategy

#: Characters of a text that a server reviews.
LONGEST = 200_000
_TO = Member(help="The syntax of a database that it will be written in.", choices=tuple(TARGETS))
REVIEW: Members = {"to": _TO}
TEXT: Members = {
    "text": Member(
        help="A strategy as it stands there: one query, or lines with numbers.",
        required=True,
        most=LONGEST,
        example="1. gambling.ti,ab.\n2. debt*.ti,ab.\n3. 1 and 4",
    ),
    "syntax": Member(
        help="What it is written in; `auto` recognises it.",
        choices=OPTIONS["syntax"].choices,
        example="ovid",
    ),
    "to": _TO,
}


async def answer_strategy(request: web.Request) -> web.Response:
    """`/api/projects/UID/strategies/NAME/review`: what is wrong with a strategy."""
    here, shown = await strategy_of(request)
    asked = parameters_of(request.query, REVIEW)
    rules = target_rules([asked["to"]] if "to" in asked else [])
    text, syntax = await here.workspace.read(text_and_syntax, shown)
    async with here.shared.admission.brief():
        made = await asyncio.to_thread(review_text, text, syntax, *rules)
    return answer(object_of(made))


async def answer_text(request: web.Request) -> web.Response:
    """`/api/projects/UID/review`: what is wrong with a text. Nothing is kept of it."""
    here = await project_request(request)
    given = await body_of(request, TEXT)
    rules = target_rules([given["to"]] if "to" in given else [])
    async with here.shared.admission.brief():
        made = await asyncio.to_thread(review_text, given["text"], given.get("syntax"), *rules)
    return answer(object_of(made))


def text_and_syntax(db: Database, shown: Strategy) -> tuple[str, str]:
    """The text of a strategy, and its syntax."""
    listed = steps.of(db, shown)
    return text_of(listed), syntax_of(listed)


def object_of(made: Review) -> dict[str, object]:
    """A review with the text that its places are in."""
    return {"text": made.strategy.text, **made.as_json()}
