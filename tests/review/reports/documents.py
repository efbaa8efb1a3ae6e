"""A document with every block, and with texts that no format may take for markup."""

from __future__ import annotations

from metasearch.review.reports.document import (
    Arrow,
    Box,
    Code,
    Document,
    FieldRows,
    Figure,
    Heading,
    Items,
    PageBreak,
    Paragraph,
    Quote,
    Remark,
    SignatureLines,
    Span,
    Table,
)

#: Markup of every format that we write, and what XML cannot hold.
HOSTILE = "<script>alert(1)</script> | **b** [x](javascript:y) `c` &amp; \x00\x0b\ud800 ]]>"
SEARCH = "(沉水植物+贝类+鱼类)*生态系统*水质*(种类+密度)"

TABLE = Table(
    caption="Hits",
    head=("Database", "Hits"),
    rows=(("CNKI", "12"), ((Span(text="万方", bold=True), Span(text="\n" + HOSTILE)), "1,234")),
    numbers=(1,),
    widths=(3, 1),
)
FIGURE = Figure(
    title="Flow",
    description="From 3 records to 2.",
    width=320,
    height=220,
    boxes=(
        Box(lines=("Screening",), x=0, y=24, width=26, height=180, role="stage", row=1, rows=2),
        Box(lines=("Databases",), x=40, y=0, width=100, height=0, role="label", column=1),
        Box(lines=("Screened: 3", HOSTILE), x=40, y=24, width=100, height=60, row=1, column=1),
        Box(lines=("Excluded: 1",), x=190, y=24, width=100, height=40, row=1, column=2),
        Box(lines=("Included: 2",), x=40, y=120, width=100, height=40, row=2, column=1),
    ),
    arrows=(
        Arrow(points=((140, 40), (190, 40)), cells=((1, 1), (1, 2))),
        Arrow(points=((90, 84), (90, 120)), cells=((1, 1), (2, 1))),
    ),
    table=TABLE,
)


def every_block(language="zh", *, draft=True) -> Document:
    """A report with all that a report can have."""
    return Document(
        kind="test",
        title="科技查新报告",
        subtitle=HOSTILE,
        language=language,
        cover=(("项目名称", HOSTILE), ("委托人", "水生所")),
        cover_page=True,
        draft=("未筛选 3 篇", HOSTILE) if draft else (),
        blocks=(
            Heading(text="查新点", number="一、"),
            Heading(text=HOSTILE, level=4),
            Paragraph(
                text=(
                    Span(text="bold", bold=True),
                    Span(text="both", bold=True, italic=True),
                    Span(text="[1]", superscript=True),
                    Span(text="a `b` | *c*", code=True),
                    Span(text="a DOI", link="https://doi.org/10.1/x?a=1&b=(2)"),
                    Span(text="no link", link="javascript:alert(1)"),
                )
            ),
            Paragraph(text=f"first line\nsecond line\t{HOSTILE}"),
            FieldRows(rows=(("数据库", "CNKI"), (HOSTILE, HOSTILE))),
            TABLE,
            Items(items=("1. one", "+ two\n- three")),
            Items(items=("a", HOSTILE), ordered=True, start=3),
            Items(items=("a",), ordered=True),
            Code(text=f"{SEARCH}\n  ```{HOSTILE}", label="CNKI"),
            Quote(text=HOSTILE),
            Remark(text="a note"),
            Remark(text="31 of 40 records were obtained", warning=True),
            PageBreak(),
            SignatureLines(lines=(("查新员", ""), ("审核员", "王"))),
            FIGURE,
        ),
    )
