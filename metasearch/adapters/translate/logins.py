"""[auth] of a spec + environment -> a request's secret, or the request that fetches its token."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import quote_plus

from metasearch.adapters.request import JSON, Grant, Pairs, Request, Secret
from metasearch.adapters.spec import Auth


def secret(source: str, auth: Auth, env: Mapping[str, str]) -> Secret:
    """Returns the secret of one [auth.NAME], whose variables are set."""
    value, password = (env.get(name, "").strip() for name in (auth.env, auth.secret_env))
    if auth.kind == "key":
        return Secret(auth.prefix + value)
    headers: Pairs = ()
    if auth.kind == "oauth2":
        headers = (("Authorization", _basic(value, password)),)
        fields: Pairs = (
            ("grant_type", "client_credentials"),
            *((("scope", auth.scope),) if auth.scope else ()),
        )
    else:
        fields = tuple(
            (name, _filled(template, value, password)) for name, template in auth.login.items()
        )
    login = Request(
        source=source,
        url=auth.token_url,
        method="POST",
        headers=(("Accept", JSON), *headers),
        body=fields,
        content_type=JSON if auth.kind == "login" else "",
        step="token",
        private=True,
    )
    return Grant(login, auth.prefix)


def _basic(client: str, password: str) -> Secret:
    """Client id and secret in a header, as in RFC 6749, 2.3.1: form-encoded, then as RFC 7617."""
    pair = f"{quote_plus(client)}:{quote_plus(password)}"
    return Secret(f"Basic {b64encode(pair.encode()).decode()}", (client, password))


def _filled(template: str, value: str, password: str) -> str | Secret:
    text = template.format(id=value, secret=password)
    return text if text == template else Secret(text, tuple(filter(None, (value, password))))
