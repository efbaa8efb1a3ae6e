"""Who may do what: the one table of roles and actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from metasearch.settings.users import SystemRole

SYSTEM_ROLES: tuple[SystemRole, ...] = get_args(SystemRole)
#: What a user is in a project.
ProjectRole = Literal["owner", "editor", "screener", "reader"]
PROJECT_ROLES: tuple[ProjectRole, ...] = get_args(ProjectRole)

#: What is done outside a project.
SystemAction = Literal["search", "make project", "save search", "account", "administer"]
#: What is done in a project. "screen" marks, tags and notes works, and votes; "edit" changes
#: strategies, answers to questions, imports, pins, and undoes; "resolve" decides on conflicts.
ProjectAction = Literal[
    "read",
    "export",
    "screen",
    "edit",
    "run",
    "report",
    "sign",
    "resolve",
    "members",
    "delete",
]
Action = SystemAction | ProjectAction
SYSTEM_ACTIONS: tuple[SystemAction, ...] = get_args(SystemAction)
PROJECT_ACTIONS: tuple[ProjectAction, ...] = get_args(ProjectAction)

_READER: frozenset[ProjectAction] = frozenset({"read", "export"})
_SCREENER: frozenset[ProjectAction] = _READER | {"screen"}
_EDITOR: frozenset[ProjectAction] = _SCREENER | {"edit", "run", "report", "sign"}

#: Role -> what it may do.
IN_SYSTEM: Mapping[SystemRole, frozenset[SystemAction]] = {
    "administrator": frozenset(SYSTEM_ACTIONS),
    "user": frozenset(SYSTEM_ACTIONS) - {"administer"},
    "guest": frozenset({"search"}),
}
IN_PROJECT: Mapping[ProjectRole, frozenset[ProjectAction]] = {
    "owner": frozenset(PROJECT_ACTIONS),
    "editor": _EDITOR,
    "screener": _SCREENER,
    "reader": _READER,
}


def may(action: Action, system: SystemRole | None, project: ProjectRole | None = None) -> bool:
    """Whether an action is allowed.

    `system`: the role in the workspace; None for somebody who is not known and may not search.
    `project`: the role in the project that the action is about; None where there is none. An
    administrator has no role in a project by office.
    """
    if system is None:
        return False
    if action in SYSTEM_ACTIONS:
        return action in IN_SYSTEM[system]
    # A guest is a member of nothing, whatever a table says.
    return project is not None and system != "guest" and action in IN_PROJECT[project]
