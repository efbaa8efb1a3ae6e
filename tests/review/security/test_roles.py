"""Nobody does more than their role allows: each role tries each route of the real table."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import get_args
from urllib.parse import quote

import pytest

from metasearch.review.store.database import Database
from metasearch.review.users import accounts, tokens
from metasearch.review.users.permissions_and_quotas import (
    PROJECT_ACTIONS,
    PROJECT_ROLES,
    SYSTEM_ACTIONS,
    Action,
    ProjectRole,
    SystemRole,
    may,
)
from metasearch.server.app import ROUTES as SEARCH_ROUTES
from metasearch.server.route import Route
from metasearch.server.wing import server_wing
from tests import cases
from tests.review.pages.filled import TEXT
from tests.review.security.team import PEOPLE, Person, Team
from tests.review.security.team_fixtures import As, Serving

#: The words of the specification, written out once more: system role, project role -> actions.
SCREENER = {"read", "export", "screen"}
EDITOR = SCREENER | {"edit", "run", "report", "sign"}
ACTIONS_OF: Mapping[ProjectRole, set[str]] = {
    "reader": {"read", "export"},
    "screener": SCREENER,
    "editor": EDITOR,
    "owner": EDITOR | {"resolve", "members", "delete"},
}
#: Beginnings of addresses outside of projects for which more than a search is asked, and the
#: action; whoever adds one decides on it here.
OUTSIDE: Mapping[str, Action] = {
    "/projects": "make project",
    "/api/projects": "make project",
    "/saved": "save search",
    "/api/saved": "save search",
    "/account": "account",
    "/api/account": "account",
    "/admin": "administer",
    "/api/admin": "administer",
    "/metrics": "administer",
}
#: Those of a server with users.
ROUTES = (*SEARCH_ROUTES, *server_wing().routes(users=True))
UNDER_PROJECT = [route for route in ROUTES if "{project}" in route.path]


def methods(route: Route) -> list[str]:
    return ["GET"] * route.gets + ["POST"] * route.posts


def action_of(route: Route, method: str) -> Action:
    return route.posts_action or route.action if method == "POST" else route.action


# --------------------------------------------------------------------------- the tables


@cases.each("route", UNDER_PROJECT, ids=lambda route: route.path)
def test_a_route_under_a_project_asks_for_an_action_of_projects(route: Route) -> None:
    """And none of them is open to all."""
    assert {action_of(route, method) for method in methods(route)} <= set(PROJECT_ACTIONS)
    assert not route.keyless


@cases.each("route", UNDER_PROJECT, ids=lambda route: route.path)
def test_reading_never_changes_something(route: Route) -> None:
    """A GET asks for no more than to read or to export: pages of other sites can cause it."""
    assert not route.gets or route.action in ("read", "export")


@cases.each(
    "route", [route for route in ROUTES if "{project}" not in route.path], ids=lambda r: r.path
)
def test_a_route_outside_of_projects_is_classified(route: Route) -> None:
    """It asks for a search, needs nobody, or stands in the table above."""
    begins = [path for path in OUTSIDE if f"{route.path}/".startswith(f"{path}/")]
    wanted = OUTSIDE[begins[0]] if begins else "search"

    assert route.keyless or {action_of(route, each) for each in methods(route)} == {wanted}
    assert not (route.keyless and begins)


@cases.each("system", [None, *get_args(SystemRole)])
@cases.each("project", [None, *PROJECT_ROLES])
def test_the_table_of_permissions(system: SystemRole | None, project: ProjectRole | None) -> None:
    """Exactly what the documentation says, for each role and action."""
    outside = {
        None: set(),
        "guest": {"search"},
        "user": {"search", "make project", "save search", "account"},
        "administrator": set(SYSTEM_ACTIONS),
    }[system]
    inside = set()
    if system in ("user", "administrator") and project is not None:
        inside = ACTIONS_OF[project]

    allowed = {each for each in (*SYSTEM_ACTIONS, *PROJECT_ACTIONS) if may(each, system, project)}

    assert allowed == outside | inside


# --------------------------------------------------------------------------- the matrix


def filled_in(path: str, team: Team, project: str) -> str:
    """The address of a route, of things that are there."""
    values = {
        "project": project,
        "strategy": quote(TEXT),
        "step": "1",
        "run": "1",
        "number": "1",
        "work": team.filled.uids[0],
        "kind": "prisma-flow",
        "report": "prisma-flow",
        "user": team.uids["reader"],
        "stage": "title",
    }
    return re.sub(r"{(\w+)(?::[^}]*)?}", lambda found: values.get(found[1], "1"), path)


async def outcome(person: Person, method: str, path: str) -> str:
    """ "open" where a handler has answered; else how the request was refused."""
    if method == "GET":
        response = await person.get(path)
    else:
        # No handler takes this, so that nothing is changed by those who may.
        response = await person.post(path, nonsense=1)
    problem = {}
    if response.content_type == "application/problem+json":
        problem = await response.json(content_type=None)
    response.close()
    if response.status == 401:
        return "login"
    if response.status == 404 and str(problem.get("detail")).startswith("There is no project"):
        return "hidden"
    if response.status == 403 and problem["type"].endswith(":not-allowed"):
        return "refused"
    assert response.status < 500, (path, response.status)
    return "open"


def expected(route: Route, method: str, system: SystemRole | None, role: ProjectRole | None) -> str:
    """What `permissions.may` says."""
    # These tests ask from this machine, which needs no user for what is local.
    if route.keyless or (route.local and system is None):
        return "open"
    if may(action_of(route, method), system, role):
        return "open"
    if system is None:
        return "login"
    if "{project}" in route.path and role is None:
        return "hidden"
    return "refused"


MATRIX = [route for route in ROUTES if not route.keyless]


@pytest.mark.parametrize("turn", cases.sample(range(3), 3))
async def test_each_route_does_what_the_table_says(turn: int, team: Team, people: As) -> None:
    """For each role, each route and each method: let in, sent to the login, refused, or told that
    there is no such project. In a turn a third of the roles try a route."""
    wrong = {}
    for number, route in enumerate(MATRIX, turn):
        path = filled_in(route.path, team, team.review.uid)
        for name in [*PEOPLE, ""][number % 3 :: 3]:
            system, role = PEOPLE.get(name, (None, None))
            for method in methods(route):
                answer = await outcome(people(name), method, path)
                if answer != expected(route, method, system, role):
                    wrong[name, method, route.path] = answer

    assert not wrong


def in_scope(scopes: tuple[str, ...], action: Action, method: str) -> bool:
    """What a token is good for, as docs/users-server.md says."""
    if action == "search":
        return True
    if action == "account":
        return False
    reads = "read" in scopes and action != "administer"
    return "write" in scopes or (reads and (method == "GET" or action == "export"))


@pytest.mark.parametrize("turn", cases.sample(range(3), 3))
@pytest.mark.parametrize("name", ["owner", "reader"])
async def test_a_token_does_no_more_than_its_scopes_and_the_role(
    name: str, turn: int, team: Team, people: As
) -> None:
    """For each route and each method; in a turn with a token of some scopes each."""
    system, role = PEOPLE[name]
    programs = []
    with Database(team.filled.path) as db:
        user = accounts.find(db, team.uids[name])
        for scopes in (("search",), ("search", "read"), ("search", "read", "write")):
            text, _ = tokens.create(db, user, f"program {len(scopes)}", scopes, 1)
            programs.append((scopes, replace(people(""), token=text)))
    wrong = {}
    for number, route in enumerate(MATRIX, turn):
        path = filled_in(route.path, team, team.review.uid)
        scopes, program = programs[number % 3]
        for method in methods(route):
            answer = await outcome(program, method, path)
            wanted = expected(route, method, system, role)
            if wanted == "open" and not in_scope(scopes, action_of(route, method), method):
                wanted = "refused"
            if answer != wanted:
                wrong[method, route.path] = answer

    assert not wrong


async def test_a_guest_who_is_not_logged_in_only_searches(serve_team: Serving, team: Team) -> None:
    """Where guests are allowed; all else asks for a login."""
    nobody = (await serve_team(guests=True))("")
    wrong = {}
    for route in MATRIX:
        path = filled_in(route.path, team, team.review.uid)
        for method in methods(route):
            answer = await outcome(nobody, method, path)
            may_ = may(action_of(route, method), "guest") or route.local
            if answer != ("open" if may_ else "login"):
                wrong[method, route.path] = answer

    assert not wrong


@pytest.mark.parametrize("name", cases.sample(["stranger", "administrator", "guest"], 3))
async def test_what_is_not_yours_is_as_what_is_not_there(name: str, team: Team, people: As) -> None:
    """The same status and the same words, but for the name that was asked for; by uid and by
    name."""
    person = people(name)
    for route in UNDER_PROJECT:
        for method in methods(route):
            answers = []
            for project in (team.review.uid, team.review.name, "nowhere"):
                path = filled_in(route.path, team, project)
                response = await (
                    person.get(path) if method == "GET" else person.post(path, nonsense=1)
                )
                body = await response.text()
                for around in ("projects/{}", "'{}'"):
                    body = body.replace(around.format(project), around.format("NAME"))
                answers.append((response.status, body, response.headers["Content-Type"]))
            assert answers[0] == answers[1] == answers[2], (method, route.path)
            assert answers[0][0] == 404


async def test_ids_of_another_project_name_nothing(team: Team, people: As) -> None:
    """A member of one project reaches nothing of another one by its numbers and uids."""
    with Database(team.filled.path) as db:
        novelty = team.filled.novelty
        db.run(
            "INSERT INTO member SELECT ?, id, 'owner', '' FROM user WHERE name = 'stranger'",
            novelty.id,
        )
        change = db.value("SELECT max(id) FROM change WHERE project = ?", team.review.id)
        pin = db.value("SELECT max(id) FROM pin WHERE project = ?", team.review.id)
    stranger, here = people("stranger"), f"/api/projects/{novelty.uid}"
    work = team.filled.uids[0]

    assert (await stranger.get(f"{here}/works/{work}")).status == 404
    assert (await stranger.get(f"{here}/runs/1")).status == 404
    assert (await stranger.get(f"{here}/strategies/{quote(TEXT)}")).status == 404
    assert (await stranger.get(f"{here}/reports/prisma-flow?number=1")).status == 404
    for path, members in (
        ("decisions", {"works": [work], "verdict": "excluded"}),
        ("notes", {"work": work, "text": "mine"}),
        ("undo", {"change": change}),
        ("pins/remove", {"pin": pin}),
    ):
        assert (await stranger.post(f"{here}/{path}", **members)).status == 400
    assert await _change(team) == change


async def _change(team: Team) -> int:
    with Database(team.filled.path, read_only=True) as db:
        return int(db.value("SELECT max(id) FROM change WHERE project = ?", team.review.id))


@pytest.mark.parametrize("name", cases.sample(["owner", "administrator"], 2))
async def test_nothing_follows_the_head_of_an_answer_to_head(
    name: str, team: Team, people: As
) -> None:
    """On a connection that a proxy shares among users, it would be read as the next answer."""
    person, wrong = people(name), {}
    host, port = person.client.host, person.client.port
    for route in ROUTES:
        if not route.gets:
            continue
        path = filled_in(route.path, team, team.review.uid)
        path += {"works": "?q=a", "exports": "?format=ris"}.get(path.rpartition("/")[2], "")
        head = f"HEAD {path} HTTP/1.1\r\nHost: {host}:{port}\r\nConnection: close\r\n"
        head += "".join(f"{key}: {value}\r\n" for key, value in person.headers.items())
        reader, writer = await asyncio.open_connection(host, port)
        writer.write(f"{head}\r\n".encode())
        sent = await reader.read()
        writer.close()
        begun, _, rest = sent.partition(b"\r\n\r\n")
        if rest or not begun.startswith(b"HTTP/1.1 "):
            wrong[route.path] = sent[:200]

    assert not wrong


# --------------------------------------------------------------------------- pages of several forms

FORMS: list[tuple[str, dict[str, str], Action]] = [
    ("", {"do": "title", "title": "New"}, "edit"),
    ("", {"do": "archive", "archived": "yes"}, "edit"),
    ("", {"do": "delete", "name": "wrong"}, "delete"),
    ("/strategies", {"name": "next"}, "edit"),
    (f"/strategies/{quote(TEXT)}", {"do": "add", "text": "new"}, "edit"),
    (f"/strategies/{quote(TEXT)}", {"do": "edit", "number": "1", "text": "new"}, "edit"),
    (f"/strategies/{quote(TEXT)}", {"do": "remove", "number": "9"}, "edit"),
    (f"/strategies/{quote(TEXT)}", {"do": "add-count", "text": "("}, "run"),
    (f"/strategies/{quote(TEXT)}", {"do": "count", "steps": "x"}, "run"),
    (f"/strategies/{quote(TEXT)}", {"do": "run", "steps": "x"}, "run"),
    (f"/strategies/{quote(TEXT)}", {"do": "stop"}, "run"),
    (f"/strategies/{quote(TEXT)}", {"do": "resume"}, "run"),
    (f"/strategies/{quote(TEXT)}", {"do": "known", "names": ""}, "edit"),
    ("/works", {"mark": "excluded:WORK"}, "screen"),
    ("/works", {"do": "decide", "who": "MYSELF"}, "screen"),
    ("/works", {"all": "tag", "tags": "a", "id": "WORK"}, "screen"),
    ("/works", {"save": "WORK", "note-WORK": "a"}, "screen"),
    ("/works", {"do": "undo", "change": "1"}, "edit"),
    ("/works", {"do": "decisions"}, "edit"),
    ("/works", {"apart": "nothing:1"}, "edit"),
    ("/works", {"unpin": "99999"}, "edit"),
    ("/works", {"all": "same", "id": "WORK"}, "edit"),
    ("/reports/appendix", {"do": "answer"}, "edit"),
    ("/reports/appendix", {"do": "freeze"}, "report"),
    ("/reports/appendix", {"do": "sign", "number": "1"}, "sign"),
    ("/log", {"do": "undo", "change": "99999"}, "edit"),
    ("/members", {"do": "invite", "role": "owner"}, "members"),
    ("/members", {"do": "role", "user": "READER", "role": "owner"}, "members"),
    ("/members", {"do": "remove", "user": "READER"}, "members"),
    ("/members", {"do": "revoke", "link": "1"}, "members"),
    ("/members", {"do": "leave"}, "read"),
]


@pytest.mark.parametrize("name", cases.sample(["reader", "screener", "editor", "owner"], 2))
async def test_each_form_of_a_page_asks_for_its_own_action(
    name: str, team: Team, people: As
) -> None:
    """A page whose address a role may post to still refuses what the role may not do."""
    person, (system, role) = people(name), PEOPLE[name]
    base = f"/projects/{team.review.uid}"
    for path, fields, action in FORMS:
        filled = {
            key.replace("WORK", team.filled.uids[-1]): value.replace("WORK", team.filled.uids[-1])
            .replace("READER", team.uids["reader"])
            .replace("MYSELF", team.uids[name])
            for key, value in fields.items()
        }
        if not may(action, system, role):
            response = await person.form(f"{base}{path}", filled)
            assert response.status == 403, (path, fields)
            assert (await response.json(content_type=None))["type"].endswith(":not-allowed")
        elif action != "members":  # what a member may change of the team: test_members.py
            response = await person.form(f"{base}{path}", filled)
            assert response.status in (200, 303, 400, 409), (path, fields)


@pytest.mark.parametrize("name", cases.sample(["reader", "screener", "editor", "owner"], 2))
async def test_a_page_shows_no_form_that_its_reader_may_not_send(
    name: str, team: Team, people: As
) -> None:
    """A form with a button that would be refused is not there."""
    person, (system, role) = people(name), PEOPLE[name]
    base = f"/projects/{team.review.uid}"
    buttons = {
        ("", "//input[@value='title']"): "edit",
        ("", "//input[@value='delete']"): "delete",
        ("/strategies", "//input[@name='copy' or @name='name']"): "edit",
        (f"/strategies/{quote(TEXT)}", "//form[@id='add']"): "edit",
        (f"/strategies/{quote(TEXT)}", "//*[@id='steps']//a[contains(., 'Edit')]"): "edit",
        (f"/strategies/{quote(TEXT)}", "//button[@value='run' or @value='count']"): "run",
        (f"/strategies/{quote(TEXT)}", "//*[@id='sources' or @id='import' or @id='paste']"): "edit",
        ("/works", "//button[@name='mark']"): "screen",
        ("/works", "//button[@name='save' or @value='tag']"): "screen",
        ("/works", "//button[@name='apart' or @name='unpin' or @value='same']"): "edit",
        ("/works", "//input[@value='decisions']"): "edit",
        ("/reports/prisma-s", "//input[@value='answer']"): "edit",
        ("/reports/prisma-flow", "//input[@value='freeze']"): "report",
        ("/log", "//button[@name='change']"): "edit",
        ("/members", "//input[@value='invite']"): "members",
        ("/members", "//input[@value='leave']"): "read",
    }
    pages = {path: await person.page(f"{base}{path}") for path, _ in buttons}

    for (path, what), action in buttons.items():
        shown = bool(pages[path].xpath(what))
        assert shown == may(action, system, role), (path, what)  # type: ignore[arg-type]


async def test_a_screener_undoes_nothing_of_others(team: Team, people: As) -> None:
    """By the interface of programs, too, whose address takes back one's own votes."""
    path = f"/api/projects/{team.review.uid}/undo"
    change = await _change(team)

    refused = await people("screener").post(path, change=change)
    assert refused.status == 403
    assert await _change(team) == change
