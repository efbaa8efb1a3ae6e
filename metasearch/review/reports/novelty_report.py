"""The report of a novelty search (科技查新报告), after GB/T 32003-2015.

Section 四 of a novelty report: which databases were searched, for what, and exactly how.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Iterator

from metasearch.errors import UsageError
from metasearch.formats.citations import STYLES
from metasearch.review.projects import projects
from metasearch.review.projects.projects import Project
from metasearch.review.reports import checked_works, novelty_number
from metasearch.review.reports.document import (
    Block,
    Code,
    Document,
    FieldRows,
    Heading,
    Items,
    Language,
    PageBreak,
    Paragraph,
    Quote,
    Remark,
    SignatureLines,
    Span,
    Table,
    Text,
    in_words,
    speaker,
)
from metasearch.review.reports.novelty_findings import (
    NOTHING,
    UNFILLED,
    DatabaseSearch,
    Findings,
    RelatedWork,
    findings,
    paragraph,
    point_tag,
)
from metasearch.review.reports.questions import CITATION_STYLES, NOVELTY, number_values, same_person

#: What translates the notes of a run: the form is in Chinese.
_CHINESE = speaker("zh")
#: Status of a search that failed -> why, in the words of the report.
_FAILURES = {
    "timeout": "超时",
    "limited": "请求次数受限",
    "blocked": "拒绝访问",
    "drifted": "返回格式有变",
    "late": "未能及时读取",
    "skipped": "未检索",
}


def section(found: Findings) -> Iterator[Block]:
    """文献检索范围及检索策略."""
    rows = found.searches.rows
    yield Heading(text="四、文献检索范围及检索策略")
    yield Heading(text="（一）检索范围", level=2)
    if not rows:
        yield Paragraph(text=NOTHING)
    else:
        searched = dict.fromkeys(
            (row.said.label, way(row), years(found, row), row.day or "未知") for row in rows
        )
        yield Table(
            caption="检索的数据库",
            head=("序号", "数据库", "检索方式", "年限", "检索日期"),
            rows=tuple((str(number), *one) for number, one in enumerate(searched, 1)),
            widths=(7, 24, 35, 17, 17),
            row_heads=False,
        )
        yield from _explanations(rows)
    yield Heading(text="（二）检索词", level=2)
    yield FieldRows(
        rows=(("中文检索词", _terms(found, "terms_zh")), ("英文检索词", _terms(found, "terms_en")))
    )
    yield Heading(text="（三）检索策略", level=2)
    yield from _strategies(found)
    yield Heading(text="（四）各数据库实际使用的检索式", level=2)
    if not rows:
        yield Paragraph(text=NOTHING)
    for number, row in enumerate(rows, 1):
        asked = "手工检索" if row.said.by_hand else "机检"
        asked += f"，步骤 #{row.said.step}，{row.day or '日期未知'}"
        yield Code(
            text=row.sent or NOTHING,
            label=f"{number}. {row.said.label}（{asked}）",
        )
        for note in row.notes:
            yield Remark(text=f"{row.said.label}：{in_words(note, _CHINESE)}")


def way(row: DatabaseSearch) -> str:
    """检索方式."""
    if row.said.by_hand:
        return f"手工检索，导入文件 {row.said.file}" if row.said.file else "手工检索，导入文件"
    return "机检"


def years(found: Findings, row: DatabaseSearch) -> str:
    """年限, of the search or as the searcher wrote it."""
    written = row.said.years
    if row.said.by_hand:
        of_strategy = {one.id: one.years for one in found.searches.strategies}
        answer = found.answers.get("novelty.years")
        written = str(answer) if answer else of_strategy.get(row.said.strategy, "")
    if not written:
        return "不限"
    first, dash, last = written.partition("-")
    if dash and first.isdigit() and not last:
        return f"{first}—{row.day[:4] or '至今'}"
    return written.replace("-", "—")


def _explanations(rows: tuple[DatabaseSearch, ...]) -> Iterator[Block]:
    """What a reader has to know of how it was searched."""
    if any(row.said.by_hand for row in rows):
        yield Remark(
            text="手工检索：查新员在该数据库的网站上检索并导出题录文件，再将文件导入本系统；"
            "该数据库未由程序访问。"
        )
    for row in rows:
        if row.failed:
            why = _FAILURES.get(row.said.status, "出错")
            yield Remark(
                text=f"{row.said.label}（步骤 #{row.said.step}）检索失败（{why}），未取得结果",
                warning=True,
            )


def _terms(found: Findings, name: str) -> str:
    return "；".join(found.items(name)) or found.text(name)


def _strategies(found: Findings) -> Iterator[Block]:
    typed = [
        (strategy.name, [step for step in strategy.steps if step.kind != "import"])
        for strategy in found.searches.strategies
    ]
    if not any(steps for _, steps in typed):
        yield Paragraph(text=NOTHING)
    for name, steps in typed:
        if steps:
            yield Table(
                caption=f"检索策略“{name}”",
                head=("步骤", "检索式（按录入原样）", "说明"),
                rows=tuple((f"#{step.number}", step.text, step.note or NOTHING) for step in steps),
                widths=(10, 65, 25),
            )


# Sections 五 and 六 of a novelty report: what was found, and what follows for each point.

#: Characters of an abstract; longer ones are cut, and say so.
_LONGEST_ABSTRACT = 3_000
CLOSE, GENERAL = "密切相关文献", "一般相关文献"


def results(found: Findings) -> Iterator[Block]:
    """检索结果."""
    yield Heading(text="五、检索结果")
    yield Heading(text="（一）各数据库检索结果", level=2)
    yield Paragraph(text=_summary(found))
    rows = found.searches.rows
    if rows:
        yield Table(
            caption="检索结果统计",
            head=("数据库", "年限", "检索式", "命中篇数", "相关篇数"),
            rows=tuple(
                (
                    row.said.label,
                    years(found, row),
                    _search_string(row),
                    hits(row),
                    "—" if row.failed else f"{row.related:,}",
                )
                for row in rows
            ),
            numbers=(3, 4),
            widths=(21, 17, 37, 12.5, 12.5),
        )
        for row in rows:
            if (
                row.said.claimed is not None
                and row.said.fetched is not None
                and row.said.fetched < row.said.claimed
            ):
                yield Remark(
                    text=f"{row.said.label}（步骤 #{row.said.step}）命中 {row.said.claimed:,} 篇，"
                    f"取得题录 {row.said.fetched:,} 条；其余未取得，未作比较。",
                    warning=True,
                )
        if len(rows) > 1:
            yield Paragraph(
                text="同一文献可由多个数据库检出，各数据库的相关篇数之和可大于相关文献总数。"
            )
    yield Heading(text="（二）相关文献", level=2)
    if not found.related:
        yield Paragraph(text="未检出密切相关文献或一般相关文献。")
        return
    for domestic, title in ((True, "国内文献"), (False, "国外文献")):
        its = [one for one in found.related if one.domestic is domestic]
        if its:
            yield Heading(text=title, level=3)
        for one in its:
            yield from _work(found, one)


def conclusion(found: Findings) -> Iterator[Block]:
    """查新结论."""
    yield Heading(text="六、查新结论")
    yield Heading(text="（一）对比分析", level=2)
    if not found.points:
        yield Paragraph(text=found.text("points"))
    for number, text in enumerate(found.points, 1):
        its = found.about(number)
        yield Heading(text=f"查新点 {number}", level=3)
        yield Paragraph(text=text)
        yield Paragraph(
            text=f"{CLOSE}：{_numbers(one for one in its if one.close)}；"
            f"{GENERAL}：{_numbers(one for one in its if not one.close)}。"
        )
        yield from map(paragraph, found.lines(f"comparison.{number}"))
    if found.points:
        yield Table(
            caption="各查新点的对比结果",
            head=("查新点", "密切相关文献", "一般相关文献", "对比结果"),
            rows=tuple(
                (
                    f"查新点 {number}",
                    _numbers(one for one in found.about(number) if one.close),
                    _numbers(one for one in found.about(number) if not one.close),
                    found.text(f"finding.{number}"),
                )
                for number in range(1, len(found.points) + 1)
            ),
            widths=(18, 28, 28, 26),
        )
    yield Heading(text="（二）结论", level=2)
    yield from map(paragraph, found.lines("conclusion"))


def hits(row: DatabaseSearch) -> str:
    """命中篇数 as it stands in the table; what failed is not 0."""
    if row.hits is None or row.failed:
        return "检索失败"
    return f"{row.hits:,}" if row.said.exact else f"约 {row.hits:,}"


def citation(found: Findings, one: RelatedWork) -> str:
    """The work by GB/T 7714, without its number."""
    style = str(found.answers.get("novelty.citation_style") or CITATION_STYLES[0].key)
    seen = one.seen or dt.date.fromisoformat(found.project.created[:10])
    return STYLES[style].citation(one.record, seen)


def _summary(found: Findings) -> str:
    searches = found.searches
    done = [row for row in searches.rows if not row.failed]
    databases = len({row.said.label for row in done})
    close = sum(one.close for one in found.related)
    return (
        f"共检索 {databases:,} 个数据库，取得题录 {searches.records:,} 条，"
        f"去除重复后为 {searches.works:,} 篇文献，其中 {searches.undecided:,} 篇未作判定。"
        f"经筛选得相关文献 {len(found.related):,} 篇："
        f"{CLOSE} {close:,} 篇，{GENERAL} {len(found.related) - close:,} 篇。"
    )


def _search_string(row: DatabaseSearch) -> str:
    """检索式, with the number of its step where it is one of the strategy."""
    return row.sent if row.said.by_hand else f"#{row.said.step}：{row.said.typed}"


def _work(found: Findings, one: RelatedWork) -> Iterator[Block]:
    yield Paragraph(text=(Span(text=f"[{one.number}] {citation(found, one)}", bold=one.close),))
    points = found.points if len(found.points) == 1 else one.points
    named = "、".join(
        f"查新点 {number}" for number in (range(1, 2) if len(found.points) == 1 else points)
    )
    by = dict.fromkeys(row.said.label for row in found.searches.found.get(one.work, ()))
    yield Paragraph(
        text=f"相关程度：{CLOSE if one.close else GENERAL}；涉及：{named or NOTHING}；"
        f"检出数据库：{'、'.join(by) or NOTHING}。"
    )
    abstract = " ".join((one.record.abstract or "").split())
    if len(abstract) > _LONGEST_ABSTRACT:
        abstract = f"{abstract[:_LONGEST_ABSTRACT]}……（节选）"
    yield Quote(text=f"摘要：{abstract}" if abstract else "摘要：略（数据库未提供）。")


def _numbers(works: Iterable[RelatedWork]) -> str:
    return "".join(f"[{one.number}]" for one in works) or "无"


# Why a novelty report is not finished yet (缺项), and hints for who writes it; both in Chinese.
# What is a reason keeps a report from being frozen; a hint does not.

#: Name of a question that must be answered -> the field of the report.
FIELDS = {
    "title_en": "项目名称（英文）",
    "client": "委托人",
    "ordered": "委托日期",
    "completed": "完成日期",
    "station": "查新机构",
    "purpose": "查新目的",
    "essentials": "项目的科学技术要点",
    "points": "查新点",
    "scope": "查新范围",
    "terms_zh": "中文检索词",
    "terms_en": "英文检索词",
    "comparison": "对比分析",
    "finding": "对比结果",
    "conclusion": "查新结论",
    "searcher": "查新员",
    "reviewer": "审核员",
}
#: More points than this are seldom of one topic.
_MANY_POINTS = 5
_SENTENCE = re.compile(r"[。；;]\s*\S")


def reasons(found: Findings) -> tuple[str, ...]:
    """Why the report is a draft; none where it is complete."""
    return (
        *_open_fields(found),
        *_contradictions(found),
        *_about_searches(found),
        *_about_works(found),
    )


def hints(found: Findings) -> tuple[str, ...]:
    """What a reviewer of the report might ask."""
    return tuple(_hints(found))


def _open_fields(found: Findings) -> Iterator[str]:
    for one in projects.open_questions(found.project, NOVELTY):
        name, _, of = one.name.partition(".")
        yield f"缺项：{FIELDS[name]}" + (f"（查新点 {of}）" if of else "")


def _contradictions(found: Findings) -> Iterator[str]:
    answers = found.answers
    if same_person(answers.get("novelty.searcher"), answers.get("novelty.reviewer")):
        yield "查新员与审核员不得为同一人"
    if found.has_answer("completed"):
        try:
            pattern = found.answers.get("novelty.number_pattern", novelty_number.DEFAULT)
            novelty_number.format_number(
                novelty_number.parse(str(pattern)), number_values(answers), 1
            )
        except UsageError:
            yield "报告编号无法生成：请补充机构代码或修改编号格式"
        last = max((row.day for row in found.searches.rows), default="")
        if last > found.text("completed"):
            yield f"完成日期（{found.text('completed')}）早于最后一次检索的日期（{last}）"


def _about_searches(found: Findings) -> Iterator[str]:
    if not any(not row.failed for row in found.searches.rows):
        yield "尚无检索结果：请运行检索策略，或导入手工检索的文件"
    for step in found.searches.stale:
        yield f"检索之后检索式已修改，请重新检索：{step}"


def _about_works(found: Findings) -> Iterator[str]:
    count = len(found.points)
    for one in found.related:
        if not found.searches.found.get(one.work):
            yield f"相关文献[{one.number}]不在所列检索结果之内：其检索步骤已删除或修改"
        if count > 1 and not one.points:
            yield f"相关文献[{one.number}]未对应查新点：请加标签，如“{point_tag(1)}”"
        for point in one.points:
            if count and point > count:
                yield f"相关文献[{one.number}]的标签“{point_tag(point)}”没有对应的查新点"


def _hints(found: Findings) -> Iterator[str]:
    points = found.points
    if len(points) > _MANY_POINTS:
        yield (
            f"单一性原则：一份报告只针对一个主题；现有 {len(points)} 个查新点，"
            "请确认其属于同一项目主题，否则分别委托"
        )
    for number_, text in enumerate(points, 1):
        if _SENTENCE.search(text):
            yield f"查新点 {number_} 含有多句：一个查新点应只陈述一项可检索、可比较的技术内容"
    if found.searches.undecided:
        yield f"检出文献中尚有 {found.searches.undecided:,} 篇未判定相关性"
    if found.text("scope") == "国内外" and found.text("terms_en") == "略":
        yield "查新范围为国内外，但没有英文检索词"


TITLE = "科技查新报告"
_UNNUMBERED = "（定稿时编号）"


def document(project: Project, *, language: Language = "zh", number: str = "") -> Document:
    found = findings(project)
    return Document(
        kind=NOVELTY,
        title=TITLE,
        language=language,
        cover=_cover(found, number),
        cover_page=True,
        blocks=tuple(_blocks(found, with_hints=not number)),
        draft=reasons(found),
    )


def next_number(project: Project) -> str:
    """报告编号 that the report would get now. Call it in the transaction in which it is finished.
    Raises UsageError: it cannot be made: a part of its pattern has no answer.
    """
    answers = projects.answers(project.fresh())
    pattern = str(answers.get("novelty.number_pattern") or novelty_number.DEFAULT)
    return novelty_number.next_number(project.db, pattern, number_values(answers))


def title_of(found: Findings) -> str:
    """项目名称, the title of the project where no other is given."""
    given = found.answers.get("novelty.title_zh")
    return str(given or found.project.title)


def _cover(found: Findings, number: str) -> tuple[tuple[str, Text], ...]:
    return (
        ("报告编号", number or _UNNUMBERED),
        ("项目名称", title_of(found)),
        ("英文名称", found.text("title_en")),
        ("委托人", found.text("client")),
        ("委托日期", _day(found.text("ordered"))),
        ("查新机构", f"{found.text('station')}（盖章）"),
        ("完成日期", _day(found.text("completed"))),
    )


def _blocks(found: Findings, *, with_hints: bool) -> Iterator[Block]:
    if with_hints:
        for hint in hints(found):
            yield Remark(text=f"提示：{hint}")
    yield FieldRows(
        rows=(
            ("项目名称", title_of(found)),
            ("委托人", found.text("client")),
            ("委托人通信方式", found.text("client_contact")),
            ("查新机构", found.text("station")),
            ("查新机构通信方式", found.text("station_contact")),
            ("查新员", _person(found, "searcher")),
            ("审核员", _person(found, "reviewer")),
        )
    )
    yield from _purpose(found)
    yield from section(found)
    yield from results(found)
    yield from checked_works.section(found.project, _CHINESE, level=2, number="（三）")
    yield from conclusion(found)
    yield from _declaration(found)
    yield Heading(text="八、附件清单")
    attachments = found.items("attachments")
    yield Items(items=attachments, ordered=True) if attachments else Paragraph(text=NOTHING)
    yield Heading(text="九、备注")
    yield from map(paragraph, found.lines("remarks"))
    if found.searches.tools:
        yield Paragraph(
            text=f"本报告中的篇数由 {'、'.join(found.searches.tools)} 依据检索记录计算。"
        )


def _purpose(found: Findings) -> Iterator[Block]:
    yield Heading(text="一、查新目的")
    yield Paragraph(text=found.text("purpose"))
    yield Heading(text="二、项目的科学技术要点")
    yield from map(paragraph, found.lines("essentials"))
    yield Heading(text="三、查新点与查新要求")
    yield Heading(text="（一）查新点", level=2)
    if found.points:
        for number, text in enumerate(found.points, 1):
            yield Paragraph(text=f"查新点 {number}：{text}")
    else:
        yield Paragraph(text=found.text("points"))
    yield Heading(text="（二）查新范围", level=2)
    yield Paragraph(text=found.text("scope"))
    yield Heading(text="（三）查新要求", level=2)
    yield from map(paragraph, _requirements(found))


def _requirements(found: Findings) -> tuple[str, ...]:
    if found.has_answer("requirements") or not found.has_answer("scope"):
        return found.lines("requirements")
    text = (
        f"查证在{found.text('scope')}范围内，有无与上述查新点相同或类似的文献报道，"
        "并对检出的相关文献作对比分析。"
    )
    return (text,)


def _declaration(found: Findings) -> Iterator[Block]:
    yield PageBreak()
    yield Heading(text="七、查新员、审核员声明")
    yield Items(
        ordered=True,
        items=(
            "报告中陈述的事实是真实和准确的。",
            "我们按照科技查新规范进行查新、文献分析和审核，并作出上述查新结论。",
            "我们获取的报酬与本报告中的分析、意见和结论无关，也与本报告的使用无关。",
        ),
    )
    yield SignatureLines(
        lines=(
            (f"查新员{_in_brackets(found.text('searcher'))}签字", ""),
            ("查新员职称", found.text("searcher_title")),
            (f"审核员{_in_brackets(found.text('reviewer'))}签字", ""),
            ("审核员职称", found.text("reviewer_title")),
            ("查新机构（科技查新专用章）", ""),
            ("日期", _day(found.text("completed"))),
        )
    )


def _in_brackets(name: str) -> str:
    """Without a second pair where what is to be filled in has one."""
    return name if name == UNFILLED else f"（{name}）"


def _person(found: Findings, name: str) -> str:
    title = f"（{found.text(f'{name}_title')}）" if found.has_answer(f"{name}_title") else ""
    return f"{found.text(name)}{title}"


def _day(date: str) -> str:
    """ "2026 年 11 月 23 日"; what is no date stays as it is."""
    if date.count("-") != 2:
        return date
    year, month, day = date.split("-")
    return f"{year} 年 {int(month)} 月 {int(day)} 日"
