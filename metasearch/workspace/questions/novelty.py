"""What only the people of a novelty search (科技查新) know: the form of the client and the words of
the searcher, in the order of the report after GB/T 32003-2015.
"""

from __future__ import annotations

from metasearch.message import message_template as t
from metasearch.workspace.questions.question import Choice, Question

#: The kind of the report that asks all of this.
REPORT = "chaxin"
#: What is written where a field does not apply; no field of the report is empty.
NOT_APPLICABLE = "略"
#: Points of novelty of one report; a project with more is hardly of one topic (单一性原则).
MOST_POINTS = 20

_COVER = t("Cover and contract")
_PROJECT = t("The project and its points of novelty")
_SEARCH = t("Literature search")
_CONCLUSION = t("Comparison and conclusion")
_PEOPLE = t("Declaration, attachments and remarks")

#: 查新目的. The Chinese words are what the report prints.
PURPOSES = (
    Choice(key="立项", label=t("立项: application for a project")),
    Choice(key="成果鉴定", label=t("成果鉴定: appraisal of a result")),
    Choice(key="报奖", label=t("报奖: application for an award")),
    Choice(key="专利", label=t("专利: patent application")),
    Choice(key="新产品", label=t("新产品: new product")),
    Choice(key="博士开题", label=t("博士开题: proposal of a doctoral thesis")),
    Choice(key="其他", label=t("其他: another purpose")),
)
#: 查新范围.
SCOPES = (
    Choice(key="国内", label=t("国内: literature of China")),
    Choice(key="国内外", label=t("国内外: literature of China and of other countries")),
)
#: What was found of a point of novelty.
FINDINGS = (
    Choice(
        key="未见相同报道", label=t("未见相同报道: nothing the same is reported, the point is new")
    ),
    Choice(key="部分见报道", label=t("部分见报道: a part of it is reported")),
    Choice(key="已见相同报道", label=t("已见相同报道: the same is reported, the point is not new")),
)


def _asked(
    key: str, label: str, about: str, group: str, *, required: bool = True, **more: object
) -> Question:
    return Question(
        key=f"novelty.{key}",
        label=label,
        help=about,
        group=group,
        reports=(REPORT,),
        required=(REPORT,) if required else (),
        **more,  # type: ignore[arg-type]  # names and types are those of Question
    )


QUESTIONS: tuple[Question, ...] = (
    _asked(
        "title_zh",
        t("Project title in Chinese (项目名称)"),
        t("As in the contract; the title of the project where empty."),
        _COVER,
        required=False,
    ),
    _asked(
        "title_en",
        t("Project title in English"),
        t("Needed for a search of international literature; 略 where there is none."),
        _COVER,
    ),
    _asked("client", t("Client (委托人)"), t("The institution that asks for the search."), _COVER),
    _asked(
        "client_contact",
        t("Address and contact of the client"),
        t("Address, post code, person, telephone or e-mail."),
        _COVER,
        required=False,
        kind="long text",
        longest=1_000,
    ),
    _asked("ordered", t("Date of the order (委托日期)"), "", _COVER, kind="date"),
    _asked(
        "completed",
        t("Date of completion (完成日期)"),
        t("Not before the day of the last search."),
        _COVER,
        kind="date",
    ),
    _asked("station", t("Novelty-search station (查新机构)"), t("Its full name."), _COVER),
    _asked(
        "station_contact",
        t("Address and contact of the station"),
        t("Address, post code, person, telephone, e-mail."),
        _COVER,
        required=False,
        kind="long text",
        longest=1_000,
    ),
    _asked(
        "purpose",
        t("Purpose of the search (查新目的)"),
        t("One or several."),
        _PROJECT,
        kind="choice",
        choices=PURPOSES,
        several=True,
    ),
    _asked(
        "essentials",
        t("Scientific and technical essentials (项目的科学技术要点)"),
        t("Background, what is solved and how, main figures and uses, in 200 to 1,000 characters."),
        _PROJECT,
        kind="long text",
        longest=20_000,
    ),
    _asked(
        "points",
        t("Points of novelty (查新点)"),
        t(
            "One a line: one statement each that a search can confirm or refute. Their numbers "
            "follow from their order; the tag 查新点1 of a work refers to the first."
        ),
        _PROJECT,
        kind="list",
        most=MOST_POINTS,
        longest=2_000,
    ),
    _asked(
        "scope",
        t("Scope of the search (查新范围)"),
        t("With 国内外, databases of other countries are searched, too."),
        _PROJECT,
        kind="choice",
        choices=SCOPES,
    ),
    _asked(
        "requirements",
        t("What the client asks for (查新要求)"),
        t(
            "Where empty: whether the points have been reported in the scope of the search, and a "
            "comparison."
        ),
        _PROJECT,
        required=False,
        kind="long text",
        longest=2_000,
    ),
    _asked(
        "terms_zh",
        t("Search terms in Chinese (中文检索词)"),
        t("One a line, with its synonyms."),
        _SEARCH,
        kind="list",
        most=200,
    ),
    _asked(
        "terms_en",
        t("Search terms in English (英文检索词)"),
        t("One a line; 略 where only Chinese literature is searched."),
        _SEARCH,
        kind="list",
        most=200,
    ),
    _asked(
        "years",
        t("Years searched (检索年限)"),
        t("Of databases whose years follow from no strategy and no import: 1989-2026."),
        _SEARCH,
        required=False,
    ),
    _asked(
        "comparison",
        t("Comparison for point of novelty {number} (对比分析)"),
        t(
            "What the closely related works report of this point, by their numbers in the list, "
            "and in what the project differs."
        ),
        _CONCLUSION,
        kind="long text",
        longest=20_000,
        each="novelty.points",
    ),
    _asked(
        "finding",
        t("Finding for point of novelty {number}"),
        t("What the literature in the scope of the search says of the point as a whole."),
        _CONCLUSION,
        kind="choice",
        choices=FINDINGS,
        each="novelty.points",
    ),
    _asked(
        "conclusion",
        t("Conclusion (查新结论)"),
        t("Only facts of the literature; no opinion on the level or the value of the project."),
        _CONCLUSION,
        kind="long text",
        longest=20_000,
    ),
    _asked("searcher", t("Searcher (查新员)"), t("Name of the person."), _PEOPLE),
    _asked(
        "searcher_title",
        t("Professional title of the searcher (职称)"),
        "",
        _PEOPLE,
        required=False,
    ),
    _asked(
        "reviewer",
        t("Reviewer (审核员)"),
        t("Another person than the searcher; the standard asks for two."),
        _PEOPLE,
    ),
    _asked(
        "reviewer_title",
        t("Professional title of the reviewer (职称)"),
        "",
        _PEOPLE,
        required=False,
    ),
    _asked(
        "attachments",
        t("Attachments (附件清单)"),
        t("One a line. The list of the related works is always one."),
        _PEOPLE,
        required=False,
        kind="list",
    ),
    _asked(
        "remarks",
        t("Remarks (备注)"),
        t("What else a reader has to know."),
        _PEOPLE,
        required=False,
        kind="long text",
        longest=5_000,
    ),
    _asked(
        "number_pattern",
        t("Pattern of the report number (报告编号)"),
        t(
            "Where empty: the year, the code of the station and a serial of four digits. "
            "docs/novelty-search.md lists the parts."
        ),
        _PEOPLE,
        required=False,
        longest=100,
    ),
    _asked(
        "org",
        t("Code of the station in the report number"),
        t("Letters and digits."),
        _PEOPLE,
        required=False,
        longest=20,
    ),
    _asked(
        "province",
        t("Code of the province in the report number (GB/T 2260)"),
        t("Two digits: 11 is Beijing."),
        _PEOPLE,
        required=False,
        longest=2,
    ),
    _asked(
        "station_number",
        t("Number of the station in the report number"),
        t("Digits."),
        _PEOPLE,
        required=False,
        longest=5,
    ),
)
