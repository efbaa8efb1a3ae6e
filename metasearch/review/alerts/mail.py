"""The e-mails of saved searches: one a day at most for each user, and none twice."""

from __future__ import annotations

import asyncio
import datetime as dt
import logging
import ssl
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from metasearch.message import message
from metasearch.settings import Settings
from metasearch.workspace.saved import letter, outbox
from metasearch.workspace.saved.digest import compose
from metasearch.workspace.saved.outbox import Mail
from metasearch.workspace.saved.smtp import (
    PATIENCE,
    WHOLE,
    Broken,
    MailServer,
    NotNow,
    Refused,
    Unclear,
    Unusable,
)
from metasearch.workspace.workspace import Workspace

if TYPE_CHECKING:
    from metasearch.workspace.users.addresses import Proof

log = logging.getLogger(__name__)

#: Connections that end without a reason, one after the other, until the mail server is left alone:
#: one of them may be due to one recipient.
_MOST_BROKEN = 3


@dataclass(frozen=True, slots=True)
class SentReport:
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
) -> SentReport:
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
        return SentReport()
    server = MailServer(mail, settings.env, patience=patience, whole=whole, context=context)
    domain = mail.sender.partition("@")[2]
    planned = await workspace.write(outbox.plan, now, to=mail.to, domain=domain, hold=hold)
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
            except Unusable as exc:
                await sender.postpone(planned, exc.message)
                return sender.report()
        for number, each in enumerate(planned):
            try:
                await sender.send(each)
            except Unusable as exc:
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

    def report(self) -> SentReport:
        return SentReport(**self._counts, problem=self.problem)

    def _moment(self) -> dt.datetime:
        return self._now + dt.timedelta(seconds=time.monotonic() - self._began)

    async def send(self, mail: Mail) -> None:
        """Send one. Raises Unusable: the mail server cannot be used."""
        digest = await self._workspace.read(compose, mail.owner, mail.language)
        if digest is None:
            return
        try:
            content = await asyncio.to_thread(
                letter.written, digest, mail, self._settings.mail, self._base, self._moment()
            )
        except Exception:  # of one e-mail, which must not hold up the others
            log.exception("an e-mail could not be written")
            said = message("the e-mail could not be written; the log has the details")
            await self._workspace.write(outbox.not_now, mail, said, self._moment())
            self._counts["later"] += 1
            return

        async def claim() -> bool:
            return await self._workspace.write(outbox.claim, mail, digest.last_news, self._moment())

        try:
            if await self._server.send(mail.address, content, claim):
                await self._workspace.write(outbox.sent, mail, self._moment())
                self._counts["sent"] += 1
            self.broken = 0
        except NotNow as exc:
            self.broken = self.broken + 1 if isinstance(exc, Broken) else 0
            self.said = exc.message
            await self._workspace.write(outbox.not_now, mail, exc.message, self._moment())
            self._counts["later"] += 1
        except Unclear as exc:
            await self._workspace.write(outbox.unclear, mail, exc.message, self._moment())
            self._counts["unclear"] += 1
            log.warning("an e-mail may have been sent or not; it is not sent again")
        except Refused as exc:
            self._counts["refused"] += 1
            if await self._workspace.write(outbox.refused, mail, exc.message, self._moment()):
                self._counts["switched_off"] += 1

    async def send_links(self) -> None:
        """Send the links that prove addresses. Raises Unusable: the mail server cannot be used."""
        from metasearch.workspace.users import addresses

        links = await self._workspace.write(addresses.due, self._now)
        for number, proof in enumerate(links):
            try:
                await self._send_link(proof)
            except NotNow:
                await self._workspace.write(addresses.not_sent, proof, self._moment())
            except (Refused, Unclear) as exc:
                log.info("a link that proves an address was not sent: %s", exc.message)
            except Unusable:
                for later in links[number:]:
                    await self._workspace.write(addresses.not_sent, later, self._moment())
                raise

    async def _send_link(self, proof: Proof) -> None:
        from metasearch.workspace.users import addresses

        content = letter.address_link(proof, self._settings.mail, self._base, self._moment())

        async def claim() -> bool:
            return await self._workspace.read(addresses.stands, proof)

        await self._server.send(proof.address, content, claim)

    async def postpone(self, mails: list[Mail], said: str) -> None:
        """Note that the mail server cannot be used."""
        log.warning("%s: %d e-mails are tried again later", said, len(mails))
        self.problem = said
        for mail in mails:
            await self._workspace.write(outbox.not_now, mail, said, self._moment())
        self._counts["later"] += len(mails)
