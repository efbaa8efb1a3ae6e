"""Logging in at an OpenID provider (OpenID Connect Core 1.0: authorization code with PKCE).

`login.py` has the two addresses; `provider.py` is what this server knows of the provider, and
`id_token.py` checks what it says. It needs the extra `oidc`, and is imported in this mode alone.
"""
