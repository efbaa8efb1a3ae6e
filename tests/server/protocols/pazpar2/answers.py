"""A client of pazpar2's protocol for tests, which reads answers as pz2.js reads them."""

from __future__ import annotations

from typing import Any

from lxml import etree

PATH = "/pazpar2/search.pz2"


async def ask(client: Any, command: str, status: int = 200, **parameters: Any) -> Any:
    """The root of the answer to a command; `status` is what HTTP must say."""
    given = {"command": command, **{name: str(value) for name, value in parameters.items()}}
    async with client.get(PATH, params=given) as response:
        body = await response.read()
        assert response.status == status, body.decode()
        assert response.headers["Content-Type"] == "text/xml; charset=utf-8"
        assert response.headers["Cache-Control"] == "no-store"
    return etree.fromstring(body)


async def refused(client: Any, command: str, **parameters: Any) -> tuple[int, str]:
    """Code and detail of an error; its message must be there, too, as clients show it."""
    root = await ask(client, command, 417, **parameters)
    assert root.tag == "error"
    assert root.get("msg")
    return int(root.get("code")), root.text or ""


async def begun(client: Any, **parameters: Any) -> str:
    """The token of a new session."""
    return first(await ask(client, "init", **parameters), "session")


async def searched(client: Any, query: str = "mice", **parameters: Any) -> str:
    """The token of a new session whose search has finished."""
    session = await begun(client)
    await ask(client, "search", session=session, query=query, **parameters)
    await finished(client, session)
    return session


async def finished(client: Any, session: str) -> Any:
    """The list at the end of the search, by polls as a client sends them."""
    for _ in range(400):
        root = await ask(client, "show", session=session, block=1, num=100)
        if number(root, "activeclients") == 0:
            return root
    raise AssertionError("the search does not end")


def first(root: Any, name: str) -> str:
    """The first text of the first element of a name; clients fail where it is empty."""
    text = next(root.iter(name)).text
    assert text, f"{name} is empty"
    return str(text)


def number(root: Any, name: str) -> int:
    """The same as a number."""
    return int(first(root, name))


def texts(root: Any, path: str) -> list[str]:
    """What an XPath finds: texts of elements, or values of attributes."""
    return [each if isinstance(each, str) else (each.text or "") for each in root.xpath(path)]
