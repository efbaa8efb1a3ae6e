"""A database that always fails, in Semantic Scholar's shape: an error that says that it is meant.

The answer is a 400, so that each request has it: after one that is overloaded (503) or wants a
pause (429) the next request would not be sent, and be told as limited.
"""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.demo.catalogue import Work
from metasearch.demo.databases.reply import Database, Reply, json_reply
from metasearch.demo.index import WorkIndex

#: What it answers; the error of the source holds these words.
PURPOSE = "this database of the demo fails on purpose"


def answer(path: str, params: Mapping[str, str], index: WorkIndex) -> Reply:
    return json_reply({"error": PURPOSE}, 400)


def fits(work: Work) -> bool:
    return False


def tell(work: Work) -> Work:
    return work


DATABASE = Database(
    name="demo-failing",
    label="Semantic Scholar (simulated, failing)",
    extends="semanticscholar",
    path="/graph/v1/paper/search",
    latency=0.03,
    share=0.0,
    fits=fits,
    tell=tell,
    answer=answer,
)
