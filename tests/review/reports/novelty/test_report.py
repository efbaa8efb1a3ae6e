"""科技查新报告: every section, every number, and what keeps it a draft."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pytest

from metasearch.review.reports import render
from metasearch.review.reports.document import (
    Code,
    Document,
    FieldRows,
    Heading,
    Items,
    Paragraph,
    Remark,
    SignatureLines,
    Table,
    plain,
)
from metasearch.review.reports.novelty_report import FIELDS, document
from metasearch.review.reports.questions import NOVELTY_QUESTIONS as QUESTIONS
from metasearch.review.store.database import Database
from tests.review.reports.novelty.example import ANSWERS, POINTS, TYPED, WORKS, Made, made


def texts(report: Document) -> Iterator[str]:
    """Every text of a report."""
    yield from (plain(part) for row in report.cover for part in row)
    for block in report.blocks:
        match block:
            case FieldRows():
                yield from (plain(part) for row in block.rows for part in row)
            case Table():
                yield from block.head
                yield from (plain(cell) for row in block.rows for cell in row)
            case Items():
                yield from map(plain, block.items)
            case Heading() | Paragraph() | Remark() | Code():
                yield plain(block.text)


def table(report: Document, caption: str) -> list[tuple[str, ...]]:
    """The rows of the table with this caption."""
    found = [b for b in report.blocks if isinstance(b, Table) and b.caption.startswith(caption)]
    return [tuple(map(plain, row)) for row in found[0].rows]


def report_of(it: Made, number: str = "") -> Document:
    """The report as it is now."""
    return document(it.project, number=number)


def test_a_complete_report_has_all_sections_in_the_order_of_the_standard(db: Database) -> None:
    """Nine, numbered in Chinese; the cover has its six fields and the number."""
    report = report_of(made(db), "2026HB010001")
    heads = [b.text for b in report.blocks if isinstance(b, Heading) and b.level == 1]
    assert heads == [
        "一、查新目的",
        "二、项目的科学技术要点",
        "三、查新点与查新要求",
        "四、文献检索范围及检索策略",
        "五、检索结果",
        "六、查新结论",
        "七、查新员、审核员声明",
        "八、附件清单",
        "九、备注",
    ]
    assert dict(report.cover)["报告编号"] == "2026HB010001"
    assert dict(report.cover)["项目名称"] == "浅水湖泊动植物联合修复技术"
    assert dict(report.cover)["委托日期"] == "2026 年 10 月 12 日"
    assert report.draft == ()


@pytest.mark.parametrize("answers", [True, False])
def test_no_field_is_empty(db: Database, *, answers: bool) -> None:
    """ "略" stands where there is nothing to say, in a draft without any answer, too."""
    for text in texts(report_of(made(db, answers=answers))):
        assert text.strip()


def test_what_is_required_and_missing_is_no_field_that_does_not_apply(db: Database) -> None:
    """A draft tells the two apart."""
    it = made(db)
    it.answered({"novelty.client": None, "novelty.client_contact": None})
    fields = [dict(b.rows) for b in report_of(it).blocks if isinstance(b, FieldRows)]
    assert (fields[0]["委托人"], fields[0]["委托人通信方式"]) == ("（待填）", "略")


def test_every_answer_stands_in_the_report(db: Database) -> None:
    """Whatever a person wrote is printed; but for the code of the number."""
    report = " ".join(texts(report_of(made(db))))
    for key, answer in ANSWERS.items():
        for part in (answer,) if isinstance(answer, str) else answer:  # type: ignore[attr-defined]
            for line in part.split("\n"):
                if key not in ("novelty.ordered", "novelty.completed", "novelty.org"):
                    assert line in report


def test_the_table_of_results_says_hits_and_related_works_of_each_database(db: Database) -> None:
    """Hits are those the database claims; a failure is not 0, and an unsure number says so."""
    rows = table(report_of(made(db)), "检索结果统计")
    assert rows == [
        ("CORE", "2000—至今", f"#1：{TYPED}", "检索失败", "—"),
        ("Crossref", "2000—2026", f"#1：{TYPED}", "约 2", "1"),
        ("OpenAlex", "2000—2026", f"#1：{TYPED}", "1,204", "2"),
        ("万方数据", "2000—2026", "主题:(沉水植物 and 河蚌)", "1", "1"),
    ]


def test_what_a_person_searched_is_told_with_its_file_and_its_day(db: Database) -> None:
    """Nobody may think that a program was in that database."""
    report = report_of(made(db))
    rows = {row[1]: row for row in table(report, "检索的数据库")}
    assert rows["万方数据"][2:] == ("手工检索，导入文件 wanfang.net", "2000—2026", "2026-11-17")
    assert rows["OpenAlex"][2] == "机检"
    assert any("该数据库未由程序访问" in text for text in texts(report))


def test_years_are_those_of_the_strategy_or_of_the_search_by_hand(db: Database) -> None:
    """What the searcher says of the databases searched by hand comes before; none is no limit."""
    it = made(db)
    it.answered({"novelty.years": "1989-2026"})
    rows = {row[1]: row[3] for row in table(report_of(it), "检索的数据库")}
    assert (rows["万方数据"], rows["OpenAlex"]) == ("1989—2026", "2000—2026")
    it.answered({"novelty.years": None})
    db.run("UPDATE strategy SET years = ''")
    db.run("UPDATE run SET options = '{}'")
    rows = {row[1]: row[3] for row in table(report_of(it), "检索的数据库")}
    assert (rows["万方数据"], rows["OpenAlex"]) == ("不限", "不限")


def test_each_database_is_there_with_the_query_that_it_received(db: Database) -> None:
    """Exactly as sent, beside the strategy as typed."""
    report = report_of(made(db))
    sent = {b.label: b.text for b in report.blocks if isinstance(b, Code)}
    assert sent["3. OpenAlex（机检，步骤 #1，2026-11-18）"] == "(沉水植物 OR 贝类) AND 水质"
    assert table(report, "检索策略") == [("#1", TYPED, "略")]


def test_what_was_not_obtained_is_told(db: Database) -> None:
    """Hits that were not fetched, and databases that failed, are warnings of the report."""
    report = report_of(made(db), "1")
    warnings = [plain(b.text) for b in report.blocks if isinstance(b, Remark) and b.warning]
    assert warnings == [
        "CORE（步骤 #1）检索失败（超时），未取得结果",
        "OpenAlex（步骤 #1）命中 1,204 篇，取得题录 3 条；其余未取得，未作比较。",
        "3 篇纳入文献均未核查差错与撤稿。报告定稿之前请核查：`metasearch project check`，"  # noqa: ISC004
        "或使用报告页面。",
    ]


def test_related_works_are_cited_by_the_standard_in_the_order_of_the_list(db: Database) -> None:
    """Chinese literature first; the day of access of what is only online is that of the search."""
    lines = [text for text in texts(report_of(made(db))) if text.startswith("[")]
    assert [line.split(". ") for line in lines[:3]] == [
        [
            "[1] 陈静，刘洋",
            "沉水植物与河蚌组合对湖泊水质的影响[J]",
            "湖泊试验通报，2019，31（2）：101-109.",
        ],
        [
            "[2] Field A",
            "Stocking density of submerged macrophytes in restored shallow lakes[J/OL]",
            "Lake Restoration Letters，2021，8：1-12",
            "DOI:10.5555/lake.2021.1.",
        ],
        ["[3] Mussels and water clarity[J]", "2015."],
    ]


def test_citations_follow_the_edition_that_was_chosen(db: Database) -> None:
    """That of 2015 has names in capitals and the day on which the work was seen."""
    it = made(db)
    it.answered({"novelty.citation_style": "gb7714-2015"})
    cited = next(text for text in texts(report_of(it)) if text.startswith("[2]"))
    assert cited.startswith("[2] FIELD A. ")
    assert "[2026-11-18]" in cited


def test_the_tags_of_a_work_name_its_points_of_novelty(db: Database) -> None:
    """Each point has its closely and generally related works by their numbers."""
    rows = table(report_of(made(db)), "各查新点的对比结果")
    assert rows == [
        ("查新点 1", "[1]", "[3]", "部分见报道"),
        ("查新点 2", "[2]", "无", "未见相同报道"),
    ]


def test_all_works_are_about_the_only_point(db: Database) -> None:
    """Where there is one, nothing needs to be tagged."""
    it = made(db, answers=False)
    it.db.run("DELETE FROM tag")
    it.answered({key: value for key, value in ANSWERS.items() if not key.endswith(".2")})
    it.answered({"novelty.points": POINTS[:1]})
    report = report_of(it)
    assert table(report, "各查新点的对比结果") == [("查新点 1", "[1][2]", "[3]", "部分见报道")]
    assert report.draft == ()


def test_what_was_decided_on_the_whole_text_goes_before(db: Database) -> None:
    """A work that was left out after reading is not related."""
    it = made(db)
    it.mark(WORKS[0], "excluded", stage="fulltext")
    it.mark(WORKS[3], "relevant", "查新点1", stage="fulltext")
    titles = [text for text in texts(report_of(it)) if text.startswith("[")]
    assert not any(WORKS[0].title in text for text in titles)
    assert any(WORKS[3].title in text for text in titles)


def test_the_numbers_of_the_summary_agree_with_the_store(db: Database) -> None:
    """Records of all databases, works without duplicates, and what was decided."""
    summary = next(text for text in texts(report_of(made(db))) if text.startswith("共检索"))
    assert summary == (
        "共检索 3 个数据库，取得题录 6 条，去除重复后为 5 篇文献，其中 1 篇未作判定。"
        "经筛选得相关文献 3 篇：密切相关文献 2 篇，一般相关文献 1 篇。"
    )


def test_the_newest_whole_answer_of_a_database_counts(db: Database) -> None:
    """A later failure hides nothing, and counts alone replace no records."""
    it = made(db)
    it.answer(it.run(), 1, "openalex", "OpenAlex", None, claimed=None, status="timeout")
    it.answer(it.run("counts"), 1, "openalex", "OpenAlex", None, claimed=5)
    rows = {row[0]: row for row in table(report_of(it), "检索结果统计")}
    assert rows["OpenAlex"][3:] == ("1,204", "2")
    it.answer(it.run(), 1, "openalex", "OpenAlex", WORKS[1:3], claimed=2)
    rows = {row[0]: row for row in table(report_of(it), "检索结果统计")}
    assert rows["OpenAlex"][3:] == ("2", "2")


@pytest.mark.parametrize(
    "question", [one for one in QUESTIONS if one.required], ids=lambda q: q.key
)
def test_a_report_without_a_required_answer_is_a_draft(db: Database, question: object) -> None:
    """Each missing field is named in Chinese."""
    name = question.name  # type: ignore[attr-defined]
    key = f"novelty.{name}.1" if question.each else f"novelty.{name}"  # type: ignore[attr-defined]
    it = made(db, answers=False)
    it.answered(
        {k: v for k, v in ANSWERS.items() if k != key and (name != "points" or k[-2] != ".")}
    )
    assert any(reason.startswith(f"缺项：{FIELDS[name]}") for reason in report_of(it).draft)


def test_searcher_and_reviewer_in_one_person_make_it_a_draft(db: Database) -> None:
    """Also where the answers came with an imported project and were never checked."""
    it = made(db)
    db.run("UPDATE project SET details = json_set(details, '$.novelty.reviewer', ' 李 明')")
    assert report_of(it).draft == ("查新员与审核员不得为同一人",)


def test_contradictions_make_it_a_draft(db: Database) -> None:
    """Dates, points and numbers that do not fit together are named."""
    it = made(db)
    it.answered({"novelty.completed": "2026-11-17", "novelty.org": None})
    it.mark(WORKS[2], "relevant", "查新点9")
    db.run("DELETE FROM tag WHERE work = ?", it.works[WORKS[0].title])
    assert report_of(it).draft == (
        "报告编号无法生成：请补充机构代码或修改编号格式",
        "完成日期（2026-11-17）早于最后一次检索的日期（2026-11-18）",
        "相关文献[1]未对应查新点：请加标签，如“查新点1”",
        "相关文献[3]的标签“查新点9”没有对应的查新点",
    )


def test_an_edited_or_removed_step_makes_it_a_draft(db: Database) -> None:
    """What was found by it would be reported under another query."""
    it = made(db)
    db.run("UPDATE step SET text = '水质' WHERE number = 1")
    assert report_of(it).draft == ("检索之后检索式已修改，请重新检索：湖泊 #1",)
    db.run("UPDATE step SET removed = 1 WHERE number = 1")
    assert [reason for reason in report_of(it).draft if "检索步骤已删除" in reason] == [
        f"相关文献[{number}]不在所列检索结果之内：其检索步骤已删除或修改" for number in (2, 3)
    ]


def test_without_a_search_it_is_a_draft(db: Database) -> None:
    """A report is made from runs."""
    it = made(db)
    db.run("DELETE FROM answer")
    report = report_of(it)
    assert "尚无检索结果：请运行检索策略，或导入手工检索的文件" in report.draft
    assert all(text.strip() for text in texts(report))


def test_hints_stand_in_the_draft_alone(db: Database) -> None:
    """Several topics, several statements in a point, undecided works: for the searcher, not for
    the client.
    """
    it = made(db)
    it.answered({"novelty.points": [*POINTS, "甲；乙", "丙", "丁", "戊"]})
    hints = [plain(b.text) for b in report_of(it).blocks if isinstance(b, Remark)]
    assert sum(text.startswith("提示：") for text in hints) == 3
    assert any("单一性原则" in text for text in hints)
    assert not any(text.startswith("提示：") for text in texts(report_of(it, "2026HB010001")))


def test_the_persons_sign_it(db: Database) -> None:
    """Both names, and lines that are left open for the signatures."""
    lines = next(b for b in report_of(made(db)).blocks if isinstance(b, SignatureLines)).lines
    assert lines[0] == ("查新员（李明）签字", "")
    assert lines[2] == ("审核员（王芳）签字", "")


def test_it_is_written_in_every_format_and_the_same_each_time(db: Database) -> None:
    """HTML, Markdown and JSON; Word where its package is installed."""
    it = made(db)
    for name in ("html", "md", "json"):
        assert render.write(report_of(it), name) == render.write(report_of(it), name)
    assert "科技查新报告".encode() in render.write(report_of(it), "html")


def test_the_word_file_has_the_page_and_the_fonts_of_the_form(db: Database) -> None:
    """A4, 28 and 30 mm, 宋体 小四 and Times New Roman, the cover in 三号; every text is there."""
    docx = pytest.importorskip("docx")
    report = report_of(made(db), "2026HB010001")
    word = docx.Document(io.BytesIO(render.write(report, "docx")))
    page = word.sections[0]
    assert (round(page.page_width.mm), round(page.page_height.mm)) == (210, 297)
    sides = (page.left_margin, page.right_margin, page.top_margin, page.bottom_margin)
    assert [round(side.mm) for side in sides] == [28, 28, 30, 30]
    normal, cover = word.styles["Normal"], word.styles["Cover Row"]
    assert (normal.font.name, normal.font.size.pt, cover.font.size.pt) == (
        "Times New Roman",
        12,
        16,
    )
    assert 'w:eastAsia="宋体"' in normal.element.xml
    written = "".join(str(part.text) for part in word.element.body.iter(docx.oxml.ns.qn("w:t")))
    for text in texts(report):
        assert all(line in written for line in text.split("\n"))
