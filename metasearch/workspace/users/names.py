"""Names of users: those that are typed at a login, and those that people are shown."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from metasearch.errors import UsageError
from metasearch.message import message
from metasearch.workspace.store.database import Database

#: Characters of a name for the login, and of what may be typed for one: NFKC makes some longer.
LONGEST_NAME, _LONGEST_TYPED = 80, 320
#: Letters and signs that are seen as a blank, or not at all, though Unicode calls them printable.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0"
    "\U000e0100-\U000e01ef]"
)
#: Users that one statement looks up.
_AT_ONCE = 500


def normal(text: str) -> str:
    """A name as it is kept and compared: NFKC, case folded, without blanks around it. A text that
    can be no name has none that an account may have: "".
    """
    if len(text) > _LONGEST_TYPED:
        return ""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFKC", folded).strip()


def checked(text: str) -> str:
    """The name of an account, as it is kept. Raises UsageError: it cannot be one."""
    name = normal(text)
    if (
        not 1 <= len(name) <= LONGEST_NAME
        or not name.isprintable()
        or _UNSEEN.search(name)
        or "  " in name
        or name.startswith("-")
    ):
        raise UsageError(
            message("{name} cannot be the name of a user", name=repr(text[:LONGEST_NAME])),
            advice=message(
                "A name has 1 to {most} letters, digits and signs, at most one blank between them, "
                "and does not begin with '-'.",
                most=LONGEST_NAME,
            ),
        )
    return name


def shown(db: Database, uids: Iterable[str]) -> dict[str, str]:
    """Uid -> name for people, of those that are asked for; "former user" for one who is gone. The
    command line, "", is left out.
    """
    wanted = list({uid for uid in uids if uid})
    names: dict[str, str] = dict.fromkeys(wanted, message("former user"))
    for first in range(0, len(wanted), _AT_ONCE):
        names |= dict(_named(db, wanted[first : first + _AT_ONCE]))
    return names


def _named(db: Database, uids: Sequence[str]) -> Iterator[tuple[str, str]]:
    places = ", ".join("?" * len(uids))
    for row in db.all(
        f"SELECT uid, name, shown FROM user WHERE uid IN ({places})",  # noqa: S608, places alone
        *uids,
    ):
        yield row["uid"], row["shown"] or row["name"]
