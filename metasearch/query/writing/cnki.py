"""CNKI's 专业检索: `SU%=('盐沼'*'碳') AND YE BETWEEN ('2018','2020')`. Signs stand within a
field, words between fields.
"""

from __future__ import annotations

from metasearch.query.writing.style import DOUBLE, SINGLE, Booleans, Style, YearRanges

#: What the expert syntaxes of Chinese databases take for a sign even between quotes: quotes,
#: distances and counts.
LOST = rf"[{DOUBLE}{SINGLE}\\#$%＃＄％]|[/／](?=\s?(?:SEN|NEAR|PREV|AFT|PRG|PEG|SUB)\b)"

STYLE = Style(
    name="cnki",
    label="CNKI",
    fields={
        "any": "SU%={x}",
        "title": "TI={x}",
        "abstract": "AB={x}",
        "title abstract subject": "TKA={x}",
        "subject": "KY={x}",
        "author": "AU={x}",
        "venue": "LY={x}",
        "doi": "DOI={x}",
        "isbn": "IB={x}",
        "issn": "SN={x}",
    },
    inner=Booleans(all="*", either="+", without="-"),
    phrase="'{x}'",
    bare=False,
    truncation="",
    lost=LOST,
    years=YearRanges(
        only=("YE='{first}'",),
        both=("YE BETWEEN ('{first}','{last}')",),
        since=("YE>='{first}'",),
        until=("YE<='{last}'",),
    ),
)
