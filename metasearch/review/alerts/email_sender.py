"""The e-mails of saved searches are sent: one a day at most for each user, and none twice.

aiosmtplib is imported when an e-mail is sent. An e-mail is handed over once: from the moment at
which its text is sent until the server answers, nobody knows whether the server has it. `Unclear`
says so, and it is not sent again.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import ssl
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Self

from metasearch.errors import MetasearchError, UsageError
from metasearch.extras import how_to_install
from metasearch.formats.text import line
from metasearch.message import message
from metasearch.review.alerts import email_outbox, email_writer
from metasearch.review.alerts.email_outbox import Mail
from metasearch.review.alerts.email_writer import compose
from metasearch.review.store.workspace import Workspace
from metasearch.settings import Settings
from metasearch.settings.alerts import MailSettings

if TYPE_CHECKING:
    import aiosmtplib

    from metasearch.review.users.addresses import AddressProof


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


class MailServerFault(MailFault):
    """The mail server cannot be reached or used; nothing was handed over, and others fail, too."""


class NotNow(MailFault):
    """The mail server does not take this e-mail now."""


class ConnectionBroke(NotNow):
    """The connection ended before anything was handed over."""


class RecipientRefusal(MailFault):
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

        smtp = await self._connection()
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
                raise MailServerFault(_fault_text(exc)) from exc
            raise (RecipientRefusal if exc.code >= _PERMANENT else NotNow)(
                _fault_text(exc)
            ) from exc
        except aiosmtplib.SMTPDataError as exc:
            await self._reset(smtp)
            raise (RecipientRefusal if exc.code >= _PERMANENT else NotNow)(
                _fault_text(exc)
            ) from exc
        except aiosmtplib.SMTPSenderRefused as exc:
            self._drop()
            raise MailServerFault(_fault_text(exc)) from exc
        except (aiosmtplib.SMTPException, OSError, ValueError) as exc:
            self._drop()
            raise (Unclear if claimed else ConnectionBroke)(_fault_text(exc)) from exc

    async def _connection(self) -> aiosmtplib.SMTP:
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
                await _greet(smtp)
        except (aiosmtplib.SMTPException, OSError, ValueError) as exc:
            smtp.close()
            raise MailServerFault(_fault_text(exc)) from exc
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


async def _greet(smtp: aiosmtplib.SMTP) -> None:
    """Say who we are: a server that only greets is found out before an e-mail is blamed."""
    import aiosmtplib

    if not smtp.is_ehlo_or_helo_needed:
        return
    try:
        await smtp.ehlo()
    except aiosmtplib.SMTPHeloError:
        await smtp.helo()


def _fault_text(exc: Exception) -> str:
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


log = logging.getLogger(__name__)

#: Connections that end without a reason, one after the other, until the mail server is left alone:
#: one of them may be due to one recipient.
_MOST_BROKEN = 3


@dataclass(frozen=True, slots=True)
class SendReport:
    """What has become of the e-mails that were due.

    Attributes:
        sent: How many the mail server has taken.
        refused: How many it does not take; their news are told the next day.
        unclear: How many it may have or not; they are not sent again.
        switched_off: How many users get no more e-mails, after so many refusals.
        problem: Why e-mails cannot be sent at all; "" where they can.
    """

    sent: int = 0
    later: int = 0
    refused: int = 0
    unclear: int = 0
    switched_off: int = 0
    problem: str = ""


async def send_due(
    workspace: Workspace,
    settings: Settings,
    now: dt.datetime,
    *,
    hold: bool = True,
    patience: float = PATIENCE,
    whole: float = WHOLE,
    context: ssl.SSLContext | None = None,
) -> SendReport:
    """Send the links that prove addresses, and the e-mails that are due. Several processes may do
    so at once: each e-mail is sent by one of them. Raises UsageError: the extra `mail` is not
    installed, or the password is not set.

    Args:
        settings: `mail` says how; nothing is done without a host.
        now: With a time zone; its day (UTC) is that of the e-mails.
        hold: Whether an e-mail waits for searches of the same user that run in the next hours.
        patience: Seconds for one answer of the mail server.
        whole: Seconds for a connection, and for an e-mail.
        context: Of the encryption; None trusts what the system trusts.
    """
    mail = settings.mail
    if not mail.host:
        return SendReport()
    server = MailServer(mail, settings.env, patience=patience, whole=whole, context=context)
    domain = mail.sender.partition("@")[2]
    planned = await workspace.write(email_outbox.plan, now, to=mail.to, domain=domain, hold=hold)
    sender = _Sender(workspace, settings, server, now)
    if not settings.public_url and any(each.owner for each in planned):
        # Nobody could switch them off without logging in.
        sender.problem = message(
            "E-mails to users need the address of the server: set public_url under [server]."
        )
        log.warning("%s", sender.problem)
        planned = [each for each in planned if not each.owner]
    async with server:
        if settings.public_url:  # without an address of the server a link leads nowhere
            try:
                await sender.send_links()
            except MailServerFault as exc:
                await sender.postpone(planned, exc.message)
                return sender.report()
        for number, each in enumerate(planned):
            try:
                await sender.send(each)
            except MailServerFault as exc:
                await sender.postpone(planned[number:], exc.message)
                break
            if sender.broken >= _MOST_BROKEN:
                await sender.postpone(planned[number + 1 :], sender.said)
                break
    return sender.report()


class _Sender:
    """Sends e-mails one after the other, and counts."""

    def __init__(
        self, workspace: Workspace, settings: Settings, server: MailServer, now: dt.datetime
    ) -> None:
        self._workspace = workspace
        self._settings = settings
        self._base = (settings.public_url or "").rstrip("/")
        self._server = server
        self._now, self._began = now, time.monotonic()
        self._counts = dict.fromkeys(("sent", "later", "refused", "unclear", "switched_off"), 0)
        self.problem = ""
        self.broken, self.said = 0, ""

    def report(self) -> SendReport:
        return SendReport(**self._counts, problem=self.problem)

    def _moment(self) -> dt.datetime:
        return self._now + dt.timedelta(seconds=time.monotonic() - self._began)

    async def send(self, mail: Mail) -> None:
        """Send one. Raises Unusable: the mail server cannot be used."""
        digest = await self._workspace.read(compose, mail.owner, mail.language)
        if digest is None:
            return
        try:
            content = await asyncio.to_thread(
                email_writer.write_news_email,
                digest,
                mail,
                self._settings.mail,
                self._base,
                self._moment(),
            )
        except Exception:  # of one e-mail, which must not hold up the others
            log.exception("an e-mail could not be written")
            said = message("the e-mail could not be written; the log has the details")
            await self._workspace.write(email_outbox.note_later, mail, said, self._moment())
            self._counts["later"] += 1
            return

        async def claim() -> bool:
            return await self._workspace.write(
                email_outbox.claim, mail, digest.last_news, self._moment()
            )

        try:
            if await self._server.send(mail.address, content, claim):
                await self._workspace.write(email_outbox.note_sent, mail, self._moment())
                self._counts["sent"] += 1
            self.broken = 0
        except NotNow as exc:
            self.broken = self.broken + 1 if isinstance(exc, ConnectionBroke) else 0
            self.said = exc.message
            await self._workspace.write(email_outbox.note_later, mail, exc.message, self._moment())
            self._counts["later"] += 1
        except Unclear as exc:
            await self._workspace.write(
                email_outbox.note_unclear, mail, exc.message, self._moment()
            )
            self._counts["unclear"] += 1
            log.warning("an e-mail may have been sent or not; it is not sent again")
        except RecipientRefusal as exc:
            self._counts["refused"] += 1
            if await self._workspace.write(
                email_outbox.note_refusal, mail, exc.message, self._moment()
            ):
                self._counts["switched_off"] += 1

    async def send_links(self) -> None:
        """Send the links that prove addresses. Raises Unusable: the mail server cannot be used."""
        from metasearch.review.users import addresses

        links = await self._workspace.write(addresses.due, self._now)
        for number, proof in enumerate(links):
            try:
                await self._send_link(proof)
            except NotNow:
                await self._workspace.write(addresses.postpone, proof, self._moment())
            except (RecipientRefusal, Unclear) as exc:
                log.info("a link that proves an address was not sent: %s", exc.message)
            except MailServerFault:
                for later in links[number:]:
                    await self._workspace.write(addresses.postpone, later, self._moment())
                raise

    async def _send_link(self, proof: AddressProof) -> None:
        from metasearch.review.users import addresses

        content = email_writer.write_proof_email(
            proof, self._settings.mail, self._base, self._moment()
        )

        async def claim() -> bool:
            return await self._workspace.read(addresses.stands, proof)

        await self._server.send(proof.address, content, claim)

    async def postpone(self, mails: list[Mail], said: str) -> None:
        """Note that the mail server cannot be used."""
        log.warning("%s: %d e-mails are tried again later", said, len(mails))
        self.problem = said
        for mail in mails:
            await self._workspace.write(email_outbox.note_later, mail, said, self._moment())
        self._counts["later"] += len(mails)
