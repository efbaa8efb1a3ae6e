"""What schedules, news, runs and e-mails are called on the pages of saved searches."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.server.pages.terms import N_
from metasearch.workspace.saved.history import SavedRun
from metasearch.workspace.saved.outbox import Off
from metasearch.workspace.saved.told import News

#: Schedule -> its words; those that a form offers.
SCHEDULES: Mapping[str, str] = {
    "": N_("Only when I ask for it"),
    "daily": N_("Every day"),
    "weekly mon": N_("Every Monday"),
    "weekly tue": N_("Every Tuesday"),
    "weekly wed": N_("Every Wednesday"),
    "weekly thu": N_("Every Thursday"),
    "weekly fri": N_("Every Friday"),
    "weekly sat": N_("Every Saturday"),
    "weekly sun": N_("Every Sunday"),
    "monthly 1": N_("On the first of each month"),
    "monthly 15": N_("On the 15th of each month"),
}
#: What has happened to a work.
HAPPENED: Mapping[str, str] = {
    "new": N_("new"),
    "version": N_("new version"),
    "retracted": N_("retracted"),
    "corrected": N_("corrected"),
    "late": N_("late arrival"),
}
#: Status of a run -> its words.
RUN_WORDS: Mapping[str, str] = {
    "running": N_("under way"),
    "done": N_("done"),
    "failed": N_("failed"),
    "stopped": N_("stopped"),
}
#: Why no e-mails are sent -> the sentence.
OFF_WORDS: Mapping[Off, str] = {
    "asked": N_("You have switched e-mails of saved searches off."),
    "bounced": N_(
        "E-mails were switched off, because the mail server has refused five in a row. Check the "
        "address before you switch them on again."
    ),
}
#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "saved": N_("The search was saved."),
    "changed": N_("The change was saved."),
    "removed": N_("The saved search was removed."),
    "run": N_("The search is being run. Load this page again in a minute."),
    "feed": N_("The feed has a new address; the old one has ended."),
    "mails-on": N_("E-mails are on; they tell what is new from now on."),
    "mails-off": N_("E-mails are off."),
}


def schedule_words(schedule: str) -> str:
    """What a schedule is called; one that no form offers is shown as it is kept."""
    return SCHEDULES.get(schedule, schedule)


def happened(news: News) -> str:
    """A key of `HAPPENED`; the news of retractions are also about corrections."""
    if news.kind == "retracted" and not news.hit.record.retracted:
        return "corrected"
    return news.kind


def run_words(run: SavedRun) -> str:
    """What a run is called."""
    return RUN_WORDS[run.status]
