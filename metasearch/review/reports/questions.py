"""What only a person knows of a project: tables of questions, from which forms are made.

`Question`: one thing that a report needs and only a person knows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from metasearch.errors import UsageError
from metasearch.message import N_, message
from metasearch.review.reports import novelty_number

#: What is asked for: a line, several lines, "2026-11-23", one or several of given words, lines of
#: which each is an item, or yes or no.
Kind = Literal["text", "long text", "date", "choice", "list", "yes-no"]
KINDS: tuple[Kind, ...] = get_args(Kind)
#: An answer as it is kept, by the kind of the question: str, str, str, str (or a tuple of them
#: where several may be chosen), tuple of str, bool.
Value = str | bool | tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerChoice:
    """One of the words that may be chosen. `label`: for people; marked by `N_`."""

    key: str
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportQuestion:
    """A question of a table; forms, checks and `missing` are made of it.

    Attributes:
        key: Its namespace and name: "novelty.client". The answer is kept at
            `details["novelty"]["client"]` of the project.
        label: What is asked for, in a few words; to be translated, as are `help` and `group`. A
            question of `each` has a place {number} in it.
        help: One or two sentences for who does not know what to write.
        kind: One of `KINDS`.
        group: The heading under which forms show it.
        reports: The kinds of reports that print the answer.
        required: Those of them that are a draft without it.
        longest: Characters of the answer, or of each item of a list.
        most: Items of a list.
        choices: What may be chosen; one of them, or any number where `several`.
        several: Whether more than one may be chosen.
        each: The key of a list: the question is asked once for every item of it, as
            "novelty.comparison.1", "novelty.comparison.2".
        number: Of the item; None where the question is not of one. `item` is its text.
        item: The text of the item, for forms.
    """

    key: str
    label: str
    help: str = ""
    kind: Kind = "text"
    group: str = ""
    reports: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    longest: int = 300
    most: int = 50
    choices: tuple[AnswerChoice, ...] = ()
    several: bool = False
    each: str = ""
    number: int | None = None
    item: str = ""

    @property
    def namespace(self) -> str:
        """The part of the key before its first dot."""
        return self.key.partition(".")[0]

    @property
    def name(self) -> str:
        """The part of the key behind it, with the number of the item."""
        return self.key.partition(".")[2]


# What only the people of a review know of its search: the items of PRISMA-S that no run can tell.
# Rethlefsen, M. L. et al. (2021). PRISMA-S: an extension to the PRISMA statement for reporting
# literature searches in systematic reviews. Systematic Reviews 10, 39.

#: The kind of the report that asks all of this.
PRISMA_S = "prisma-s"
_SOURCES = N_("Other sources and methods")
_STRATEGIES = N_("Search strategies")
_REVIEW = N_("Peer review and updates")


def _item_question(
    item: int, key: str, label: str, about: str, group: str, *, required: bool = True
) -> ReportQuestion:
    ITEMS[key] = item
    return ReportQuestion(
        key=f"prisma_s.{key}",
        label=label,
        help=about,
        kind="long text",
        longest=5_000,
        group=group,
        reports=(PRISMA_S,),
        required=(PRISMA_S,) if required else (),
    )


#: Name of a question -> the item of PRISMA-S that prints its answer.
ITEMS: dict[str, int] = {}

PRISMA_S_QUESTIONS: tuple[ReportQuestion, ...] = (
    _item_question(
        4,
        "online",
        N_("Online resources and browsing (item 4)"),
        N_(
            "Websites, tables of contents and conference proceedings that were looked through "
            "beside those listed as other sources; or that there were none."
        ),
        _SOURCES,
    ),
    _item_question(
        5,
        "citations",
        N_("Citation searching (item 5)"),
        N_(
            "Whether references and citing works were searched, from which works and with which "
            "tool; or that this was not done."
        ),
        _SOURCES,
    ),
    _item_question(
        6,
        "contacts",
        N_("Contacts (item 6)"),
        N_("Whether authors, experts, manufacturers or others were asked for further studies."),
        _SOURCES,
    ),
    _item_question(
        7,
        "other_methods",
        N_("Other methods (item 7)"),
        N_("Any other way of finding works; or that there was none."),
        _SOURCES,
    ),
    _item_question(
        9,
        "limits",
        N_("Limits and restrictions (item 9)"),
        N_("Why the search is limited to years, languages or types of works; or that it is not."),
        _STRATEGIES,
    ),
    _item_question(
        10,
        "filters",
        N_("Search filters (item 10)"),
        N_(
            "Published filters that were used, with their citations and what was changed in them; "
            "or that there were none."
        ),
        _STRATEGIES,
    ),
    _item_question(
        11,
        "prior_work",
        N_("Prior work (item 11)"),
        N_(
            "Strategies of other reviews that were taken over or adapted, with their citations; or "
            "that there were none."
        ),
        _STRATEGIES,
    ),
    _item_question(
        12,
        "updates",
        N_("Updates (item 12)"),
        N_(
            "How the search is kept up to date: run anew, alerts, when; the runs themselves are "
            "listed by the report."
        ),
        _REVIEW,
        required=False,
    ),
    _item_question(
        14,
        "peer_review",
        N_("Peer review (item 14)"),
        N_("Who has reviewed the strategies, and how (PRESS or otherwise); or that nobody has."),
        _REVIEW,
    ),
    _item_question(
        16,
        "deduplication",
        N_("Deduplication beside metasearch (item 16)"),
        N_("Other software that removed duplicates, or checks by hand."),
        _REVIEW,
        required=False,
    ),
)


# What only the people of a novelty search (科技查新) know: the form of the client and the words of
# the searcher, in the order of the report after GB/T 32003-2015.

#: The kind of the report that asks all of this.
NOVELTY = "chaxin"
#: Points of novelty of one report; a project with more is hardly of one topic (单一性原则).
MOST_POINTS = 20

_COVER = N_("Cover and contract")
_PROJECT = N_("The project and its points of novelty")
_SEARCH = N_("Literature search")
_CONCLUSION = N_("Comparison and conclusion")
_PEOPLE = N_("Declaration, attachments and remarks")

#: 查新目的. The Chinese words are what the report prints.
PURPOSES = (
    AnswerChoice(key="立项", label=N_("立项: application for a project")),
    AnswerChoice(key="成果鉴定", label=N_("成果鉴定: appraisal of a result")),
    AnswerChoice(key="报奖", label=N_("报奖: application for an award")),
    AnswerChoice(key="专利", label=N_("专利: patent application")),
    AnswerChoice(key="新产品", label=N_("新产品: new product")),
    AnswerChoice(key="博士开题", label=N_("博士开题: proposal of a doctoral thesis")),
    AnswerChoice(key="其他", label=N_("其他: another purpose")),
)
#: 查新范围.
SCOPES = (
    AnswerChoice(key="国内", label=N_("国内: literature of China")),
    AnswerChoice(key="国内外", label=N_("国内外: literature of China and of other countries")),
)
#: What was found of a point of novelty.
FINDINGS = (
    AnswerChoice(
        key="未见相同报道", label=N_("未见相同报道: nothing the same is reported, the point is new")
    ),
    AnswerChoice(key="部分见报道", label=N_("部分见报道: a part of it is reported")),
    AnswerChoice(
        key="已见相同报道", label=N_("已见相同报道: the same is reported, the point is not new")
    ),
)
#: Names of `metasearch.formats.citations`; the first where nothing is chosen.
CITATION_STYLES = (
    AnswerChoice(key="gb7714-2025", label=N_("GB/T 7714-2025")),
    AnswerChoice(key="gb7714-2015", label=N_("GB/T 7714-2015")),
)


def _form_question(
    key: str, label: str, about: str, group: str, *, required: bool = True, **more: object
) -> ReportQuestion:
    return ReportQuestion(
        key=f"novelty.{key}",
        label=label,
        help=about,
        group=group,
        reports=(NOVELTY,),
        required=(NOVELTY,) if required else (),
        **more,  # type: ignore[arg-type]  # names and types are those of Question
    )


NOVELTY_QUESTIONS: tuple[ReportQuestion, ...] = (
    _form_question(
        "title_zh",
        N_("Project title in Chinese (项目名称)"),
        N_("As in the contract; the title of the project where empty."),
        _COVER,
        required=False,
    ),
    _form_question(
        "title_en",
        N_("Project title in English"),
        N_("Needed for a search of international literature; 略 where there is none."),
        _COVER,
    ),
    _form_question(
        "client", N_("Client (委托人)"), N_("The institution that asks for the search."), _COVER
    ),
    _form_question(
        "client_contact",
        N_("Address and contact of the client"),
        N_("Address, post code, person, telephone or e-mail."),
        _COVER,
        required=False,
        kind="long text",
        longest=1_000,
    ),
    _form_question("ordered", N_("Date of the order (委托日期)"), "", _COVER, kind="date"),
    _form_question(
        "completed",
        N_("Date of completion (完成日期)"),
        N_("Not before the day of the last search."),
        _COVER,
        kind="date",
    ),
    _form_question(
        "station", N_("Novelty-search station (查新机构)"), N_("Its full name."), _COVER
    ),
    _form_question(
        "station_contact",
        N_("Address and contact of the station"),
        N_("Address, post code, person, telephone, e-mail."),
        _COVER,
        required=False,
        kind="long text",
        longest=1_000,
    ),
    _form_question(
        "purpose",
        N_("Purpose of the search (查新目的)"),
        N_("One or several."),
        _PROJECT,
        kind="choice",
        choices=PURPOSES,
        several=True,
    ),
    _form_question(
        "essentials",
        N_("Scientific and technical essentials (项目的科学技术要点)"),
        N_(
            "Background, what is solved and how, main figures and uses, in 200 to 1,000 characters."
        ),
        _PROJECT,
        kind="long text",
        longest=20_000,
    ),
    _form_question(
        "points",
        N_("Points of novelty (查新点)"),
        N_(
            "One statement each that a search can confirm or refute. Their numbers "
            "follow from their order; the tag 查新点1 of a work refers to the first."
        ),
        _PROJECT,
        kind="list",
        most=MOST_POINTS,
        longest=2_000,
    ),
    _form_question(
        "scope",
        N_("Scope of the search (查新范围)"),
        N_("With 国内外, databases of other countries are searched, too."),
        _PROJECT,
        kind="choice",
        choices=SCOPES,
    ),
    _form_question(
        "requirements",
        N_("What the client asks for (查新要求)"),
        N_(
            "Where empty: whether the points have been reported in the scope of the search, and a "
            "comparison."
        ),
        _PROJECT,
        required=False,
        kind="long text",
        longest=2_000,
    ),
    _form_question(
        "terms_zh",
        N_("Search terms in Chinese (中文检索词)"),
        N_("With its synonyms."),
        _SEARCH,
        kind="list",
        most=200,
    ),
    _form_question(
        "terms_en",
        N_("Search terms in English (英文检索词)"),
        N_("略 where only Chinese literature is searched."),
        _SEARCH,
        kind="list",
        most=200,
    ),
    _form_question(
        "years",
        N_("Years searched by hand (检索年限)"),
        N_(
            "Of the databases that a person searched, as 1989-2026; those of the strategy where "
            "empty."
        ),
        _SEARCH,
        required=False,
    ),
    _form_question(
        "comparison",
        N_("Comparison for point of novelty {number} (对比分析)"),
        N_(
            "What the closely related works report of this point, by their numbers in the list, "
            "and in what the project differs."
        ),
        _CONCLUSION,
        kind="long text",
        longest=20_000,
        each="novelty.points",
    ),
    _form_question(
        "finding",
        N_("Finding for point of novelty {number}"),
        N_("What the literature in the scope of the search says of the point as a whole."),
        _CONCLUSION,
        kind="choice",
        choices=FINDINGS,
        each="novelty.points",
    ),
    _form_question(
        "conclusion",
        N_("Conclusion (查新结论)"),
        N_("Only facts of the literature; no opinion on the level or the value of the project."),
        _CONCLUSION,
        kind="long text",
        longest=20_000,
    ),
    _form_question("searcher", N_("Searcher (查新员)"), N_("Name of the person."), _PEOPLE),
    _form_question(
        "searcher_title",
        N_("Professional title of the searcher (职称)"),
        "",
        _PEOPLE,
        required=False,
    ),
    _form_question(
        "reviewer",
        N_("Reviewer (审核员)"),
        N_("Another person than the searcher; the standard asks for two."),
        _PEOPLE,
    ),
    _form_question(
        "reviewer_title",
        N_("Professional title of the reviewer (职称)"),
        "",
        _PEOPLE,
        required=False,
    ),
    _form_question(
        "attachments",
        N_("Attachments (附件清单)"),
        N_("Copies of works, lists of hits, the contract."),
        _PEOPLE,
        required=False,
        kind="list",
    ),
    _form_question(
        "remarks",
        N_("Remarks (备注)"),
        N_("What else a reader has to know."),
        _PEOPLE,
        required=False,
        kind="long text",
        longest=5_000,
    ),
    _form_question(
        "citation_style",
        N_("Style of the citations"),
        N_("The edition of GB/T 7714; that of 2025 where empty."),
        _PEOPLE,
        required=False,
        kind="choice",
        choices=CITATION_STYLES,
    ),
    _form_question(
        "number_pattern",
        N_("Pattern of the report number (报告编号)"),
        N_(
            "Where empty: the year, the code of the station and a serial of four digits. "
            "docs/novelty-search.md lists the parts."
        ),
        _PEOPLE,
        required=False,
        longest=100,
    ),
    _form_question(
        "org",
        N_("Code of the station in the report number"),
        N_("Letters and digits."),
        _PEOPLE,
        required=False,
        longest=20,
    ),
    _form_question(
        "province",
        N_("Code of the province in the report number (GB/T 2260)"),
        N_("Two digits: 11 is Beijing."),
        _PEOPLE,
        required=False,
        longest=2,
    ),
    _form_question(
        "station_number",
        N_("Number of the station in the report number"),
        N_("Digits."),
        _PEOPLE,
        required=False,
        longest=5,
    ),
)


def check_novelty(answers: Mapping[str, Value]) -> None:
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
    novelty_number.parse(str(answers.get("novelty.number_pattern") or novelty_number.DEFAULT))
    for name, value in number_values(answers).items():
        novelty_number.check_value(name, value)


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


# All questions, in the order in which forms ask them; a namespace has a module of its own.

# What the people of a project agree on before they screen.

#: Keys of these questions.
REASONS, WORDS = "screening.reasons", "screening.words"
_SCREENING = N_("Screening")
SCREENING_QUESTIONS: tuple[ReportQuestion, ...] = (
    ReportQuestion(
        key=REASONS,
        label=N_("Reasons to exclude"),
        help=N_("The keys 1 to 9 exclude a work for one of the first nine."),
        kind="list",
        group=_SCREENING,
        longest=200,
    ),
    ReportQuestion(
        key=WORDS,
        label=N_("Words to highlight"),
        help=N_("In titles and abstracts, beside the words of the strategies."),
        kind="list",
        group=_SCREENING,
        longest=200,
    ),
)

QUESTIONS: tuple[ReportQuestion, ...] = (
    *PRISMA_S_QUESTIONS,
    *NOVELTY_QUESTIONS,
    *SCREENING_QUESTIONS,
)
BY_KEY = {question.key: question for question in QUESTIONS}
#: Namespace -> what raises a `UsageError` where its answers contradict one another.
CHECKS: Mapping[str, Callable[[Mapping[str, Value]], None]] = {"novelty": check_novelty}
