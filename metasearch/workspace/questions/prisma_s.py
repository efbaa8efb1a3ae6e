"""What only the people of a review know of its search: the items of PRISMA-S that no run can tell.

Rethlefsen, M. L. et al. (2021). PRISMA-S: an extension to the PRISMA statement for reporting
literature searches in systematic reviews. Systematic Reviews 10, 39.
"""

from __future__ import annotations

from metasearch.message import message_template
from metasearch.workspace.questions.question import Question

#: The kind of the report that asks all of this.
REPORT = "prisma-s"
_SOURCES = message_template("Other sources and methods")
_STRATEGIES = message_template("Search strategies")
_REVIEW = message_template("Peer review and updates")


def _asked(
    item: int, key: str, label: str, about: str, group: str, *, required: bool = True
) -> Question:
    ITEMS[key] = item
    return Question(
        key=f"prisma_s.{key}",
        label=label,
        help=about,
        kind="long text",
        longest=5_000,
        group=group,
        reports=(REPORT,),
        required=(REPORT,) if required else (),
    )


#: Name of a question -> the item of PRISMA-S that prints its answer.
ITEMS: dict[str, int] = {}

QUESTIONS: tuple[Question, ...] = (
    _asked(
        4,
        "online",
        message_template("Online resources and browsing (item 4)"),
        message_template(
            "Websites, tables of contents and conference proceedings that were looked through "
            "beside those listed as other sources; or that there were none."
        ),
        _SOURCES,
    ),
    _asked(
        5,
        "citations",
        message_template("Citation searching (item 5)"),
        message_template(
            "Whether references and citing works were searched, from which works and with which "
            "tool; or that this was not done."
        ),
        _SOURCES,
    ),
    _asked(
        6,
        "contacts",
        message_template("Contacts (item 6)"),
        message_template(
            "Whether authors, experts, manufacturers or others were asked for further studies."
        ),
        _SOURCES,
    ),
    _asked(
        7,
        "other_methods",
        message_template("Other methods (item 7)"),
        message_template("Any other way of finding works; or that there was none."),
        _SOURCES,
    ),
    _asked(
        9,
        "limits",
        message_template("Limits and restrictions (item 9)"),
        message_template(
            "Why the search is limited to years, languages or types of works; or that it is not."
        ),
        _STRATEGIES,
    ),
    _asked(
        10,
        "filters",
        message_template("Search filters (item 10)"),
        message_template(
            "Published filters that were used, with their citations and what was changed in them; "
            "or that there were none."
        ),
        _STRATEGIES,
    ),
    _asked(
        11,
        "prior_work",
        message_template("Prior work (item 11)"),
        message_template(
            "Strategies of other reviews that were taken over or adapted, with their citations; or "
            "that there were none."
        ),
        _STRATEGIES,
    ),
    _asked(
        12,
        "updates",
        message_template("Updates (item 12)"),
        message_template(
            "How the search is kept up to date: run anew, alerts, when; the runs themselves are "
            "listed by the report."
        ),
        _REVIEW,
        required=False,
    ),
    _asked(
        14,
        "peer_review",
        message_template("Peer review (item 14)"),
        message_template(
            "Who has reviewed the strategies, and how (PRESS or otherwise); or that nobody has."
        ),
        _REVIEW,
    ),
    _asked(
        16,
        "deduplication",
        message_template("Deduplication beside metasearch (item 16)"),
        message_template("Other software that removed duplicates, or checks by hand."),
        _REVIEW,
        required=False,
    ),
)
