"""Why somebody could not log in at the provider."""

from __future__ import annotations

from metasearch.errors import MetasearchError, UsageError
from metasearch.message import message


class ProviderFault(MetasearchError):
    """The provider cannot be asked, or answers what cannot be used."""

    status = 502
    advice = message("Try again in a moment; if it stays so, tell whoever runs this server.")


class LoginRefused(UsageError):
    """What has come back from the provider begins no session."""

    status = 403
    advice = message("Log in again.")
