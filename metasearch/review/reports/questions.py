"""What only the people of a novelty search (科技查新) know: the form of the client and the words of
the searcher, in the order of the report after GB/T 32003-2015.
"""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.errors import UsageError
from metasearch.message import message, message_template
from metasearch.workspace.questions.question import Choice, Question, Value
from metasearch.workspace.reports.novelty import number

#: The kind of the report that asks all of this.
REPORT = "chaxin"
#: Points of novelty of one report; a project with more is hardly of one topic (单一性原则).
MOST_POINTS = 20

_COVER = message_template("Cover and contract")
_PROJECT = message_template("The project and its points of novelty")
_SEARCH = message_template("Literature search")
_CONCLUSION = message_template("Comparison and conclusion")
_PEOPLE = message_template("Declaration, attachments and remarks")

#: 查新目的. The Chinese words are what the report prints.
PURPOSES = (
    Choice(key="立项", label=message_template("立项: application for a project")),
    Choice(key="成果鉴定", label=message_template("成果鉴定: appraisal of a result")),
    Choice(key="报奖", label=message_template("报奖: application for an award")),
    Choice(key="专利", label=message_template("专利: patent application")),
    Choice(key="新产品", label=message_template("新产品: new product")),
    Choice(key="博士开题", label=message_template("博士开题: proposal of a doctoral thesis")),
    Choice(key="其他", label=message_template("其他: another purpose")),
)
#: 查新范围.
SCOPES = (
    Choice(key="国内", label=message_template("国内: literature of China")),
    Choice(
        key="国内外", label=message_template("国内外: literature of China and of other countries")
    ),
)
#: What was found of a point of novelty.
FINDINGS = (
    Choice(
        key="未见相同报道",
        label=message_template("未见相同报道: nothing the same is reported, the point is new"),
    ),
    Choice(key="部分见报道", label=message_template("部分见报道: a part of it is reported")),
    Choice(
        key="已见相同报道",
        label=message_template("已见相同报道: the same is reported, the point is not new"),
    ),
)
#: Names of `metasearch.formats.citations.styles`; the first where nothing is chosen.
CITATION_STYLES = (
    Choice(key="gb7714-2025", label=message_template("GB/T 7714-2025")),
    Choice(key="gb7714-2015", label=message_template("GB/T 7714-2015")),
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
        message_template("Project title in Chinese (项目名称)"),
        message_template("As in the contract; the title of the project where empty."),
        _COVER,
        required=False,
    ),
    _asked(
        "title_en",
        message_template("Project title in English"),
        message_template(
            "Needed for a search of international literature; 略 where there is none."
        ),
        _COVER,
    ),
    _asked(
        "client",
        message_template("Client (委托人)"),
        message_template("The institution that asks for the search."),
        _COVER,
    ),
    _asked(
        "client_contact",
        message_template("Address and contact of the client"),
        message_template("Address, post code, person, telephone or e-mail."),
        _COVER,
        required=False,
        kind="long text",
        longest=1_000,
    ),
    _asked("ordered", message_template("Date of the order (委托日期)"), "", _COVER, kind="date"),
    _asked(
        "completed",
        message_template("Date of completion (完成日期)"),
        message_template("Not before the day of the last search."),
        _COVER,
        kind="date",
    ),
    _asked(
        "station",
        message_template("Novelty-search station (查新机构)"),
        message_template("Its full name."),
        _COVER,
    ),
    _asked(
        "station_contact",
        message_template("Address and contact of the station"),
        message_template("Address, post code, person, telephone, e-mail."),
        _COVER,
        required=False,
        kind="long text",
        longest=1_000,
    ),
    _asked(
        "purpose",
        message_template("Purpose of the search (查新目的)"),
        message_template("One or several."),
        _PROJECT,
        kind="choice",
        choices=PURPOSES,
        several=True,
    ),
    _asked(
        "essentials",
        message_template("Scientific and technical essentials (项目的科学技术要点)"),
        message_template(
            "Background, what is solved and how, main figures and uses, in 200 to 1,000 characters."
        ),
        _PROJECT,
        kind="long text",
        longest=20_000,
    ),
    _asked(
        "points",
        message_template("Points of novelty (查新点)"),
        message_template(
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
        message_template("Scope of the search (查新范围)"),
        message_template("With 国内外, databases of other countries are searched, too."),
        _PROJECT,
        kind="choice",
        choices=SCOPES,
    ),
    _asked(
        "requirements",
        message_template("What the client asks for (查新要求)"),
        message_template(
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
        message_template("Search terms in Chinese (中文检索词)"),
        message_template("One a line, with its synonyms."),
        _SEARCH,
        kind="list",
        most=200,
    ),
    _asked(
        "terms_en",
        message_template("Search terms in English (英文检索词)"),
        message_template("One a line; 略 where only Chinese literature is searched."),
        _SEARCH,
        kind="list",
        most=200,
    ),
    _asked(
        "years",
        message_template("Years searched by hand (检索年限)"),
        message_template(
            "Of the databases that a person searched, as 1989-2026; those of the strategy where "
            "empty."
        ),
        _SEARCH,
        required=False,
    ),
    _asked(
        "comparison",
        message_template("Comparison for point of novelty {number} (对比分析)"),
        message_template(
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
        message_template("Finding for point of novelty {number}"),
        message_template(
            "What the literature in the scope of the search says of the point as a whole."
        ),
        _CONCLUSION,
        kind="choice",
        choices=FINDINGS,
        each="novelty.points",
    ),
    _asked(
        "conclusion",
        message_template("Conclusion (查新结论)"),
        message_template(
            "Only facts of the literature; no opinion on the level or the value of the project."
        ),
        _CONCLUSION,
        kind="long text",
        longest=20_000,
    ),
    _asked(
        "searcher",
        message_template("Searcher (查新员)"),
        message_template("Name of the person."),
        _PEOPLE,
    ),
    _asked(
        "searcher_title",
        message_template("Professional title of the searcher (职称)"),
        "",
        _PEOPLE,
        required=False,
    ),
    _asked(
        "reviewer",
        message_template("Reviewer (审核员)"),
        message_template("Another person than the searcher; the standard asks for two."),
        _PEOPLE,
    ),
    _asked(
        "reviewer_title",
        message_template("Professional title of the reviewer (职称)"),
        "",
        _PEOPLE,
        required=False,
    ),
    _asked(
        "attachments",
        message_template("Attachments (附件清单)"),
        message_template("One a line: copies of works, lists of hits, the contract."),
        _PEOPLE,
        required=False,
        kind="list",
    ),
    _asked(
        "remarks",
        message_template("Remarks (备注)"),
        message_template("What else a reader has to know."),
        _PEOPLE,
        required=False,
        kind="long text",
        longest=5_000,
    ),
    _asked(
        "citation_style",
        message_template("Style of the citations"),
        message_template("The edition of GB/T 7714; that of 2025 where empty."),
        _PEOPLE,
        required=False,
        kind="choice",
        choices=CITATION_STYLES,
    ),
    _asked(
        "number_pattern",
        message_template("Pattern of the report number (报告编号)"),
        message_template(
            "Where empty: the year, the code of the station and a serial of four digits. "
            "docs/novelty-search.md lists the parts."
        ),
        _PEOPLE,
        required=False,
        longest=100,
    ),
    _asked(
        "org",
        message_template("Code of the station in the report number"),
        message_template("Letters and digits."),
        _PEOPLE,
        required=False,
        longest=20,
    ),
    _asked(
        "province",
        message_template("Code of the province in the report number (GB/T 2260)"),
        message_template("Two digits: 11 is Beijing."),
        _PEOPLE,
        required=False,
        longest=2,
    ),
    _asked(
        "station_number",
        message_template("Number of the station in the report number"),
        message_template("Digits."),
        _PEOPLE,
        required=False,
        longest=5,
    ),
)


def check(answers: Mapping[str, Value]) -> None:
    """Check answers against one another. Raises UsageError: searcher and reviewer are one person,
    the report was completed before it was ordered, or its number cannot be made.
    """
    if same_person(answers.get("novelty.searcher"), answers.get("novelty.reviewer")):
        raise UsageError(
            message("Searcher (查新员) and reviewer (审核员) are the same person"),
            advice=message("GB/T 32003-2015 asks for two; name another reviewer."),
        )
    ordered, completed = answers.get("novelty.ordered"), answers.get("novelty.completed")
    if ordered and completed and str(completed) < str(ordered):
        raise UsageError(
            message(
                "The report was completed ({completed}) before it was ordered ({ordered})",
                completed=completed,
                ordered=ordered,
            ),
            advice=message("Mend one of the two dates."),
        )
    number.parse(str(answers.get("novelty.number_pattern") or number.DEFAULT))
    for name, value in number_values(answers).items():
        number.check_value(name, value)


def number_values(answers: Mapping[str, Value]) -> dict[str, str]:
    """Part of the report number -> its value, of the parts that are known."""
    values = {
        "year": str(answers.get("novelty.completed", ""))[:4],
        "org": str(answers.get("novelty.org", "")),
        "province": str(answers.get("novelty.province", "")),
        "station": str(answers.get("novelty.station_number", "")),
    }
    return {name: value for name, value in values.items() if value}


def same_person(one: object, other: object) -> bool:
    """Whether two names are spelled alike, apart from space and case."""
    first, second = ("".join(str(name or "").split()).casefold() for name in (one, other))
    return bool(first) and first == second
