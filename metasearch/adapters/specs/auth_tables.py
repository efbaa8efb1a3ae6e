"""[auth.NAME] of a spec: where a secret is sent, and how a token is fetched for it."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping

from metasearch.adapters.spec import Auth
from metasearch.adapters.specs.tables import CHOICES, Table, TableReader

#: The name of an environment variable.
VARIABLE = r"[A-Z][A-Z0-9_]*"
_NO_VARIABLE = "must be the name of an environment variable, never the secret itself"
#: Kind of a secret -> the keys that it has beside those of every kind.
_KEYS_OF_KIND = {
    "key": frozenset[str](),
    "oauth2": frozenset({"token_url", "secret_env", "scope"}),
    "login": frozenset({"token_url", "secret_env", "login"}),
}


class AuthTables:
    """Reads [auth.NAME]; `reader` takes the problems."""

    def __init__(self, reader: TableReader) -> None:
        self.reader = reader

    def auth(self, table: Table) -> tuple[Auth, ...]:
        """Returns the secrets of a spec."""
        auths = []
        for name, value in self.reader.table(table, "auth").items():
            where = f"auth.{name}"
            if not isinstance(value, Mapping):
                self.reader.wrong(where, "must be a table")
                continue
            self.reader.known(value, "auth", where)
            env = self.reader.get(value, "env", str, "", where)
            if not re.fullmatch(VARIABLE, env):
                self.reader.wrong(f"{where}.env", _NO_VARIABLE)
            place = value.get("in", "params")
            if place not in CHOICES["auth.in"]:
                self.reader.wrong(f"{where}.in", f"must be one of {', '.join(CHOICES['auth.in'])}")
                continue
            auth = Auth(
                name,
                env,
                place,
                self.reader.get(value, "required", bool, False, where),
                self.reader.get(value, "prefix", str, "", where),
                self.reader.get(value, "get", str, "", where),
            )
            auths.append(self.login(value, auth, where))
        return tuple(auths)

    def login(self, value: Table, auth: Auth, where: str) -> Auth:
        """Returns `auth` with what is needed to fetch its token, if it is not a plain key."""
        kind = value.get("kind", "key")
        if kind not in CHOICES["auth.kind"]:
            self.reader.wrong(f"{where}.kind", f"must be one of {', '.join(CHOICES['auth.kind'])}")
            return auth
        for key in ("token_url", "secret_env", "scope", "login"):
            if key in value and key not in _KEYS_OF_KIND[kind]:
                self.reader.wrong(f"{where}.{key}", f'has no meaning with kind = "{kind}"')
        if kind == "key":
            return auth
        url = self.reader.get(value, "token_url", str, "", where)
        if not url.startswith(("https://", "http://")):
            self.reader.wrong(f"{where}.token_url", "must begin with https:// or http://")
        secret_env = self.reader.get(value, "secret_env", str, "", where)
        if not re.fullmatch(VARIABLE if secret_env or kind == "oauth2" else "", secret_env):
            self.reader.wrong(f"{where}.secret_env", _NO_VARIABLE)
        login = self.reader.table(value, "login", f"{where}.login")
        if kind == "login" and not login:
            self.reader.wrong(
                f"{where}.login",
                'is missing: the JSON to send, as { username = "{id}", password = "{secret}" }',
            )
        for name, template in login.items():
            if not isinstance(template, str):
                self.reader.wrong(f"{where}.login.{name}", "must be a string")
                continue
            self.reader.placeholders(template, frozenset({"id", "secret"}), f"{where}.login.{name}")
        return dataclasses.replace(
            auth,
            kind=kind,
            token_url=url,
            secret_env=secret_env,
            scope=self.reader.get(value, "scope", str, "", where),
            login={name: str(template) for name, template in login.items()},
        )
