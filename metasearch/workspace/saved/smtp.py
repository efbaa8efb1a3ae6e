"""The connection to the mail server. Its package, aiosmtplib, is imported when an e-mail is sent.

An e-mail is handed over once: from the moment at which its text is sent until the server answers,
nobody knows whether the server has it. `Unclear` says so, and it is not sent again.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Self

from metasearch.errors import MetasearchError, UsageError
from metasearch.extras import how_to_install
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.settings.alerts import MailSettings

if TYPE_CHECKING:
    import aiosmtplib

#: Seconds for one answer of the mail server, and for a connection and an e-mail as a whole.
PATIENCE, WHOLE = 30.0, 120.0
#: Characters of what a mail server says that are kept.
_LONGEST = 200
#: Answers to a recipient that are about our own login.
_OF_LOGIN = frozenset({530, 534, 535, 538})
_PERMANENT = 500


class MailFault(MetasearchError):
    """Something has gone wrong with an e-mail."""

    status = 502


class Unusable(MailFault):
    """The mail server cannot be reached or used; nothing was handed over, and others fail, too."""


class NotNow(MailFault):
    """The mail server does not take this e-mail now."""


class Broken(NotNow):
    """The connection ended before anything was handed over."""


class Refused(MailFault):
    """The mail server does not take e-mails for this address, or not this e-mail."""


class Unclear(MailFault):
    """The mail server may have the e-mail: the connection ended before it said so."""


class MailServer:
    """A mail server, connected to by the first e-mail, for an `async with` block.

    `patience`: seconds for one answer. `whole`: seconds for a connection, and for an e-mail.
    `context`: of the encryption; None trusts what the system trusts. Raises UsageError: the extra
    `mail` is not installed, or there is no password.
    """

    def __init__(
        self,
        settings: MailSettings,
        env: Mapping[str, str],
        *,
        patience: float = PATIENCE,
        whole: float = WHOLE,
        context: ssl.SSLContext | None = None,
    ) -> None:
        _require()
        self._settings = settings
        self._password = env.get(settings.password, "") if settings.password else ""
        if settings.password and not self._password:
            raise UsageError(
                message("the password of the mail server is not set"),
                advice=message(
                    "[mail] password names the variable {name}; set it.", name=settings.password
                ),
            )
        self._patience, self._whole = patience, whole
        self._context = context
        self._smtp: aiosmtplib.SMTP | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, tb: TracebackType | None
    ) -> None:
        smtp, self._smtp = self._smtp, None
        if smtp is None:
            return
        with suppress(Exception):  # everything is handed over already
            async with asyncio.timeout(self._patience):
                if smtp.is_connected:
                    await smtp.quit()
        smtp.close()

    async def send(
        self, recipient: str, content: bytes, claim: Callable[[], Awaitable[bool]]
    ) -> bool:
        """Hand over an e-mail.

        `recipient`: its address, checked by `settings.alerts.is_address`. `content`: headers and
        parts, in ASCII. `claim`: notes that it is being handed over; called when the server has
        said that it takes e-mails for the recipient. False where another process does it. Returns
        whether it was; False where another process has claimed it. Raises MailFault: one of the
        kinds above.
        """
        import aiosmtplib

        smtp = await self._connected()
        claimed = False
        try:
            async with asyncio.timeout(self._whole):
                await smtp.mail(self._settings.sender)
                await smtp.rcpt(recipient)
                claimed = await claim()
                if not claimed:
                    await smtp.rset()
                    return False
                await smtp.data(content)
                return True
        except aiosmtplib.SMTPRecipientRefused as exc:
            await self._reset(smtp)
            if exc.code in _OF_LOGIN:
                raise Unusable(_said(exc)) from exc
            raise (Refused if exc.code >= _PERMANENT else NotNow)(_said(exc)) from exc
        except aiosmtplib.SMTPDataError as exc:
            await self._reset(smtp)
            raise (Refused if exc.code >= _PERMANENT else NotNow)(_said(exc)) from exc
        except aiosmtplib.SMTPSenderRefused as exc:
            self._drop()
            raise Unusable(_said(exc)) from exc
        except (aiosmtplib.SMTPException, OSError, ValueError) as exc:
            self._drop()
            raise (Unclear if claimed else Broken)(_said(exc)) from exc

    async def _connected(self) -> aiosmtplib.SMTP:
        """The connection; another one where the last has ended. Raises Unusable: there is none."""
        import aiosmtplib

        if self._smtp is not None and self._smtp.is_connected:
            return self._smtp
        settings = self._settings
        smtp = aiosmtplib.SMTP(
            hostname=settings.host.strip("[]"),
            port=settings.port,
            username=settings.user or None,
            password=self._password or None,
            # Else the name of this machine is looked up, which may take long.
            local_hostname=settings.sender.partition("@")[2],
            timeout=self._patience,
            use_tls=settings.tls == "tls",
            start_tls=settings.tls == "starttls",
            tls_context=self._context,
        )
        try:
            async with asyncio.timeout(self._whole):
                await smtp.connect()
                await _greeted(smtp)
        except (aiosmtplib.SMTPException, OSError, ValueError) as exc:
            smtp.close()
            raise Unusable(_said(exc)) from exc
        except BaseException:
            smtp.close()
            raise
        self._smtp = smtp
        return smtp

    async def _reset(self, smtp: aiosmtplib.SMTP) -> None:
        """Make the connection ready for the next e-mail, or end it."""
        try:
            async with asyncio.timeout(self._patience):
                await smtp.rset()
        except Exception:
            self._drop()

    def _drop(self) -> None:
        if self._smtp is not None:
            self._smtp.close()
            self._smtp = None


async def _greeted(smtp: aiosmtplib.SMTP) -> None:
    """Say who we are: a server that only greets is found out before an e-mail is blamed."""
    import aiosmtplib

    if not smtp.is_ehlo_or_helo_needed:
        return
    try:
        await smtp.ehlo()
    except aiosmtplib.SMTPHeloError:
        await smtp.helo()


def _said(exc: Exception) -> str:
    """What has gone wrong, on one line."""
    code, said = getattr(exc, "code", None), line(str(getattr(exc, "message", "")))[:_LONGEST]
    if isinstance(code, int):
        return message("the mail server answered {code}: {said}", code=code, said=said)
    if isinstance(exc, TimeoutError):
        return message("the mail server did not answer in time")
    return message("the mail server cannot be used: {said}", said=said or type(exc).__name__)


def _require() -> None:
    """Check that the package is there. Raises UsageError: it is not."""
    try:
        import aiosmtplib  # noqa: F401
    except ImportError as exc:
        raise UsageError(
            message("E-mails need a package that is not installed"),
            advice=how_to_install("mail"),
        ) from exc
