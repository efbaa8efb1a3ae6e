"""The account of a reader: details, password, sessions, tokens, and their own data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metasearch.formats.citations.styles import STYLES
from metasearch.server.pages.accounts.quotas import QuotaLine
from metasearch.server.pages.accounts.words import ROLE_WORDS, SCOPE_WORDS
from metasearch.server.pages.language import TAGS, language
from metasearch.server.pages.page import page
from metasearch.server.pages.projects.said import Said
from metasearch.server.pages.terms import N_
from metasearch.server.visit import Visit
from metasearch.workspace.users.accounts import User
from metasearch.workspace.users.fields import LONGEST_EMAIL, LONGEST_SHOWN
from metasearch.workspace.users.passwords import MOST_BYTES
from metasearch.workspace.users.sessions import Session
from metasearch.workspace.users.tokens import MOST_DAYS, Token

#: What `done=` says -> the sentence.
DONE_WORDS: Mapping[str, str] = {
    "details": N_("Your details are saved."),
    "address": N_("The link is sent to your address. Open it within two days."),
    "ended": N_("The session has ended."),
    "others": N_("All other sessions have ended."),
    "revoked": N_("The token is revoked."),
    "token": N_("The token is made."),
}
#: Days that a new token is good for, where nothing else is typed.
USUAL_DAYS = 90
_LONGEST_TOKEN_NAME = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountView:
    """What the page shows.

    Attributes:
        here: Row of the session of this request; None for none.
        sources: Labels of the databases that the user has chosen.
        password: Whether the user logs in here by a password.
    """

    user: User
    sessions: Sequence[Session]
    tokens: Sequence[Token]
    here: int | None
    quotas: Sequence[QuotaLine]
    sources: Sequence[str]
    password: bool


def account_page(
    visit: Visit, view: AccountView, said: Said, done: str = "", secret: str = ""
) -> str:
    """The whole page."""
    user = view.user
    return page(
        "users/account.html",
        visit,
        visit.language.gettext("Account"),
        current="/account",
        user=user,
        role=ROLE_WORDS[user.role],
        emails=user.preferences.get("emails") is not False,
        sessions=view.sessions,
        tokens=[_token(each) for each in view.tokens],
        here=view.here,
        quotas=view.quotas,
        sources=view.sources,
        has_password=view.password,
        said=said,
        done=DONE_WORDS.get(done, ""),
        secret=secret,
        languages=[language(tag) for tag in TAGS],
        styles={name: style.about for name, style in STYLES.items()},
        usual_style=STYLES[visit.usual_style].about,
        scope_words=SCOPE_WORDS,
        longest_shown=LONGEST_SHOWN,
        longest_email=LONGEST_EMAIL,
        longest_password=MOST_BYTES,
        longest_token_name=_LONGEST_TOKEN_NAME,
        most_days=MOST_DAYS,
        usual_days=str(USUAL_DAYS),
    )


def _token(token: Token) -> Mapping[str, object]:
    return {
        "id": token.id,
        "name": token.name,
        "scopes": [scope for scope in SCOPE_WORDS if scope in token.scopes],
        "created": token.created,
        "expires": token.expires,
        "used": token.used,
    }
