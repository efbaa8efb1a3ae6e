"""Web pages fetch their lists of results as pieces of HTML, which are read where a source answers
in HTML."""

from __future__ import annotations

import pytest

from metasearch.adapters.parse.bodies import UNCLOSED
from metasearch.adapters.parse.parse import PageContent, parse
from metasearch.adapters.request import Page, Request
from metasearch.adapters.specs.registry import Registry
from metasearch.errors import AccessDenied, NotParsable, RateLimited
from metasearch.settings import Settings
from tests.cases import each

REGISTRY = Registry(Settings())
TABLE = '<table class="result-table-list"><tbody>{}</tbody></table>'
ROW = (
    '<tr><td class="name"><a>湖泊研究<br>续</a></td><td class="author">张三</td><td '
    'class="date">2020</td></tr>'
)


def read(body: str, source: str = "cnki") -> PageContent:
    request = Request(source=source, url="https://a.example/", size=20, wanted=20)
    return parse(Page(request=request, body=body.encode(), status=200), REGISTRY.spec(source))


@each("before", ["", "<!-- a comment -->", "\r\n  ", "<script>var a = '<table>';</script></table>"])
def test_a_piece_of_a_page_is_read(before: str) -> None:
    """It begins like XML and is none: `<br>` is never closed."""
    parsed = read(before + TABLE.format(ROW))

    assert [it.year for it in parsed.records] == [2020]
    assert parsed.notes == ()


def test_a_piece_that_is_not_closed_is_read_and_told() -> None:
    """A table without its end may have lost rows."""
    parsed = read(TABLE.format(ROW).partition("</tbody>")[0])

    assert len(parsed.records) == 1
    assert parsed.notes == (UNCLOSED,)


def test_xml_stays_xml_where_a_source_answers_in_xml() -> None:
    """A table is no answer of J-STAGE."""
    with pytest.raises(NotParsable):
        read("<table><tr><td>1</td></tr></table>", "jstage")


def test_a_login_is_no_empty_answer() -> None:
    """What asks for a login refuses, and says which variable holds the session."""
    with pytest.raises(AccessDenied) as raised:
        read(
            "<html><head><title>知网</title></head><body><form "
            'action="/login"></form></body></html>'
        )
    assert raised.value.advice is not None
    assert "METASEARCH_CNKI_KEY" in raised.value.advice


@each(
    ("source", "body", "error"),
    [
        ("kci", "<MetaData><error>등록되지 않은 key 입니다.</error></MetaData>", AccessDenied),
        ("nstl", '{"code": "500", "message": "访问过于频繁，请稍后再试"}', RateLimited),
        ("nstl", '{"code": "401", "message": "请先登录"}', AccessDenied),
    ],
)
def test_refusals_are_understood_in_korean_and_chinese(
    source: str, body: str, error: type[Exception]
) -> None:
    """A key that is unknown, a login that is missing, and too many requests."""
    with pytest.raises(error):
        read(body, source)
