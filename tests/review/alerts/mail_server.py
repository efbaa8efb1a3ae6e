"""A mail server on loopback: aiosmtpd in the loop of the test, with manners that a test chooses."""

from __future__ import annotations

import asyncio
import email
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import default
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session


@dataclass
class MailBox:
    """What the server has taken, and how it behaves.

    Attributes:
        recipient: Answer to each recipient; "" takes it.
        content: Answer to each e-mail; "" takes it.
        hangs: Seconds before the answer to an e-mail, which it has taken.
    """

    port: int = 0
    messages: list[EmailMessage] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    recipients: list[str] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)
    encrypted: list[bool] = field(default_factory=list)
    recipient: str = ""
    content: str = ""
    hangs: float = 0.0
    refused: frozenset[str] = frozenset()

    async def handle_RCPT(  # noqa: N802
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, _options: Any
    ) -> str:
        if address in self.refused:
            return "550 no such mailbox"
        if self.recipient:
            return self.recipient
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(  # noqa: N802
        self, _server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        if self.content:
            return self.content
        assert isinstance(envelope.content, bytes)
        self.raw.append(envelope.content)
        made = email.message_from_bytes(envelope.content, policy=default)
        assert isinstance(made, EmailMessage)
        self.messages.append(made)
        self.recipients += envelope.rcpt_tos
        self.encrypted.append(session.ssl is not None)
        await asyncio.sleep(self.hangs)
        return "250 OK"

    def authenticate(
        self, _server: SMTP, _session: Session, _envelope: Envelope, _mechanism: str, data: Any
    ) -> AuthResult:
        """Takes the password "secret" alone."""
        self.logins.append(data.login.decode())
        return AuthResult(success=data.password == b"secret")


@asynccontextmanager
async def mail_server(
    box: MailBox, context: ssl.SSLContext | None = None, **options: Any
) -> AsyncIterator[MailBox]:
    """The server, for as long as the block lasts.

    Args:
        box: Its manners; gets the port.
        context: Of the encryption from the beginning.
        options: Of aiosmtpd.
    """
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: SMTP(box, hostname="mail.test", **options), "127.0.0.1", 0, ssl=context
    )
    box.port = server.sockets[0].getsockname()[1]
    try:
        yield box
    finally:
        server.close()
        await asyncio.sleep(0)


@asynccontextmanager
async def silent_server(box: MailBox, greeting: bytes) -> AsyncIterator[list[str]]:
    """A server that greets and then says nothing; yields what it was sent, and has no manners."""
    heard: list[str] = []

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(greeting)
        try:
            while text := await reader.readline():
                heard.append(text.decode())
        except OSError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    box.port = server.sockets[0].getsockname()[1]
    try:
        yield heard
    finally:
        server.close()
        await asyncio.sleep(0)
