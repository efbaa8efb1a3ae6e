"""HTML, built so that text cannot become markup.

`tag` is the only way to make `Markup`, and everything that it is given is escaped unless it is
`Markup` already. Whatever else is done with `Markup` (adding, formatting, slicing) gives a plain
string, which is escaped again: a mistake shows as visible tags, never as a hole.
"""

from __future__ import annotations

import html
from collections.abc import Iterable

from metasearch.formats.text import clean, web_url

_VOID = frozenset({"br", "img", "input", "link", "meta"})
_ADDRESSES = frozenset({"action", "href", "src"})


class Markup(str):
    """A piece of finished HTML."""

    __slots__ = ()


#: What an element may hold: nested lists are flattened, None and False are left out.
Content = str | int | float | None | Iterable["Content"]


def tag(element: str, /, *content: Content, **attributes: str | int | bool | None) -> Markup:
    """One element.

    Args:
        element: Its name; ours, never upstream's.
        content: Text and elements.
        attributes: `class_` and `for_` stand for their names without the underscore, `aria_label`
            for "aria-label". None and False are left out, True is written without a value, and an
            address that is neither local nor http(s) is left out too.
    """
    opening = f"<{element}{''.join(_attribute(key, value) for key, value in attributes.items())}>"
    return Markup(
        opening if element in _VOID else f"{opening}{''.join(_flat(content))}</{element}>"
    )


def document(*content: Markup) -> str:
    """A whole page in the standard's mode."""
    return "<!DOCTYPE html>\n" + "".join(content) + "\n"


def _flat(content: Iterable[Content]) -> Iterable[str]:
    for piece in content:
        if isinstance(piece, Markup):
            yield piece
        elif isinstance(piece, str):
            yield html.escape(clean(piece), quote=False)
        elif piece is None or piece is False:
            continue
        elif isinstance(piece, int | float):
            yield str(piece)
        else:
            yield from _flat(piece)


def _attribute(key: str, value: str | int | bool | None) -> str:
    name = key.rstrip("_").replace("_", "-")
    if value is None or value is False:
        return ""
    if value is True:
        return f" {name}"
    shown = clean(str(value))
    if name in _ADDRESSES and not _is_safe_address(shown):
        return ""
    return f' {name}="{html.escape(shown)}"'


def _is_safe_address(address: str) -> bool:
    """Whether a browser may be sent there: a path of this server, a place on the page, or the
    web.
    """
    if not address.isprintable() or " " in address:
        # Browsers drop tabs and line breaks from addresses: "/<tab>/host" is another host.
        return False
    if address.startswith("#"):
        return True
    if address.startswith("/"):
        # Browsers read "//" and "/\" as the beginning of another host's name.
        return not address.startswith(("//", "/\\"))
    return web_url(address) is not None
