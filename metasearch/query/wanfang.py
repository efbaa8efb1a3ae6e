"""Wanfang's 专业检索: `主题:("盐沼" AND "碳") AND Date:2018-2020`."""

from __future__ import annotations

from metasearch.query.cnki import LOST
from metasearch.query.grammar import Style, YearRanges

STYLE = Style(
    name="wanfang",
    label="Wanfang",
    bracketed=True,
    fields={
        "any": "主题:({x})",
        "title": "题名:({x})",
        "abstract": "摘要:({x})",
        "subject": "关键词:({x})",
        "author": "作者:({x})",
        "venue": "刊名:({x})",
        "doi": "DOI:({x})",
    },
    bare=False,
    truncation="",
    lost=LOST,
    years=YearRanges(
        only=("Date:{first}",),
        both=("Date:{first}-{last}",),
        since=("Date:{first}-",),
        until=("Date:-{last}",),
    ),
)
