"""E-mails go to nobody who has not asked for them: addresses are proved by a link first."""

from __future__ import annotations

import datetime as dt
import re
from email.message import EmailMessage
from urllib.parse import urlsplit

import pytest

from metasearch.errors import QuotaExceeded
from metasearch.review.alerts.email_sender import send_due
from metasearch.review.alerts.news import OWNER_ROLES
from metasearch.review.store.database import Database
from metasearch.review.store.workspace import Workspace
from metasearch.review.users import accounts, addresses
from metasearch.review.users.permissions_and_quotas import SYSTEM_ROLES, may
from metasearch.settings import Settings
from metasearch.settings.alerts import MailSettings
from tests.review.alerts.mail_server import MailBox, mail_server
from tests.review.alerts.told_rows import search, tell, work
from tests.review.security.team import Person, Team
from tests.review.security.team_fixtures import As

VICTIM = "victim@example.org"
BASE = "https://search.example.org"


async def mails(team: Team) -> list[EmailMessage]:
    """What is sent now, of all that is due."""
    box = MailBox()
    async with mail_server(box), Workspace(team.filled.path) as workspace:
        mail = MailSettings(host="127.0.0.1", port=box.port, tls="none", sender="a@example.org")
        settings = Settings(mail=mail, public_url=BASE)
        await send_due(workspace, settings, dt.datetime.now(dt.UTC), hold=False)
    return box.messages


def link_of(mail: EmailMessage) -> str:
    """The path of the link in an e-mail."""
    (link,) = re.findall(rf"{BASE}/address/\S+", mail.get_body().get_content())  # type: ignore[union-attr]
    return urlsplit(link).path


async def named(person: Person, address: str, **more: str) -> None:
    """Have somebody type an address into their account."""
    response = await person.form("/account", {"do": "details", "email": address, "emails": "yes"})
    assert response.status == 303


def news(team: Team, name: str) -> None:
    """A saved search of somebody has found something, to be told by e-mail."""
    with Database(team.filled.path) as db:
        tell(db, search(db, f"of {name}", team.uids[name]), [work("Gene drives")])


async def test_an_address_that_nobody_has_proved_gets_one_link_and_nothing_else(
    team: Team, people: As
) -> None:
    """Not the news, however often something is due; the owner of the address opens the link, and
    from then on the news come."""
    await named(people("editor"), VICTIM)
    news(team, "editor")

    (asked,), nothing = await mails(team), await mails(team)
    path = link_of(asked)
    looked = await people("stranger").get(path)
    still = await mails(team)
    proved = await people("stranger").form(path, {})
    again = await people("stranger").form(path, {})
    (told,) = await mails(team)

    assert (asked["To"], nothing, still) == (VICTIM, [], [])
    assert "Gene drives" not in str(asked)
    assert "List-Unsubscribe" not in asked
    assert (looked.status, proved.status, again.status) == (200, 200, 404)
    assert looked.headers["Cache-Control"] == "no-store"
    assert told["To"] == VICTIM
    assert "Gene drives" in told.get_body().get_content()  # type: ignore[union-attr]


async def test_an_address_that_is_changed_is_to_be_proved_again(team: Team, people: As) -> None:
    """The old link is void, also for the old address; who changes it back has proved nothing."""
    editor = people("editor")
    await named(editor, "own@example.org")
    (mail,) = await mails(team)
    assert (await editor.form(link_of(mail), {})).status == 200
    assert (await editor.json("/api/account"))["email_proved"] is True
    await named(editor, "other@example.org")
    (other,) = await mails(team)
    await named(editor, "own@example.org")
    news(team, "editor")

    assert (await editor.form(link_of(other), {})).status == 404
    assert (await editor.json("/api/account"))["email_proved"] is False
    assert [each["To"] for each in await mails(team)] == ["own@example.org"]  # a link again
    assert await mails(team) == []


async def test_nobody_is_bombed_with_links(team: Team, people: As) -> None:
    """Neither by one user who types and types, nor by many users with one address, however it is
    written; who asks for one more is told so."""
    editor = people("editor")
    sent = []
    for number in range(addresses.MOST_OF_USER + 3):
        await named(editor, f"victim{number}@example.org")
        sent += await mails(team)
    refused = await editor.post("/api/account/address")
    to_one = []
    for number, name in enumerate(("owner", "screener", "reader", "stranger")):
        await named(people(name), f"Victim+{number}@Example.org")
        to_one += await mails(team)

    assert len(sent) == addresses.MOST_OF_USER
    assert (refused.status, "Retry-After" in refused.headers) == (429, True)
    assert len(to_one) == addresses.MOST_OF_ADDRESS


async def test_who_administers_users_proves_no_address(team: Team, people: As) -> None:
    """An address that an administrator types, for a new account or an old one, gets a link."""
    administrator = people("administrator")
    await administrator.json(f"/api/admin/users/{team.uids['reader']}", email="r@example.org")
    with Database(team.filled.path) as db:
        made = accounts.create(db, "new", email=VICTIM, by=team.uids["administrator"])
        tell(db, search(db, "of new", made.uid), [work("Gene drives")])
    shown = await administrator.json(f"/api/admin/users/{made.uid}")

    assert shown["email_proved"] is False
    assert sorted(each["To"] for each in await mails(team)) == ["r@example.org", VICTIM]
    assert await mails(team) == []


async def test_a_link_of_an_address_opens_nothing_else(team: Team, people: As) -> None:
    """It is kept as a digest alone, ends, and is worth nothing for a user who is switched off."""
    await named(people("editor"), VICTIM)
    (mail,) = await mails(team)
    path = link_of(mail)
    secret = path.rpartition("/")[2]
    assert secret.encode() not in team.filled.path.read_bytes()
    for prefix in ("/password/", "/join/", "/unsubscribe/"):
        assert (await people("stranger").get(f"{prefix}{secret}")).status == 404
    with Database(team.filled.path) as db:
        assert addresses.peek(db, secret) is not None
        user = accounts.find(db, team.uids["editor"])
        accounts.set_disabled(db, user, True)
        assert addresses.peek(db, secret) is None
        accounts.set_disabled(db, user, False)
        db.run("UPDATE address_proof SET expires = '2020-01-01T00:00:00Z'")
        assert not addresses.use(db, secret)


def test_a_verified_claim_is_a_proof_and_what_stands_in_an_account_is_none(team: Team) -> None:
    """That of an OpenID provider; an address that nobody has proved is asked for."""
    with Database(team.filled.path) as db:
        made = accounts.create(
            db, "o", origin="oidc", subject="i o", email="o@example.org", email_proved=True
        )
        assert made.email_proved
        db.run("UPDATE user SET email = 'old@example.org' WHERE name = 'reader'")
        old = accounts.find(db, "reader")
        assert not old.email_proved
        addresses.ask(db, old.id)
        assert addresses.are_due(db)
        for _ in range(addresses.MOST_OF_ADDRESS - 1):
            addresses.ask(db, old.id)
        with pytest.raises(QuotaExceeded):
            addresses.ask(db, old.id)


@pytest.mark.parametrize("end", ["disabled", "guest"])
async def test_a_feed_and_e_mails_end_with_the_role_that_allowed_them(
    team: Team, people: As, end: str
) -> None:
    """Whoever is switched off, or may save no searches any more, has none; with the role they come
    back."""
    with Database(team.filled.path) as db:
        editor = accounts.find(db, team.uids["editor"])
        editor = accounts.update(db, editor, email="e@example.org")
        addresses.prove(db, editor.id, editor.email)
        one = search(db, "own", editor.uid)
        tell(db, one, [work("Gene drives")])
    feeds = [f"/feeds/{one.feed}.{ending}" for ending in ("atom", "json")]
    assert [(await people("").get(feed)).status for feed in feeds] == [200, 200]

    with Database(team.filled.path) as db:
        if end == "disabled":
            accounts.set_disabled(db, editor, True)
        else:
            accounts.update(db, editor, role="guest")
    gone = [(await people("").get(feed)).status for feed in feeds]
    silent = await mails(team)
    with Database(team.filled.path) as db:
        accounts.set_disabled(db, editor, False)
        accounts.update(db, editor, role="user")

    assert (gone, silent) == ([404, 404], [])
    assert [(await people("").get(feed)).status for feed in feeds] == [200, 200]
    assert len(await mails(team)) == 1


def test_who_may_have_saved_searches_is_said_once() -> None:
    """What the queries say of roles is what the table of permissions says."""
    assert {role for role in SYSTEM_ROLES if may("save search", role)} == set(OWNER_ROLES)
