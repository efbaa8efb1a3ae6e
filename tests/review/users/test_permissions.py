"""Who may do what: the whole table, written out once more by hand."""

from __future__ import annotations

from itertools import product

from metasearch.review.users.permissions_and_quotas import (
    PROJECT_ACTIONS,
    PROJECT_ROLES,
    SYSTEM_ACTIONS,
    SYSTEM_ROLES,
    Action,
    ProjectRole,
    SystemRole,
    may,
)
from tests.cases import each

#: Action -> the roles that may do it.
ON_SERVER = {
    "search": {"administrator", "user", "guest"},
    "make project": {"administrator", "user"},
    "save search": {"administrator", "user"},
    "account": {"administrator", "user"},
    "administer": {"administrator"},
}
IN_PROJECT = {
    "read": {"owner", "editor", "screener", "reader"},
    "export": {"owner", "editor", "screener", "reader"},
    "screen": {"owner", "editor", "screener"},
    "edit": {"owner", "editor"},
    "run": {"owner", "editor"},
    "report": {"owner", "editor"},
    "sign": {"owner", "editor"},
    "resolve": {"owner"},
    "members": {"owner"},
    "delete": {"owner"},
}


def test_the_table_has_all_actions() -> None:
    """An action that is new must be written here, too."""
    assert (set(ON_SERVER), set(IN_PROJECT)) == (set(SYSTEM_ACTIONS), set(PROJECT_ACTIONS))


@each("system", [*SYSTEM_ROLES, None])
@each("project", [*PROJECT_ROLES, None])
def test_every_role_and_every_action(
    system: SystemRole | None, project: ProjectRole | None
) -> None:
    """A role in a project allows nothing outside it, nor the other way round; an administrator is
    no member by office, and a guest is a member of nothing.
    """
    for action in SYSTEM_ACTIONS:
        assert may(action, system, project) is (system in ON_SERVER[action])
    for inside in PROJECT_ACTIONS:
        member = project in IN_PROJECT[inside]
        assert may(inside, system, project) is (member and system in ("administrator", "user"))


def test_who_is_not_known_may_do_nothing() -> None:
    """Not even as a member."""
    actions: tuple[Action, ...] = (*SYSTEM_ACTIONS, *PROJECT_ACTIONS)

    assert not any(may(action, None, role) for action, role in product(actions, PROJECT_ROLES))
