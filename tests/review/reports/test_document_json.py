"""A report as JSON: read back as it was, the same bytes for the same report, bad input told."""

from __future__ import annotations

import copy

import orjson
import pytest

from metasearch.errors import UsageError
from metasearch.review.reports import document as document_json
from metasearch.review.reports.document import (
    Document,
    Paragraph,
    Span,
    check_document,
    digest,
    from_json,
    to_json,
)
from tests.review.reports.documents import every_block


def test_a_document_is_read_back_as_it_was():
    """Every block and every field returns, but for what no format can hold."""
    document = check_document(every_block())
    assert from_json(to_json(document)) == document
    assert document.blocks[3] == Paragraph(
        text="first line\nsecond line\t<script>alert(1)</script> | **b** [x](javascript:y) `c` "
        "&amp; \n ]]>"
    )


def test_the_bytes_are_canonical():
    """Keys are in order, what is as usual is left out, and the digest is of these bytes."""
    document = Document(kind="k", title="t", blocks=(Paragraph(text=(Span(text="a"),)),))
    assert to_json(document) == (
        b'{"blocks":[{"block":"paragraph","text":[{"text":"a"}]}],"kind":"k","title":"t"}'
    )
    assert digest(document) == digest(from_json(to_json(document)))
    assert digest(document) != digest(Document(kind="k", title="t"))


def spoiled():
    """(what is wrong, a report in which it is) for each kind of mistake."""
    whole = orjson.loads(to_json(every_block()))

    def changed(change):
        data = copy.deepcopy(whole)
        change(data)
        return orjson.dumps(data)

    yield "it is no JSON", b"{"
    yield "it must be an object", b"[]"
    yield "title is missing", b'{"kind":"k"}'
    yield "unknown: script", changed(lambda it: it.update(script="x"))
    yield "it must be one of en, zh", changed(lambda it: it.update(language="fr"))
    yield "it must be an array", changed(lambda it: it.update(blocks={}))
    yield "there is no such block", changed(lambda it: it["blocks"].append({"block": "svg"}))
    yield "there is no such block", changed(lambda it: it["blocks"].append(["block"]))
    yield "a level is 1 to 4", changed(lambda it: it["blocks"][0].update(level=5))
    yield "it must be a string", changed(lambda it: it["blocks"][0].update(text=3))
    yield "it must have 2 items", changed(lambda it: it["cover"].append(["one"]))
    yield "as many cells as the head", changed(lambda it: it["blocks"][5]["rows"].append(["one"]))
    yield "there is no such column", changed(lambda it: it["blocks"][5].update(numbers=[2]))
    yield "a width above 0", changed(lambda it: it["blocks"][5].update(widths=[0, 1]))
    yield "a whole number", changed(lambda it: it["blocks"][-1].update(width=True))
    yield "a whole number", changed(lambda it: it["blocks"][-1].update(width=1e300))
    yield "true or false", changed(lambda it: it.update(cover_page="no"))
    yield "it is no JSON", b"[" * 100_000
    yield (
        "outside of the diagram",
        changed(lambda it: it["blocks"][-1]["boxes"][0].update(rows=9**9)),
    )
    yield "outside of the diagram", changed(lambda it: it["blocks"][-1]["boxes"][0].update(x=-1))
    yield "it has no boxes", changed(lambda it: it["blocks"][-1].update(boxes=[]))
    yield (
        "2 to 20 points",
        changed(lambda it: it["blocks"][-1]["arrows"][0].update(points=[[1, 1]])),
    )
    yield "no such number", changed(lambda it: it["blocks"][7].update(start=-1))


def test_what_is_no_document_is_told_with_its_place():
    """A file that is none raises an error that says what is wrong, and never another one."""
    for reason, content in spoiled():
        with pytest.raises(UsageError, match=r"of the report: .*") as error:
            from_json(content)
        assert reason in str(error.value)
        assert error.value.advice
    with pytest.raises(UsageError, match=r"\.blocks\[5\]\.rows\[0\] of the report"):
        from_json(
            orjson.dumps(
                orjson.loads(to_json(every_block()))
                | {
                    "blocks": [{"block": "page break"}] * 5
                    + [{"block": "table", "head": ["a"], "rows": [3]}]
                }
            )
        )


def test_a_report_that_is_too_large_is_not_read(monkeypatch):
    """More bytes than a report may have are refused before they are read."""
    monkeypatch.setattr(document_json, "MOST_BYTES", 10)
    with pytest.raises(UsageError, match="larger than"):
        from_json(b'{"kind":"k","title":"t"}')
