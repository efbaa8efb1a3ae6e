"""The tabs of the administration."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.server.pages.terms import N_
from metasearch.server.visit import Visit

#: Path of each page -> its name, in the order of the tabs.
TABS: Mapping[str, str] = {
    "/admin/users": N_("Users"),
    "/admin/projects": N_("All projects"),
    "/admin/sources": N_("Databases of this server"),
    "/admin/audit": N_("Audit log"),
}


def tabs(visit: Visit, here: str) -> list[Mapping[str, object]]:
    """The tabs; `here` is the path of one of them, or "" on the page of something else."""
    return [
        {"address": visit.site.path(path), "words": words, "here": path == here}
        for path, words in TABS.items()
    ]
