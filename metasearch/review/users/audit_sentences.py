"""What a line of the audit log says, as a sentence for people; files have it as data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metasearch.message import N_, Message, join_texts, message
from metasearch.review.projects.member_pages import ROLE_WORDS as PROJECT_ROLE_WORDS
from metasearch.review.users.account_pages import AUDIT_WORDS, QUOTA_WORDS, ROLE_WORDS
from metasearch.review.users.audit import AuditLine

#: Role on the server or in a project -> its name.
_ROLES: Mapping[str, str] = {
    **ROLE_WORDS,
    **{str(role): words for role, (words, _) in PROJECT_ROLE_WORDS.items()},
}
#: How somebody has logged in.
_LOGINS: Mapping[str, str] = {
    "password": N_("logged in with a password"),
    "oidc": N_("logged in at the login provider"),
    "invitation": N_("logged in by an invitation"),
}
#: What was taken out, where it is no format.
_EXPORTS: Mapping[str, str] = {
    "own data": N_("took out the data of the own account"),
    "audit log": N_("took out the audit log"),
    "archive": N_("took out the whole project"),
}
_SWITCHES: Mapping[str, str] = {
    "on": N_("switched the database on"),
    "off": N_("switched the database off"),
    "as configured": N_("left the database to the configuration"),
}
_LINKS: Mapping[str, str] = {
    "password": N_("made a link to set a password"),
    "account": N_("made an invitation to the server"),
    "member": N_("made an invitation to the project"),
}
_DETAILS: Mapping[str, str] = {"shown": N_("name"), "email": N_("e-mail address")}
_PLAIN: Mapping[str, str] = {
    "login failed": N_("A login failed"),
    "logout": N_("logged out"),
    "disable": N_("disabled the account"),
    "enable": N_("enabled the account"),
    "delete": N_("deleted it"),
}


def sentence(line: AuditLine, names: Mapping[str, str]) -> str:
    """What was done; the words for the action where its details are of no known kind. `names`: uid
    -> name for people, of users in the details.
    """
    known = _sentence_of(line.action, line.detail, names)
    return known or message(AUDIT_WORDS.get(line.action, line.action))


def _sentence_of(
    action: str, detail: Mapping[str, Any], names: Mapping[str, str]
) -> Message | None:
    match action, detail:
        case "login", {"proof": str(proof)} if proof in _LOGINS:
            return message(_LOGINS[proof])
        case "account", {"new": True, "role": str(role)}:
            return message("made the account, as {role}", role=_role(role))
        case "account", {"changed": [*changed]}:
            words = (message(_DETAILS.get(str(each), str(each))) for each in changed)
            return message("changed {details}", details=join_texts(", ", words))
        case "account", {"proved": True}:
            return message("proved the e-mail address")
        case "password", {"set": bool(is_set)}:
            return message("set the password") if is_set else message("removed the password")
        case "token", {"new": str(name), "days": int(days)}:
            return message("made the token “{name}”, good for {days} days", name=name, days=days)
        case "token", {"revoked": str(name)}:
            return message("revoked the token “{name}”", name=name)
        case "link", {"kind": str(kind), "role": str(role)} if kind in _LINKS:
            made = message(_LINKS[kind])
            return message("{deed}, as {role}", deed=made, role=_role(role)) if role else made
        case "link", {"revoked": str()}:
            return message("revoked a link")
        case "role", {"before": str(before), "after": str(after)}:
            return _change(message("changed the role"), before, after)
        case "member", {"user": str(user)}:
            return _member(names.get(user, user), detail.get("before"), detail.get("after"))
        case "quota", {"exceeded": str(kind), "limit": int(limit)}:
            of = message(QUOTA_WORDS.get(kind, kind))
            return message("used up the quota “{quota}”: {limit}", quota=of, limit=limit)
        case "quota", {"own": str()}:
            return message("gave quotas of its own")
        case "export", {"what": str(what)}:
            if what in _EXPORTS:
                return message(_EXPORTS[what])
            return message("took out works as {format}", format=what)
        case "report signed", {"report": str(report), "role": str()}:
            return message("signed the report {report}", report=report)
        case "sources", {"switched": str(how)} if how in _SWITCHES:
            return message(_SWITCHES[how])
    return message(_PLAIN[action]) if action in _PLAIN else None


def _member(name: str, before: object, after: object) -> Message:
    match before, after:
        case None, str(role):
            return message("made {name} a member, as {role}", name=name, role=_role(role))
        case str(role), None:
            return message("removed {name}, who was {role}", name=name, role=_role(role))
    deed = message("changed the role of {name}", name=name)
    return _change(deed, str(before), str(after))


def _change(deed: Message, before: str, after: str) -> Message:
    return message(
        "{deed}: {before} → {after}", deed=deed, before=_role(before), after=_role(after)
    )


def _role(name: str) -> Message:
    return message(_ROLES.get(name, name))
