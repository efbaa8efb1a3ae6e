"""What the quotas of users hold of saved searches; nothing where there are no users."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from metasearch.settings import Settings
from metasearch.workspace.saved.running import Admit
from metasearch.workspace.saved.saved import SavedSearch
from metasearch.workspace.store.database import Database

if TYPE_CHECKING:
    from metasearch.workspace.users.quotas import Quotas


def check_new(settings: Settings) -> Callable[[Database, str], object] | None:
    """What `saved.create` asks whether an owner may have one more."""
    quotas = _quotas(settings)
    return None if quotas is None else quotas.check_saved


def count_run(settings: Settings) -> Admit | None:
    """What `run_saved` asks whether a planned run may be made."""
    quotas = _quotas(settings)
    if quotas is None:
        return None

    def admit(db: Database, saved: SavedSearch) -> None:
        quotas.take(db, saved.owner, "scheduled_runs")

    return admit


def _quotas(settings: Settings) -> Quotas | None:
    if settings.users.mode == "none":
        return None
    from metasearch.workspace.users.quotas import Quotas

    return Quotas(settings.users.quotas)
