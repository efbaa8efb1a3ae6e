"""The tables [alerts] and [mail]: when saved searches are run, and how e-mails are sent."""

from __future__ import annotations

from dataclasses import dataclass

from metasearch.settings.tables import SettingsTables


@dataclass(frozen=True, slots=True)
class AlertsSettings:
    """Whether, and when, a server runs saved searches.

    Attributes:
        run: Whether it does; else `metasearch alerts run` does it.
    """

    run: bool = True


@dataclass(frozen=True, slots=True)
class MailSettings:
    """How e-mails are sent.

    Attributes:
        host: Of the mail server; "" where no e-mails are sent.
    """

    host: str = ""


def alerts(tables: SettingsTables) -> AlertsSettings:
    """The table [alerts]."""
    return AlertsSettings(run=tables["alerts"].get("run") is not False)


def mail(tables: SettingsTables) -> MailSettings:
    """The table [mail]."""
    return MailSettings(host=str(tables["mail"].get("host", "")))
