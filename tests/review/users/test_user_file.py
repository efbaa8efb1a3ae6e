"""Users from a CSV file: all or none, and every mistake is named with its line."""

from __future__ import annotations

import datetime as dt

import pytest

from metasearch.errors import UsageError
from metasearch.review.store.database import Database
from metasearch.review.users import accounts, commands, links
from metasearch.review.users.user_file import MOST_LINES, make_users, read_users


def test_each_line_is_an_account(db: Database):
    """Quoted cells, another delimiter, the codes of Chinese spreadsheets; an empty role is user."""
    comma = read_users(b'name,shown,role\nann,"Lee, Ann",guest\n\nben,,\n', "x.csv")
    chinese = read_users("name;shown\nli;李明\n".encode("gb18030"), "x.csv")
    made = make_users(db, [*comma, *chinese], None, with_links=False)

    assert [(one.name, one.shown, one.role, link) for one, link in made] == [
        ("ann", "Lee, Ann", "guest", ""),
        ("ben", "", "user", ""),
        ("li", "李明", "user", ""),
    ]


def test_all_are_made_or_none(db: Database):
    """The line that cannot be used is named."""
    lines = read_users(b"name,role\nann,user\nben,king\n", "x.csv")

    with pytest.raises(UsageError, match=r"line 3: .*king"):
        make_users(db, lines, None, with_links=True)
    assert accounts.every(db) == []


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "no column"),
        (b"shown\nAnn\n", "no column"),
        (b"name,name\na,b\n", "there twice"),
        (b"name,room\na,b\n", "'room' is unknown"),
        (b"name,shown\nann\n", "line 2 has 1 cells, and the head has 2"),
        (b'name,shown\nann,"x\n', "cannot be read"),
        (b"name\n" + b"a\n" * (MOST_LINES + 1), "more than 5,000 lines"),
        (b"x" * 1_000_001, "more than 1,000,000 bytes"),
    ],
)
def test_what_is_no_such_file_is_refused(content: bytes, fault: str):
    """With what is wrong."""
    with pytest.raises(UsageError, match=fault):
        read_users(content, "x.csv")


def test_the_life_of_a_link_is_chosen(db: Database):
    """In days; without, that of its kind. None is good for longer than a month."""
    links.create(db, "account", role="user", days=30)
    links.create(db, "account", role="user")
    lives = [
        dt.datetime.fromisoformat(one.expires) - dt.datetime.fromisoformat(one.created)
        for one in links.every(db, "account")
    ]

    assert [round(life / dt.timedelta(days=1)) for life in lives] == [7, 30]
    for days in (0, 31):
        with pytest.raises(UsageError, match="1 to 30 days"):
            links.create(db, "account", role="user", days=days)
    assert commands._MOST_LINK_DAYS == links.MOST_DAYS
