"""The page of the members of a project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metasearch.formats.text import line
from metasearch.server.pages.page import page
from metasearch.server.pages.projects.frame import frame
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.projects.words import called
from metasearch.server.pages.terms import N_
from metasearch.server.visit import Visit
from metasearch.workspace.projects import Project
from metasearch.workspace.users.links import Link
from metasearch.workspace.users.members import Member
from metasearch.workspace.users.permissions import ProjectRole

#: Role -> (its name, what it may do).
ROLE_WORDS: Mapping[ProjectRole, tuple[str, str]] = {
    "owner": (N_("Owner"), N_("all, and says who is a member")),
    "editor": (
        N_("Editor"),
        N_("also changes strategies, runs searches, freezes and signs reports"),
    ),
    "screener": (N_("Screener"), N_("also decides on works, tags and notes them")),
    "reader": (N_("Reader"), N_("reads and exports")),
}
#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "role": N_("The role was changed."),
    "removed": N_("The member was removed; what they did stays."),
    "revoked": N_("Nobody can use the link any more."),
}


@dataclass(frozen=True, slots=True)
class MembersShown:
    """What the page is made from.

    Attributes:
        members: Owners first, then by name.
        invitations: Links that can be used; none for a reader who may not make them.
        names: Uid of a user -> name, of those who made the links.
    """

    members: Sequence[Member]
    invitations: Sequence[Link]
    names: Mapping[str, str]


def members_page(
    visit: Visit,
    project: Project,
    shown: MembersShown,
    said: Said,
    *,
    own: str,
    link: str = "",
    done: str = "",
) -> str:
    """The whole page. `link`: the address of a new link; "" for none."""
    return page(
        "projects/members.html",
        visit,
        f"{visit.language.gettext('Members')} · {line(project.title)}",
        current="/projects",
        frame=frame(visit, project, "/members"),
        members=shown.members,
        invitations=shown.invitations,
        names=called(visit.language, shown.names),
        roles=ROLE_WORDS,
        own=own,
        link=link,
        said=said,
        done=DONE_WORDS.get(done, ""),
    )
