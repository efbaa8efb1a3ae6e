"""The tables [alerts] and [mail]: when saved searches are run, and how e-mails are sent."""

import re
from dataclasses import dataclass, field
from typing import Literal

from metasearch.late_pattern import late_pattern
from metasearch.settings.tables import SettingsTables, variable
from metasearch.toml_tables import NO_KEY, Table, key, keys_of, within

#: How the connection to the mail server is encrypted: after a first command, from its beginning, or
#: not at all.
Encryption = Literal["starttls", "tls", "none"]
#: The usual port of each.
PORTS = {"starttls": 587, "tls": 465, "none": 25}
_HOURS = late_pattern(r"([0-9]{1,2})-([0-9]{1,2})", re.ASCII)
_HOST = late_pattern(
    r"\[[0-9a-fA-F:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?", re.ASCII
)
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


def is_address(text: str) -> bool:
    """Whether e-mails can be sent to this: plain ASCII, and nothing that a header or a command of
    the mail server would be ended by.
    """
    return (
        len(text) <= _LONGEST_ADDRESS
        and _ADDRESS.fullmatch(text) is not None
        and len(text.partition("@")[0]) <= _LONGEST_LOCAL
    )


def _hours(tables: SettingsTables, text: str, where: str) -> tuple[int, int]:
    match = _HOURS.fullmatch(text.strip())
    first, last = (int(match[1]), int(match[2])) if match else (0, 0)
    if first > 23 or last > 24 or first == last:
        tables.wrong(where, 'must be two different hours of the day (UTC) such as "1-5"')
    return first, last


@dataclass(frozen=True, slots=True)
class AlertsSettings:
    """Whether, and when, a server runs saved searches.

    `hours`: the first hour of the day (UTC) in which planned runs begin, and the one before which
    they have begun: (1, 5) is from 01:00 until 05:00; (22, 4) is over midnight.
    """

    run: bool = key(
        True, help="whether a server runs saved searches; else metasearch alerts run does"
    )
    hours: tuple[int, int] = key(
        (1, 5),
        _hours,
        kind=str,
        help="hours of the day (UTC) in which they run",
        example='"1-5"',
    )


def _host(tables: SettingsTables, text: str, where: str) -> str:
    host = text.strip()
    if host and not _HOST.fullmatch(host):
        tables.wrong(where, f"{host[:80]!r} is no name of a host such as mail.example.org")
    return host


def _sender(tables: SettingsTables, text: str, where: str) -> str:
    name, address = _name_and_address(text)
    if text.strip() and (
        not is_address(address) or len(name) > _LONGEST_NAME or not name.isprintable()
    ):
        tables.wrong(
            where,
            f"{text.strip()[:80]!r} is no address such as alerts@example.org or "
            "Alerts of the library <alerts@example.org>",
        )
    return text


def _name_and_address(text: str) -> tuple[str, str]:
    """(name, address) of `mail.sender`; the name is "" where it has none."""
    match = _NAMED.fullmatch(text)
    return (match[1].strip(), match[2].strip()) if match else ("", text.strip())


def _receiver(tables: SettingsTables, text: str, where: str) -> str:
    to = text.strip()
    if to and not is_address(to):
        tables.wrong(where, f"{to[:80]!r} is no address such as me@example.org")
    return to


@dataclass(frozen=True, slots=True)
class MailSettings:
    """How e-mails are sent. `host`: "" where no e-mails are sent. `password`: name of the variable
    that holds it; "" where there is none. `sender`: address alone; bounces go there.
    """

    host: str = key("", _host, help="without it none are sent", example='"mail.example.org"')
    port: int = key(
        PORTS["starttls"],
        within(1, 65_535),
        help=f"without it {PORTS['starttls']}, {PORTS['tls']} or {PORTS['none']}, by tls",
    )
    tls: Encryption = key("starttls", help='or "tls", "none"')
    user: str = key(
        "",
        help="at the mail server; it and the password stand together",
        example='"metasearch"',
    )
    password: str = key(
        "",
        variable("password"),
        repr=False,
        help="the name of a variable, never the password itself",
        example='"ENV:METASEARCH_MAIL_PASSWORD"',
    )
    sender: str = key(
        "",
        _sender,
        help="that e-mails come from",
        example='"Library alerts <alerts@example.org>"',
    )
    sender_name: str = field(default="metasearch", metadata=NO_KEY)
    to: str = key("", _receiver, help="gets what belongs to no user", example='"me@example.org"')


def mail(tables: SettingsTables, table: Table, where: str) -> MailSettings:
    """Reads [mail]: the usual port and the name follow from other keys, and some stand together."""
    values = tables.values(keys_of(MailSettings), table, where)
    user, password = values.get("user"), values.get("password")
    tls = values.get("tls", "starttls")
    values.setdefault("port", PORTS.get(tls, 0))
    name, values["sender"] = _name_and_address(values.get("sender", ""))
    if name:
        values["sender_name"] = name
    if values.get("host") and not str(table.get("sender", "")).strip():
        tables.wrong("mail.sender", "is missing: the address that e-mails come from")
    if bool(user) != bool(password):
        tables.wrong("mail.user", "mail.user and mail.password stand together")
    elif user and tls == "none":
        tables.wrong("mail.tls", "a password is not sent over a connection without encryption")
    return MailSettings(**values)
