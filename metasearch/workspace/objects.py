"""What programs are shown of a workspace, by `--json` and by the JSON interface: objects for JSON.

Members may be added; those that are here keep their names and their meaning.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from metasearch.workspace.log import Change
from metasearch.workspace.overview import Overview
from metasearch.workspace.projects import Project

#: An object for JSON.
Object = dict[str, Any]


def project(shown: Project, numbers: Overview | None = None) -> Object:
    """A project, and how much it holds where that is known."""
    made: Object = {
        "uid": shown.uid,
        "name": shown.name,
        "kind": shown.kind,
        "title": shown.title,
        "created": shown.created,
        "archived": shown.archived,
    }
    return made if numbers is None else made | {"holds": asdict(numbers)}


def change(shown: Change) -> Object:
    """A line of the log."""
    return {
        "id": shown.id,
        "at": shown.at,
        "by": shown.by,
        "action": shown.action,
        "object": shown.object,
        "before": shown.before,
        "after": shown.after,
        "undoes": shown.undoes,
    }
