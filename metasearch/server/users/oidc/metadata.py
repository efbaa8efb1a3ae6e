"""What the provider says about itself (OpenID Connect Discovery 1.0)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from metasearch.message import message
from metasearch.server.users.oidc.failures import ProviderFault

#: Below the issuer.
WELL_KNOWN = "/.well-known/openid-configuration"
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the provider says about itself.

    Attributes:
        authorization: Where browsers are sent.
        token: Where a code becomes a token.
        keys: Where the keys are that tokens are signed with.
        client_by: How it wants to be told the secret of a client: in a header, or in the form.
        names_itself: Whether it says in its answers to browsers who it is (RFC 9207).
    """

    authorization: str
    token: str
    keys: str
    client_by: Literal["basic", "post"]
    names_itself: bool


def read(found: Mapping[str, Any], issuer: str) -> Metadata:
    """The metadata of an issuer. Raises ProviderFault: they are those of another issuer, or lack
    what is needed.
    """
    if found.get("issuer") != issuer:
        raise ProviderFault(
            message(
                "The login provider calls itself {theirs}, and [users.oidc] issuer is {ours}.",
                theirs=repr(str(found.get("issuer"))[:200]),
                ours=repr(issuer),
            ),
            advice=message("Write the issuer exactly as the provider does."),
        )
    methods = found.get("token_endpoint_auth_methods_supported")
    known = methods if isinstance(methods, list) else ["client_secret_basic"]
    return Metadata(
        authorization=_address(found, "authorization_endpoint", issuer),
        token=_address(found, "token_endpoint", issuer),
        keys=_address(found, "jwks_uri", issuer),
        client_by="post"
        if "client_secret_post" in known and "client_secret_basic" not in known
        else "basic",
        names_itself=found.get("authorization_response_iss_parameter_supported") is True,
    )


def _address(found: Mapping[str, Any], name: str, issuer: str) -> str:
    """An address in the metadata; https, unless the issuer, on this machine, has http itself."""
    address = found.get(name)
    allowed = ("https:", "http:") if issuer.startswith("http:") else ("https:",)
    if isinstance(address, str) and len(address) <= _LONGEST and address.startswith(allowed):
        try:
            parts = urlsplit(address)
            usable = bool(parts.hostname) and not parts.fragment and parts.port != 0
        except ValueError:
            usable = False
        if usable and address.isascii() and address.isprintable() and " " not in address:
            return address
    raise ProviderFault(
        message("The metadata of the login provider have no usable {name}.", name=name)
    )
