"""What the fixed words of a workspace are called on a page; templates translate them."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.message import Message
from metasearch.server.pages.language import Language
from metasearch.server.pages.terms import N_

#: `Change.action` -> its name; another one is shown as it is.
ACTION_WORDS: Mapping[str, str] = {
    "new project": N_("project made"),
    "edit project": N_("project changed"),
    "import project": N_("project imported"),
    "new strategy": N_("strategy made"),
    "edit strategy": N_("strategy changed"),
    "copy strategy": N_("strategy copied"),
    "new step": N_("step added"),
    "add step": N_("step added"),
    "edit step": N_("step changed"),
    "remove step": N_("step removed"),
    "import file": N_("file imported"),
    "add known works": N_("known works added"),
    "remove known work": N_("known work removed"),
    "mark works": N_("works decided on"),
    "import decisions": N_("decisions imported"),
    "conflicting decisions": N_("decisions of joined works differ"),
    "tag works": N_("tags changed"),
    "note works": N_("note changed"),
    "pin works": N_("works joined or kept apart by hand"),
    "remove pin": N_("joined or kept apart by hand no more"),
    "join votes": N_("two votes on joined works made one"),
    "resolve conflicts": N_("conflicts of votes resolved"),
    "begin team screening": N_("screening in a team begun"),
    "change team screening": N_("screening in a team changed"),
    "end team screening": N_("screening in a team ended"),
    "finish report": N_("report frozen"),
    "sign report": N_("report signed"),
    "add other source": N_("other way of searching added"),
    "edit other source": N_("other way of searching changed"),
    "remove other source": N_("other way of searching removed"),
}
#: Mode of a run -> its name.
MODE_WORDS: Mapping[str, str] = {
    "records": N_("records fetched"),
    "counts": N_("counts only"),
    "import": N_("file imported"),
}
#: Status of a run -> its name.
RUN_WORDS: Mapping[str, str] = {
    "running": N_("running"),
    "done": N_("finished"),
    "stopped": N_("stopped before its end"),
    "interrupted": N_("interrupted"),
}
#: Verdict of a decision -> its name.
DECISION_WORDS: Mapping[str, str] = {
    "undecided": N_("undecided"),
    "conflict": N_("votes differ"),
    "relevant": N_("relevant"),
    "close": N_("closely related"),
    "excluded": N_("excluded"),
    "unavailable": N_("not retrieved"),
}
#: Stage -> the verdicts that it has, in the order of buttons.
VERDICTS_OF: Mapping[str, tuple[str, ...]] = {
    "title": ("relevant", "close", "excluded"),
    "fulltext": ("relevant", "excluded", "unavailable"),
}
#: Stage of a decision -> its name.
STAGE_WORDS: Mapping[str, str] = {
    "title": N_("Title and abstract"),
    "fulltext": N_("Full text"),
}


def called(language: Language, names: Mapping[str, str]) -> dict[str, str]:
    """Names of users as a page shows them: that of one who is gone is a word of the language, and
    all others stay as they are.
    """
    return {
        uid: language.said(name) if isinstance(name, Message) else name
        for uid, name in names.items()
    }
