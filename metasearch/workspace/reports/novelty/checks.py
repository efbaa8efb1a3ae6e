"""Why a novelty report is not finished yet (缺项), and hints for who writes it; both in Chinese.

What is a reason keeps a report from being frozen; a hint does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from metasearch.errors import UsageError
from metasearch.workspace import details
from metasearch.workspace.questions.novelty import REPORT, number_values, same_person
from metasearch.workspace.reports.novelty import number
from metasearch.workspace.reports.novelty.findings import Findings
from metasearch.workspace.reports.novelty.related import point_tag

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
        *_missing(found),
        *_contradictions(found),
        *_about_searches(found),
        *_about_works(found),
    )


def hints(found: Findings) -> tuple[str, ...]:
    """What a reviewer of the report might ask."""
    return tuple(_hints(found))


def _missing(found: Findings) -> Iterator[str]:
    for one in details.missing(found.project, REPORT):
        name, _, of = one.name.partition(".")
        yield f"缺项：{FIELDS[name]}" + (f"（查新点 {of}）" if of else "")


def _contradictions(found: Findings) -> Iterator[str]:
    answers = found.answers
    if same_person(answers.get("novelty.searcher"), answers.get("novelty.reviewer")):
        yield "查新员与审核员不得为同一人"
    if found.given("completed"):
        try:
            pattern = found.answers.get("novelty.number_pattern", number.DEFAULT)
            number.written(number.parse(str(pattern)), number_values(answers), 1)
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
