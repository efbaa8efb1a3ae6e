"""What a reader has chosen: for pages in the address, else in a cookie, else by the browser; for
searches in the account.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from aiohttp import web
from multidict import MultiMapping

from metasearch.engine.options import SearchOptions
from metasearch.formats.citations.styles import STYLES
from metasearch.server.identity import identity_of
from metasearch.server.pages.language import DEFAULT, TAGS, negotiated, tag_of
from metasearch.server.parameters import Parameters
from metasearch.server.site import SHARED

O = TypeVar("O", bound=SearchOptions)  # noqa: E741

COOKIE = "metasearch-settings"
#: Parameters of an address that are about the page alone, and are remembered.
PARAMETERS = ("lang", "theme")
THEMES = ("auto", "light", "dark")
SIZES = (20, 50, 100)
#: Sources that a reader may choose for all searches, and characters of their names together, so
#: that a cookie can hold them.
MOST_SOURCES, MOST_CHARACTERS = 100, 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """What a reader has chosen.

    Attributes:
        language: One of `TAGS`.
        theme: One of `THEMES`; "auto" is what the system of the reader has.
        page_size: Works on a page, one of `SIZES`.
        style: Of citations; "" for the usual one of the language.
        sources: Those that a search asks which names none; empty for those of the server.
    """

    language: str = DEFAULT
    theme: str = "auto"
    page_size: int = SIZES[0]
    style: str = ""
    sources: tuple[str, ...] = ()

    def written(self) -> dict[str, Any]:
        """As a cookie holds it: without what is as usual, but for the language."""
        usual = Preferences()
        values = {
            "language": self.language,
            "theme": self.theme,
            "page_size": self.page_size,
            "style": self.style,
            "sources": list(self.sources),
        }
        return {
            name: value
            for name, value in values.items()
            if name == "language" or value not in (getattr(usual, name), [])
        }


def preferences(kept: object, given: MultiMapping[str], accept_language: str) -> Preferences:
    """What a reader has chosen; what cannot be read is as usual.

    Args:
        kept: The value of the cookie.
        given: The parameters of the address.
        accept_language: What the browser likes.
    """
    values: Mapping[str, object] = kept if isinstance(kept, dict) else {}
    asked = tag_of(given.get("lang", ""))
    return Preferences(
        language=asked or _one_of(TAGS, values.get("language"), negotiated(accept_language)),
        theme=_one_of(THEMES, given.get("theme"), _one_of(THEMES, values.get("theme"), "auto")),
        page_size=_one_of(SIZES, values.get("page_size"), SIZES[0]),
        style=_one_of(tuple(STYLES), values.get("style"), ""),
        sources=source_names(values.get("sources")),
    )


def source_names(value: object) -> tuple[str, ...]:
    """The first names in a list, as a cookie can hold, each once; [] of no list of names."""
    if not isinstance(value, list | tuple):
        return ()
    names: dict[str, None] = {}
    characters = 0
    for name in value:
        if not isinstance(name, str) or not name or not name.isascii() or name in names:
            continue
        characters += len(name)
        if len(names) == MOST_SOURCES or characters > MOST_CHARACTERS:
            break
        names[name] = None
    return tuple(names)


def of_user(request: web.Request) -> dict[str, Any]:
    """What the account of the user keeps; {} for guests and on a server without users."""
    identity = identity_of(request)
    return dict(identity.preferences) if identity is not None and identity.uid else {}


def with_sources(request: web.Request, options: O) -> O:
    """The options of a search; where they name no source, with those that the user has chosen."""
    if options.sources:
        return options
    names = source_names(of_user(request).get("sources"))
    if not names:
        return options
    known = frozenset(request.app[SHARED].engine.registry.names())
    return replace(options, sources=tuple(name for name in names if name in known) or None)


def with_style(
    request: web.Request, parameters: Parameters, given: MultiMapping[str]
) -> Parameters:
    """The parameters of a search; where the request names no style of citations, with the one that
    the user has chosen.
    """
    style = str(of_user(request).get("style"))
    if style not in STYLES or given.get("style", "").strip():
        return parameters
    return replace(parameters, style=style)


def _one_of(allowed: Sequence[Any], value: object, usual: Any) -> Any:
    return next((one for one in allowed if one == value and type(one) is type(value)), usual)
