"""The tables [alerts] and [mail]: when saved searches are run, and how e-mails are sent."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, get_args

from metasearch.late_pattern import late_pattern
from metasearch.settings.server import SettingsTables

#: How the connection to the mail server is encrypted: after a first command, from its beginning, or
#: not at all.
Encryption = Literal["starttls", "tls", "none"]
ENCRYPTIONS: tuple[Encryption, ...] = get_args(Encryption)
#: The usual port of each.
PORTS = {"starttls": 587, "tls": 465, "none": 25}
_HOURS = late_pattern(r"([0-9]{1,2})-([0-9]{1,2})", re.ASCII)
_HOST = late_pattern(
    r"\[[0-9a-fA-F:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?", re.ASCII
)
_VARIABLE = re.compile(r"ENV:([A-Za-z_][A-Za-z0-9_]*)", re.ASCII)
_ADDRESS = late_pattern(
    r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*"
    r"@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*",
    re.ASCII,
)
#: "Alerts of the library <alerts@example.org>".
_NAMED = late_pattern(r'\s*"?([^"<>\\]*?)"?\s*<([^<>]*)>\s*')
#: Characters of an address: of what stands before the @, and in all (RFC 5321).
_LONGEST_LOCAL, _LONGEST_ADDRESS = 64, 254
_LONGEST_NAME = 80


@dataclass(frozen=True, slots=True)
class AlertsSettings:
    """Whether, and when, a server runs saved searches.

    `run`: whether it does; else `metasearch alerts run` does it. `hours`: the first hour of the day
    (UTC) in which planned runs begin, and the one before which they have begun: (1, 5) is from
    01:00 until 05:00; (22, 4) is over midnight.
    """

    run: bool = True
    hours: tuple[int, int] = (1, 5)


@dataclass(frozen=True, slots=True)
class MailSettings:
    """How e-mails are sent.

    Attributes:
        host: Of the mail server; "" where no e-mails are sent.
        tls: How the connection is encrypted.
        user: Name at the mail server; "" where it wants none.
        password: Name of the variable that holds the password; "" where there is none.
        sender: Address that e-mails come from; bounces go there.
        to: Address that gets what is told of saved searches without a user; "" for nobody.
    """

    host: str = ""
    port: int = PORTS["starttls"]
    tls: Encryption = "starttls"
    user: str = ""
    password: str = field(default="", repr=False)
    sender: str = ""
    sender_name: str = "metasearch"
    to: str = ""


def is_address(text: str) -> bool:
    """Whether e-mails can be sent to this: plain ASCII, and nothing that a header or a command of
    the mail server would be ended by.
    """
    return (
        len(text) <= _LONGEST_ADDRESS
        and _ADDRESS.fullmatch(text) is not None
        and len(text.partition("@")[0]) <= _LONGEST_LOCAL
    )


def alerts(tables: SettingsTables) -> AlertsSettings:
    """The table [alerts]."""
    table = tables["alerts"]
    usual = AlertsSettings()
    hours = usual.hours
    if "hours" in table:
        match = _HOURS.fullmatch(table["hours"].strip())
        given = (int(match[1]), int(match[2])) if match else (0, 0)
        if match is None or given[0] > 23 or given[1] > 24 or given[0] == given[1]:
            tables.wrong(
                "alerts.hours", 'must be two different hours of the day (UTC) such as "1-5"'
            )
        else:
            hours = given
    return AlertsSettings(run=table.get("run") is not False, hours=hours)


def mail(tables: SettingsTables) -> MailSettings:
    """The table [mail]."""
    table = tables["mail"]
    host = str(table.get("host", "")).strip()
    if host and not _HOST.fullmatch(host):
        tables.wrong("mail.host", f"{host[:80]!r} is no name of a host such as mail.example.org")
    name, sender = _sender(tables, host)
    to = str(table.get("to", "")).strip()
    if to and not is_address(to):
        tables.wrong("mail.to", f"{to[:80]!r} is no address such as me@example.org")
    tls = _encryption(tables)
    port = table.get("port", PORTS[tls])
    if not 1 <= port <= 65_535:
        tables.wrong("mail.port", "must be 1 to 65535")
    user, password = str(table.get("user", "")), _password(tables)
    if bool(user) != bool(password):
        tables.wrong("mail.user", "mail.user and mail.password stand together")
    elif user and tls == "none":
        tables.wrong("mail.tls", "a password is not sent over a connection without encryption")
    return MailSettings(
        host=host,
        port=port,
        tls=tls,
        user=user,
        password=password,
        sender=sender,
        sender_name=name,
        to=to,
    )


def _sender(tables: SettingsTables, host: str) -> tuple[str, str]:
    """(name, address) of `mail.sender`."""
    text = str(tables["mail"].get("sender", "")).strip()
    usual = MailSettings().sender_name
    if not text:
        if host:
            tables.wrong("mail.sender", "is missing: the address that e-mails come from")
        return usual, ""
    match = _NAMED.fullmatch(text)
    name, address = (match[1].strip() or usual, match[2].strip()) if match else (usual, text)
    if not is_address(address) or len(name) > _LONGEST_NAME or not name.isprintable():
        tables.wrong(
            "mail.sender",
            f"{text[:80]!r} is no address such as alerts@example.org or "
            "Alerts of the library <alerts@example.org>",
        )
        return usual, ""
    return name, address


def _encryption(tables: SettingsTables) -> Encryption:
    value = tables["mail"].get("tls", "starttls")
    for known in ENCRYPTIONS:
        if known == value:
            return known
    tables.wrong("mail.tls", f"must be one of {', '.join(ENCRYPTIONS)}")
    return "starttls"


def _password(tables: SettingsTables) -> str:
    """The name of the variable."""
    text = str(tables["mail"].get("password", ""))
    match = _VARIABLE.fullmatch(text)
    if text and match is None:
        # The entry may be the password, so the message does not repeat it.
        tables.wrong(
            "mail.password",
            'is not "ENV:NAME"; write the name of a variable, never the password itself',
        )
    return match[1] if match else ""
