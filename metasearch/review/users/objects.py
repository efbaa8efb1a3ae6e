"""Users and what belongs to them as JSON objects, for the command line, the interface and exports.
They hold no secret and no number of a row but those by which a session, a token or a link is ended.
"""

from __future__ import annotations

from typing import Any

from metasearch.review.projects.members import Member
from metasearch.review.users.accounts import User
from metasearch.review.users.audit import AuditLine
from metasearch.review.users.links import Link
from metasearch.review.users.sessions import Session
from metasearch.review.users.tokens import Token


def user(found: User) -> dict[str, Any]:
    """A user."""
    return {
        "uid": found.uid,
        "name": found.name,
        "shown": found.shown,
        "email": found.email,
        "email_proved": found.email_proved,
        "role": found.role,
        "origin": found.origin,
        "subject": found.subject,
        "disabled": found.disabled,
        "preferences": dict(found.preferences),
        "quotas": dict(found.quotas),
        "created": found.created,
        "last_login": found.last_login,
        "version": found.version,
        "has_password": found.has_password,
    }


def session(found: Session, current: int | None = None) -> dict[str, Any]:
    """A session; `current` is the row of the one that asks."""
    return {
        "id": found.id,
        "agent": found.agent,
        "created": found.created,
        "seen": found.seen,
        "expires": found.expires,
        "current": found.id == current,
    }


def token(found: Token) -> dict[str, Any]:
    """A token, without its text."""
    return {
        "id": found.id,
        "name": found.name,
        "scopes": sorted(found.scopes),
        "created": found.created,
        "expires": found.expires,
        "used": found.used,
    }


def member(found: Member) -> dict[str, Any]:
    """A member of a project."""
    return {
        "user": found.uid,
        "name": found.name,
        "shown": found.shown,
        "role": found.role,
        "added": found.added,
        "disabled": found.disabled,
    }


def link(found: Link) -> dict[str, Any]:
    """An open link, without its secret."""
    return {
        "id": found.id,
        "kind": found.kind,
        "user": found.user.uid if found.user else None,
        "project": found.project.uid if found.project else None,
        "role": found.role,
        "by": found.by,
        "created": found.created,
        "expires": found.expires,
    }


def line(found: AuditLine) -> dict[str, Any]:
    """A line of the audit log."""
    return {
        "id": found.id,
        "at": found.at,
        "actor": found.actor,
        "action": found.action,
        "object": found.object,
        "detail": dict(found.detail),
        "client": found.client,
    }
