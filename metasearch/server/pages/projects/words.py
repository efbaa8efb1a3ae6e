"""What the fixed words of a workspace are called on a page; templates translate them."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.server.pages.terms import N_

#: `Change.action` -> its name; another one is shown as it is.
ACTION_WORDS: Mapping[str, str] = {
    "new project": N_("project made"),
    "edit project": N_("project changed"),
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
}
#: Verdict of a decision -> its name.
DECISION_WORDS: Mapping[str, str] = {
    "undecided": N_("undecided"),
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
