"""E-mails of saved searches, handed to a real mail server."""

from __future__ import annotations

import asyncio
import datetime as dt
import ssl
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from metasearch.message import Message
from metasearch.review.alerts import email_outbox, email_writer, saved_searches
from metasearch.review.alerts.email_sender import SendReport, send_due
from metasearch.review.store.workspace import Workspace
from metasearch.settings import Settings
from metasearch.settings.alerts import Encryption, MailSettings
from tests.review.alerts.mail_server import MailBox, mail_server, silent_server
from tests.review.alerts.told_rows import search, tell, user, work

NOW = dt.datetime(2026, 11, 23, 6, 0, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
HOUR = dt.timedelta(hours=1)


@pytest.fixture
async def workspace(tmp_path: Path) -> AsyncIterator[Workspace]:
    async with Workspace(tmp_path / "workspace.sqlite3") as opened:
        yield opened


def settings(box: MailBox, tls: Encryption = "none", **fields: Any) -> Settings:
    mail = MailSettings(
        host="127.0.0.1",
        port=box.port,
        tls=tls,
        sender="alerts@example.org",
        sender_name="Alerts",
        **({"to": "me@example.org"} | fields),
    )
    return Settings(
        mail=mail, public_url="https://search.example.org", env={"MAIL_PASSWORD": "secret"}
    )


async def send(
    workspace: Workspace, box: MailBox, now: dt.datetime = NOW, **options: Any
) -> SendReport:
    """One pass, with little patience."""
    known = {"patience": 5.0, "whole": 10.0, "hold": False} | options
    asked = known.pop("settings", None) or settings(box)
    return await send_due(workspace, asked, now, **known)


async def rows(workspace: Workspace) -> list[dict[str, Any]]:
    found = await workspace.read(lambda db: db.all("SELECT * FROM mail ORDER BY id"))
    return [dict(each) for each in found]


async def test_one_email_tells_the_news_of_all_searches(workspace: Workspace) -> None:
    """In plain text and in HTML, with the headers by which programs end it, and once."""
    first = await workspace.write(search, "drives")
    second = await workspace.write(search, "mice")
    quiet = await workspace.write(search, "quiet", email=False)
    await workspace.write(tell, first, [work("Island mice & <men>")])
    await workspace.write(tell, second, [work("B")], "version")
    await workspace.write(tell, second, [work("late one"), work("another")], "late")
    await workspace.write(tell, quiet, [work("not told")])

    async with mail_server(MailBox()) as box:
        assert await send(workspace, box) == SendReport(sent=1)
        assert await send(workspace, box, NOW + HOUR) == SendReport()
        assert await send(workspace, box, NOW + DAY) == SendReport()

    (message,) = box.messages
    assert box.recipients == ["me@example.org"]
    assert message["From"] == "Alerts <alerts@example.org>"
    assert message["Subject"] == "2 new works in 2 saved searches"
    (row,) = await rows(workspace)
    assert (row["status"], row["message_id"]) == ("sent", message["Message-ID"])
    secret = await workspace.read(lambda db: db.value("SELECT secret FROM mail_owner"))
    assert message["List-Unsubscribe"] == f"<https://search.example.org/unsubscribe/{secret}>"
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    plain, rich = (part.get_content() for part in message.iter_parts())
    for text in ("Island mice & <men>", "New version: B", "2 late arrivals"):
        assert text in plain
    assert "Island mice &amp; &lt;men&gt;" in rich
    assert "not told" not in plain + rich
    assert "late one" not in plain + rich
    assert f"https://search.example.org/saved/{first.uid}" in plain


async def test_what_is_told_later_waits_for_the_next_day(workspace: Workspace) -> None:
    """One e-mail a day at most; the next one has only what is new since."""
    one = await workspace.write(search)
    await workspace.write(tell, one, [work("first")])
    async with mail_server(MailBox()) as box:
        await send(workspace, box)
        await workspace.write(tell, one, [work("second")])
        assert await send(workspace, box, NOW + HOUR) == SendReport()
        assert (await send(workspace, box, NOW + DAY)).sent == 1

    first, second = (message.get_body(("plain",)).get_content() for message in box.messages)  # type: ignore[union-attr]
    assert "first" in first
    assert "second" in second
    assert "first" not in second
    assert box.messages[0]["Message-ID"] != box.messages[1]["Message-ID"]


async def test_late_arrivals_alone_are_no_reason_for_an_email(workspace: Workspace) -> None:
    """They are counted once, in the next one."""
    one = await workspace.write(search)
    other = await workspace.write(search, "other")
    await workspace.write(tell, one, [work("a"), work("b")], "late")
    async with mail_server(MailBox()) as box:
        assert await send(workspace, box) == SendReport()
        await workspace.write(tell, one, [work("new")])
        await workspace.write(tell, one, [work("c")], "late")
        await workspace.write(tell, other, [work("d")], "late")
        await send(workspace, box)
        await workspace.write(tell, one, [work("newer")])
        await send(workspace, box, NOW + DAY)
    first, second = (message.get_body(("plain",)).get_content() for message in box.messages)  # type: ignore[union-attr]
    assert "3 late arrivals" in first
    assert "late arrival" not in second


async def test_each_user_gets_their_own_in_their_language(workspace: Workspace) -> None:
    """Nobody without an address, who is switched off, or whose settings refuse e-mails gets one."""
    for name, address, fields in (
        ("ada", "ada@example.org", {"preferences": {"language": "zh-Hans"}}),
        ("bo", "bo@example.org", {}),
        ("none", "", {}),
        ("off", "off@example.org", {"disabled": 1}),
        ("quiet", "quiet@example.org", {"preferences": {"emails": False}}),
    ):
        uid = await workspace.write(user, name, address, **fields)
        one = await workspace.write(search, f"of {name}", uid)
        await workspace.write(tell, one, [work(f"work of {name}")])
    async with mail_server(MailBox()) as box:
        assert (await send(workspace, box)).sent == 2

    assert box.recipients == ["ada@example.org", "bo@example.org"]
    chinese, english = box.messages
    assert chinese["Subject"] == "1 篇新文献：of ada"
    assert english["Subject"] == "1 new work: of bo"
    assert "work of bo" not in str(chinese.get_body())
    assert len({message["List-Unsubscribe"] for message in box.messages}) == 2


async def test_without_an_address_of_the_server_users_get_none(workspace: Workspace) -> None:
    """They could not end them without logging in; the report says what is missing. Who runs
    metasearch alone gets e-mails without links."""
    uid = await workspace.write(user)
    for owner in (uid, ""):
        one = await workspace.write(search, owner=owner)
        await workspace.write(tell, one, [work()])
    async with mail_server(MailBox()) as box:
        made = await send(workspace, box, settings=replace(settings(box), public_url=None))

    assert made.sent == 1
    assert "public_url" in made.problem
    assert box.recipients == ["me@example.org"]
    assert "List-Unsubscribe" not in box.messages[0]


async def test_a_long_list_ends_after_a_hundred(workspace: Workspace) -> None:
    """The rest is a number and a link."""
    one = await workspace.write(search)
    await workspace.write(tell, one, [work(f"title {number:03}") for number in range(130)])
    async with mail_server(MailBox()) as box:
        await send(workspace, box)

    plain = box.messages[0].get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert plain.count("* title ") == 100
    assert "30 more are not listed here." in plain
    assert box.messages[0]["Subject"] == "130 new works: drives"


async def test_no_name_or_title_reaches_another_header(workspace: Workspace) -> None:
    """Line breaks in names, titles and settings stay inside their own line."""
    evil = "x\r\nBcc: eve@example.org\r\n\r\nhello\u2028\x00"
    one = await workspace.write(search)
    await workspace.write(lambda db: db.run("UPDATE saved_search SET name = ?", evil[:-1]))
    await workspace.write(tell, one, [work(evil, venue=evil, url=f"https://example.org/{evil}")])
    async with mail_server(MailBox()) as box:
        asked = settings(box)
        asked = replace(asked, mail=replace(asked.mail, sender_name=evil))
        await send(workspace, box, settings=asked)

    (message,) = box.messages
    assert box.recipients == ["me@example.org"]
    assert "Bcc" not in message
    assert message["Subject"].startswith("1 new work: x Bcc: eve@example.org hello")
    assert message["Subject"].count("\n") == 0
    assert box.raw[0].isascii()


async def test_a_user_whose_address_holds_commands_gets_nothing(workspace: Workspace) -> None:
    """Whatever is in the table, only a plain address comes near a command or a header."""
    addresses = ("a@b.org>\r\nRCPT TO:<eve@example.org", "a@b.org, eve@example.org", "@", "a b@c.d")
    for number, address in enumerate(addresses):
        uid = await workspace.write(user, f"u{number}", address)
        one = await workspace.write(search, owner=uid)
        await workspace.write(tell, one, [work()])
    async with mail_server(MailBox()) as box:
        assert await send(workspace, box) == SendReport()
    assert not box.recipients


# --------------------------------------------------------------------- failures


async def test_a_temporary_refusal_is_tried_again_later(workspace: Workspace) -> None:
    """Later each time, with the same message id; when it is taken, all is told once."""
    one = await workspace.write(search)
    await workspace.write(tell, one, [work()])
    async with mail_server(MailBox(recipient="451 come back later")) as box:
        assert await send(workspace, box) == SendReport(later=1)
        assert await send(workspace, box, NOW + dt.timedelta(minutes=4)) == SendReport()
        assert await send(workspace, box, NOW + dt.timedelta(minutes=6)) == SendReport(later=1)
        assert await send(workspace, box, NOW + dt.timedelta(minutes=20)) == SendReport()
        (waiting,) = await rows(workspace)
        assert "451" in waiting["error"]
        box.recipient = ""
        assert await send(workspace, box, NOW + HOUR) == SendReport(sent=1)
    assert box.messages[0]["Message-ID"] == waiting["message_id"]
    assert (await workspace.read(email_outbox.state, "", "me@example.org")).error == ""


async def test_a_refused_email_is_told_the_next_day(workspace: Workspace) -> None:
    """Nothing is tried again on the same day, and nothing is lost."""
    one = await workspace.write(search)
    await workspace.write(tell, one, [work("first")])
    async with mail_server(MailBox(content="554 no, thank you")) as box:
        assert await send(workspace, box) == SendReport(refused=1)
        box.content = ""
        assert await send(workspace, box, NOW + HOUR) == SendReport()
        assert await send(workspace, box, NOW + DAY) == SendReport(sent=1)
    assert "first" in str(box.messages[0].get_body())


async def test_five_refusals_in_a_row_switch_emails_off(workspace: Workspace) -> None:
    """The reason is kept for the page; switched on again, they tell what is new from then on."""
    uid = await workspace.write(user)
    one = await workspace.write(search, owner=uid)
    await workspace.write(tell, one, [work("old")])
    async with mail_server(MailBox(recipient="550 no such mailbox")) as box:
        made = [await send(workspace, box, NOW + day * DAY) for day in range(7)]
        assert [each.refused for each in made] == [1, 1, 1, 1, 1, 0, 0]
        assert [each.switched_off for each in made] == [0, 0, 0, 0, 1, 0, 0]
        state = await workspace.read(email_outbox.state, uid)
        assert state.off == "bounced"
        assert state.error == "the mail server answered 550: no such mailbox"
        assert isinstance(state.error, Message)  # so that the page says it in its language

        await workspace.write(email_outbox.switch_on, uid)
        box.recipient = ""
        await workspace.write(tell, one, [work("fresh")])
        assert (await send(workspace, box, NOW + 8 * DAY)).sent == 1
    plain = str(box.messages[0].get_body(("plain",)))
    assert "fresh" in plain
    assert "old" not in plain


async def test_one_that_is_taken_ends_the_row_of_refusals(workspace: Workspace) -> None:
    """Four refusals and a success are no reason to end anything."""
    one = await workspace.write(search)
    async with mail_server(MailBox()) as box:
        for day in range(10):
            await workspace.write(tell, one, [work(f"title {day}")])
            box.recipient = "" if day == 4 else "550 no such mailbox"
            await send(workspace, box, NOW + day * DAY)
    assert (await workspace.read(email_outbox.state, "", "me@example.org")).off == "bounced"
    assert (await workspace.read(lambda db: db.value("SELECT bounces FROM mail_owner"))) == 5


async def test_one_refused_recipient_holds_up_nobody(workspace: Workspace) -> None:
    """The next e-mail of the same connection is sent."""
    for name in ("a", "b", "c"):
        uid = await workspace.write(user, name, f"{name}@example.org")
        one = await workspace.write(search, owner=uid)
        await workspace.write(tell, one, [work()])
    box = MailBox(refused=frozenset({"a@example.org"}))
    async with mail_server(box):
        assert await send(workspace, box) == SendReport(sent=2, refused=1)
    assert box.recipients == ["b@example.org", "c@example.org"]


async def test_an_email_that_cannot_be_written_holds_up_nobody(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is tried again later; the others are sent."""
    for name in ("a", "b"):
        uid = await workspace.write(user, name, f"{name}@example.org")
        one = await workspace.write(search, owner=uid)
        await workspace.write(tell, one, [work()])
    write = email_writer.write_news_email

    def written(digest: Any, mail: Any, *rest: Any) -> bytes:
        if mail.address.startswith("a"):
            raise RuntimeError("a fault of ours")
        return write(digest, mail, *rest)

    monkeypatch.setattr(email_writer, "write_news_email", written)
    async with mail_server(MailBox()) as box:
        assert await send(workspace, box) == SendReport(sent=1, later=1)
    assert box.recipients == ["b@example.org"]


@pytest.mark.parametrize("greeting", [b"", b"220 mail.test\r\n", b"554 go away\r\n", b"hello\r\n"])
async def test_a_server_that_cannot_be_used_is_left_alone(
    workspace: Workspace, greeting: bytes
) -> None:
    """Silent, greeting and then hanging, refusing, or none: the pass ends in time, everybody is
    tried again later, and nobody has bounced."""
    for name in ("a", "b"):
        uid = await workspace.write(user, name, f"{name}@example.org")
        one = await workspace.write(search, owner=uid)
        await workspace.write(tell, one, [work()])
    box = MailBox()
    async with silent_server(box, greeting), asyncio.timeout(60):
        made = await send(workspace, box, patience=0.2, whole=0.5)

    assert (made.later, made.sent, made.refused) == (2, 0, 0)
    assert "mail server" in made.problem
    assert {row["status"] for row in await rows(workspace)} == {"waiting"}
    assert (await workspace.read(lambda db: db.value("SELECT sum(bounces) FROM mail_owner"))) == 0


async def test_no_server_at_all(workspace: Workspace) -> None:
    """A port at which nobody listens."""
    one = await workspace.write(search)
    await workspace.write(tell, one, [work()])
    async with mail_server(MailBox()) as box:
        pass
    assert (await send(workspace, box)).later == 1


async def test_an_answer_that_does_not_come_is_not_sent_again(workspace: Workspace) -> None:
    """The server has the e-mail and is silent: nobody knows, so the next e-mail says so in place of
    sending it twice."""
    one = await workspace.write(search)
    await workspace.write(tell, one, [work("first")])
    async with mail_server(MailBox(hangs=1.0)) as box:
        made = await send(workspace, box, patience=0.2, whole=0.5)
        assert made == SendReport(unclear=1)
        box.hangs = 0.0
        assert await send(workspace, box, NOW + HOUR) == SendReport()
        await workspace.write(tell, one, [work("second")])
        assert await send(workspace, box, NOW + DAY) == SendReport(sent=1)
    assert len(box.messages) == 2
    plain = box.messages[1].get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert "The e-mail of 2026-11-23 may not have arrived" in plain
    assert "first" not in plain


_SENDS = """
import asyncio, datetime, sys
from pathlib import Path
from metasearch.settings import Settings
from metasearch.settings.alerts import MailSettings
from metasearch.review.alerts.email_sender import send_due
from metasearch.review.store.workspace import Workspace

async def main():
    mail = MailSettings("127.0.0.1", int(sys.argv[2]), "none", sender="a@b.org", to="c@d.org")
    async with Workspace(Path(sys.argv[1])) as workspace:
        now = datetime.datetime(2026, 11, 23, 6, 0, tzinfo=datetime.UTC)
        await send_due(workspace, Settings(mail=mail), now)

asyncio.run(main())
"""


@pytest.mark.slow
async def test_a_process_that_is_killed_between_sending_and_noting(workspace: Workspace) -> None:
    """The server has the e-mail, and the process is killed before it knows: it is not sent again,
    and the next one says that it may not have arrived."""
    one = await workspace.write(search)
    await workspace.write(tell, one, [work("first")])
    async with mail_server(MailBox(hangs=60.0)) as box:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _SENDS, str(workspace.path), str(box.port)
        )
        async with asyncio.timeout(60):
            while not box.messages:
                await asyncio.sleep(0.02)
        process.kill()
        await process.wait()

        box.hangs = 0.0
        assert (await rows(workspace))[0]["status"] == "sending"
        assert await send(workspace, box, NOW + HOUR) == SendReport()
        assert (await rows(workspace))[0]["status"] == "unclear"
        await workspace.write(tell, one, [work("second")])
        assert await send(workspace, box, NOW + DAY) == SendReport(sent=1)
    assert len(box.messages) == 2
    plain = box.messages[1].get_body(("plain",)).get_content()  # type: ignore[union-attr]
    assert "may not have arrived" in plain
    assert "first" not in plain


async def test_two_processes_send_one_email(workspace: Workspace) -> None:
    """Both ask at once; one of them hands it over."""
    one = await workspace.write(search)
    await workspace.write(tell, one, [work()])
    async with mail_server(MailBox()) as box, Workspace(workspace.path) as other:
        made = await asyncio.gather(send(workspace, box), send(other, box))
    assert sorted(each.sent for each in made) == [0, 1]
    assert len(box.messages) == 1


async def test_an_email_waits_for_searches_that_run_soon(workspace: Workspace) -> None:
    """A night's searches of one user are told together, but nothing waits for more than hours."""
    one = await workspace.write(search, "drives")
    other = await workspace.write(search, "mice")
    await workspace.write(tell, one, [work()])
    at = (NOW + HOUR).strftime("%Y-%m-%dT%H:%M:%SZ")
    await workspace.write(saved_searches.plan, other, at)
    told = NOW.strftime("%Y-%m-%dT%H:%M:%SZ")
    await workspace.write(lambda db: db.run("UPDATE saved_news SET at = ?", told))
    async with mail_server(MailBox()) as box:
        assert await send(workspace, box, hold=True) == SendReport()
        assert await send(workspace, box, NOW + 7 * HOUR, hold=True) == SendReport(sent=1)


async def test_what_was_told_before_emails_were_switched_on_is_not_sent(
    workspace: Workspace,
) -> None:
    """They tell what is new from then on."""
    one = await workspace.write(search, email=False)
    await workspace.write(tell, one, [work("old")])
    await workspace.write(saved_searches.update, one, email=True)
    async with mail_server(MailBox()) as box:
        assert await send(workspace, box) == SendReport()
        await workspace.write(tell, one, [work("fresh")])
        assert await send(workspace, box) == SendReport(sent=1)
    assert "old" not in str(box.messages[0].get_body(("plain",)))


async def test_who_has_unsubscribed_gets_none(workspace: Workspace) -> None:
    """By the secret of the e-mail; another text does nothing."""
    one = await workspace.write(search)
    await workspace.write(tell, one, [work()])
    async with mail_server(MailBox()) as box:
        await send(workspace, box)
        secret = box.messages[0]["List-Unsubscribe"].strip("<>").rpartition("/")[2]
        assert not await workspace.write(email_outbox.unsubscribe, secret[:-1])
        assert await workspace.write(email_outbox.unsubscribe, secret)
        await workspace.write(tell, one, [work("more")])
        assert await send(workspace, box, NOW + DAY) == SendReport()
    assert len(box.messages) == 1


async def test_a_deleted_user_leaves_no_emails(workspace: Workspace) -> None:
    """Their rows go with them."""
    uid = await workspace.write(user)
    one = await workspace.write(search, owner=uid)
    await workspace.write(tell, one, [work()])
    async with mail_server(MailBox()) as box:
        await send(workspace, box)
    await workspace.write(lambda db: db.run("DELETE FROM user"))
    assert not await rows(workspace)
    assert not await workspace.read(lambda db: db.all("SELECT 1 FROM mail_owner"))


# --------------------------------------------------------------------- encryption and login


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a key and a certificate of 127.0.0.1, which nobody else trusts."""
    x509 = pytest.importorskip("cryptography.x509")
    from ipaddress import ip_address

    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "mail.test")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "mail.pem"
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return path


def of_server(certificate: Path) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    return context


@pytest.mark.parametrize("tls", ["starttls", "tls"])
async def test_the_connection_is_encrypted_before_the_password(
    workspace: Workspace, certificate: Path, tls: Encryption
) -> None:
    """By STARTTLS or from the beginning; the password is that of the variable."""
    one = await workspace.write(search)
    await workspace.write(tell, one, [work()])
    box, context = MailBox(), of_server(certificate)
    options: dict[str, Any] = {"authenticator": box.authenticate}
    if tls == "starttls":
        options |= {"tls_context": context, "require_starttls": True}
    else:
        options |= {"auth_require_tls": False}
    async with mail_server(box, context if tls == "tls" else None, **options):
        asked = settings(box, tls, user="metasearch", password="MAIL_PASSWORD")
        made = await send(
            workspace,
            box,
            settings=asked,
            context=ssl.create_default_context(cafile=str(certificate)),
        )
    assert made == SendReport(sent=1)
    assert box.logins == ["metasearch"]


@pytest.mark.parametrize("tls", ["starttls", "tls"])
async def test_a_certificate_that_is_not_trusted_ends_the_pass(
    workspace: Workspace, certificate: Path, tls: Encryption
) -> None:
    """Nothing is sent to whoever stands in for the mail server."""
    one = await workspace.write(search)
    await workspace.write(tell, one, [work()])
    box, context = MailBox(), of_server(certificate)
    options = {"tls_context": context} if tls == "starttls" else {}
    async with mail_server(box, context if tls == "tls" else None, **options):
        made = await send(workspace, box, settings=settings(box, tls))
    assert made.later == 1
    assert not box.messages


async def test_a_server_without_encryption_gets_nothing_where_it_is_asked_for(
    workspace: Workspace,
) -> None:
    """STARTTLS is not left out because the server, or somebody in between, does not offer it."""
    one = await workspace.write(search)
    await workspace.write(tell, one, [work()])
    async with mail_server(MailBox()) as box:
        made = await send(workspace, box, settings=settings(box, "starttls"))
    assert made.later == 1
    assert not box.messages
