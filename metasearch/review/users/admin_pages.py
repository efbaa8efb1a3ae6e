"""The pages of the administration: users, one user, and the audit log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from metasearch.server.pages.accounts.quotas import QuotaLine
from metasearch.server.pages.accounts.tabs import tabs
from metasearch.server.pages.accounts.words import (
    AUDIT_WORDS,
    ORIGIN_WORDS,
    ROLE_ABOUT,
    ROLE_WORDS,
)
from metasearch.server.pages.page import page
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.terms import N_
from metasearch.server.visit import Visit
from metasearch.workspace.users.accounts import User
from metasearch.workspace.users.audit import AuditLine
from metasearch.workspace.users.fields import LONGEST_EMAIL, LONGEST_SHOWN
from metasearch.workspace.users.links import Link
from metasearch.workspace.users.names import LONGEST_NAME

#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "revoked": N_("The invitation is revoked."),
    "deleted": N_("The account is deleted."),
    "details": N_("The details are saved."),
    "quotas": N_("The quotas are saved."),
    "disabled": N_("The account is disabled."),
    "enabled": N_("The user may log in again."),
    "ended": N_("All sessions of the user have ended."),
}
#: What a link is for -> the heading above it.
LINK_WORDS: Mapping[str, str] = {
    "password": N_("Link to set a password"),
    "account": N_("Invitation to make an account"),
}


@dataclass(frozen=True, slots=True)
class MadeLink:
    """A link that was just made, and is shown this once.

    Attributes:
        kind: A key of `LINK_WORDS`.
        address: Absolute.
        expires: When it ends, UTC.
    """

    kind: str
    address: str
    expires: str

    @property
    def heading(self) -> str:
        """To be translated."""
        return LINK_WORDS[self.kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsersView:
    """What the list of users shows.

    Attributes:
        counts: Role -> users of it who may log in.
        makers: Uid -> name, of those who have made `links`.
        further: Address of the next page; "" for none.
        local: Whether users log in here by a password.
    """

    users: Sequence[User]
    counts: Mapping[str, int]
    links: Sequence[Link]
    makers: Mapping[str, str]
    text: str
    role: str
    state: str
    further: str
    local: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class UserView:
    """What the page of a user shows."""

    user: User
    sessions: int
    tokens: int
    projects: int
    quotas: Sequence[QuotaLine]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditView:
    """What the page of the audit log shows.

    Attributes:
        lines: The newest first.
        names: Uid -> name for people.
        unknown: Whether there is no such user.
        older: Address of the next page; "" for none.
        files: (name of a format, address of the file).
    """

    lines: Sequence[AuditLine]
    names: Mapping[str, str]
    action: str
    user: str
    object: str
    unknown: bool
    older: str
    files: Sequence[tuple[str, str]]


def users_page(
    visit: Visit, view: UsersView, said: Said, done: str = "", link: MadeLink | None = None
) -> str:
    """The list of users, with forms for new ones and for invitations."""
    return page(
        "users/admin_users.html",
        visit,
        visit.language.gettext("Users"),
        current="/admin",
        tabs=tabs(visit, "/admin/users"),
        users=view.users,
        counts=view.counts,
        links=view.links,
        makers=view.makers,
        text=view.text,
        role=view.role,
        state=view.state,
        further=view.further,
        local=view.local,
        roles=ROLE_WORDS,
        about=ROLE_ABOUT,
        said=said,
        done=DONE_WORDS.get(done, ""),
        link=link,
        longest_name=LONGEST_NAME,
        longest_shown=LONGEST_SHOWN,
        longest_email=LONGEST_EMAIL,
    )


def user_page(
    visit: Visit, view: UserView, said: Said, done: str = "", link: MadeLink | None = None
) -> str:
    """The page of a user."""
    user = view.user
    return page(
        "users/admin_user.html",
        visit,
        user.known_as,
        current="/admin",
        tabs=tabs(visit, ""),
        user=user,
        origin=ORIGIN_WORDS[user.origin],
        sessions=view.sessions,
        tokens=view.tokens,
        projects=view.projects,
        quotas=view.quotas,
        audit=visit.site.path("/admin/audit", object=f"user:{user.uid}"),
        roles=ROLE_WORDS,
        about=ROLE_ABOUT,
        said=said,
        done=DONE_WORDS.get(done, ""),
        link=link,
        longest_shown=LONGEST_SHOWN,
        longest_email=LONGEST_EMAIL,
    )


def audit_page(visit: Visit, view: AuditView) -> str:
    """The page of the audit log."""
    return page(
        "users/admin_audit.html",
        visit,
        visit.language.gettext("Audit log"),
        current="/admin",
        tabs=tabs(visit, "/admin/audit"),
        lines=[_line(each, view.names) for each in view.lines],
        actions=AUDIT_WORDS,
        action=view.action,
        user=view.user,
        object=view.object,
        unknown=view.unknown,
        older=view.older,
        files=view.files,
    )


def _line(line: AuditLine, names: Mapping[str, str]) -> Mapping[str, object]:
    return {
        "id": line.id,
        "at": line.at,
        "who": names.get(line.actor, ""),
        "action": line.action,
        "object": line.object,
        "detail": orjson.dumps(line.detail).decode() if line.detail else "",
        "client": line.client,
    }
