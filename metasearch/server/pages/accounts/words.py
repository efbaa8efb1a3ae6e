"""What roles, scopes and actions of the audit log are called on pages."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.server.pages.terms import N_

#: Role in the workspace -> its name.
ROLE_WORDS: Mapping[str, str] = {
    "administrator": N_("Administrator"),
    "user": N_("User"),
    "guest": N_("Guest"),
}
#: Role -> what it may do.
ROLE_ABOUT: Mapping[str, str] = {
    "administrator": N_("manages users and sources, and does what users do"),
    "user": N_("searches, saves searches, makes projects and joins them"),
    "guest": N_("searches only"),
}
#: Scope of a token -> (its name, what a program may do with it).
SCOPE_WORDS: Mapping[str, tuple[str, str]] = {
    "search": (N_("search"), N_("Asks the databases, and reads works.")),
    "read": (N_("read"), N_("Reads projects and saved searches that you may read.")),
    "write": (N_("write"), N_("Changes them, where you may.")),
}
#: Who says that a user is who they are -> its name.
ORIGIN_WORDS: Mapping[str, str] = {
    "local": N_("password"),
    "header": N_("proxy"),
    "oidc": N_("OpenID provider"),
}
#: Action of the audit log -> its name.
AUDIT_WORDS: Mapping[str, str] = {
    "login": N_("login"),
    "login failed": N_("login failed"),
    "logout": N_("logout"),
    "account": N_("account changed"),
    "disable": N_("account disabled"),
    "enable": N_("account enabled"),
    "password": N_("password changed"),
    "token": N_("token made or revoked"),
    "link": N_("link made or revoked"),
    "role": N_("role changed"),
    "member": N_("members of a project changed"),
    "quota": N_("quota"),
    "export": N_("export"),
    "delete": N_("deleted"),
    "report signed": N_("report signed"),
    "sources": N_("sources switched"),
}
#: Kind of quota -> what it is of.
QUOTA_WORDS: Mapping[str, str] = {
    "searches": N_("Searches a day"),
    "sources": N_("Databases of a search"),
    "saved_searches": N_("Saved searches"),
    "scheduled_runs": N_("Runs of saved searches a day"),
    "stored_records": N_("Records kept in own projects"),
    "stored_bytes": N_("Bytes kept in own projects"),
    "exports": N_("Exports a day"),
}
