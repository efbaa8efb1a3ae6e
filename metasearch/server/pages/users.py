"""The pages at which users log in: a name and a password, a new password, an invitation."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.errors import UsageError
from metasearch.server.pages.page import page
from metasearch.server.pages.projects.members import ROLE_WORDS
from metasearch.server.pages.terms import N_
from metasearch.server.visit import Visit
from metasearch.settings.users import SystemRole
from metasearch.workspace.users.addresses import Claimed
from metasearch.workspace.users.passwords import SHORTEST
from metasearch.workspace.users.permissions import ProjectRole

#: What has just been done -> the message, to be translated.
_DONE: Mapping[str, str] = {
    "out": N_("You are logged out."),
    "password": N_("The password is set. Log in with it."),
}
#: Role -> what it is called, to be translated.
SYSTEM_WORDS: Mapping[SystemRole, str] = {
    "administrator": N_("administrator"),
    "user": N_("user"),
    "guest": N_("guest"),
}


def login_page(
    visit: Visit,
    following: str,
    *,
    name: str = "",
    error: UsageError | None = None,
    done: str = "",
    elsewhere: str = "",
) -> str:
    """The form for a name and a password. `elsewhere`: local address that leads to the provider
    where users log in; "" for the form.
    """
    return page(
        "users/login.html",
        visit,
        visit.language.gettext("Log in"),
        following=following,
        typed=name,
        error=error,
        message=_DONE.get(done, ""),
        elsewhere=elsewhere,
    )


def password_page(
    visit: Visit,
    address: str,
    name: str,
    *,
    asks_old: bool = False,
    error: UsageError | None = None,
    done: bool = False,
) -> str:
    """The form for a new password."""
    return page(
        "users/password.html",
        visit,
        visit.language.gettext("Set a password"),
        address=address,
        user=name,
        asks_old=asks_old,
        error=error,
        done=done,
        least=SHORTEST,
    )


def address_page(visit: Visit, address: str, claimed: Claimed, *, done: bool) -> str:
    """The question whether an address is that of a user."""
    return page(
        "users/address.html",
        visit,
        visit.language.gettext("Prove an address"),
        address=address,
        claimed=claimed,
        done=done,
    )


def account_page(
    visit: Visit,
    address: str,
    role: SystemRole,
    *,
    typed: Mapping[str, str] | None = None,
    error: UsageError | None = None,
) -> str:
    """The form for an account that somebody is invited to make."""
    return page(
        "users/new.html",
        visit,
        visit.language.gettext("Make an account"),
        address=address,
        role=visit.language.said(SYSTEM_WORDS[role]),
        typed=typed or {},
        error=error,
        least=SHORTEST,
    )


def invitation_page(
    visit: Visit,
    address: str,
    title: str,
    role: ProjectRole,
    by: str,
    error: UsageError | None = None,
) -> str:
    """The form that makes a user a member of a project. `by`: the name of who invites; "" where it
    is not known.
    """
    return page(
        "users/invitation.html",
        visit,
        visit.language.gettext("Join a project"),
        address=address,
        project=title,
        role=ROLE_WORDS[role],
        by=by,
        error=error,
    )
