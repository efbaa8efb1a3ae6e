"""The templates of the pages, and how text gets into them.

Every expression of a template is cleaned and escaped. An address is written by one of the filters
`href`, `src` and `action`, which leave the attribute out unless a browser may follow the address.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from metasearch.formats.text import clean, line, web_url


def render(template: str, **context: Any) -> str:
    """A whole page.

    Args:
        template: Name of a file in `metasearch/server/templates`.
        context: The values that the template uses.

    Raises:
        UndefinedError: The template uses a value that is not in the context.
    """
    return _environment.get_template(template).render(context)


def many(number: int, noun: str) -> str:
    """A number with its noun.

    >>> many(1, "work"), many(2, "work")
    ('1 work', '2 works')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _cleaned(value: Any) -> Any:
    """What jinja2 writes for the value of an expression; it escapes this unless it is Markup."""
    if not isinstance(value, str):
        return value
    cleaned = clean(value)
    if cleaned is value or not isinstance(value, Markup):
        return cleaned
    # Only characters that no output may hold were removed, so finished HTML stays what it was.
    return Markup(cleaned)  # noqa: S704


def _address_attribute(name: str, address: str | None) -> Markup:
    """The attribute with its leading blank; nothing for an address that is neither local nor
    http(s).
    """
    shown = clean(address or "")
    return Markup(f' {name}="{escape(shown)}"') if _is_safe(shown) else Markup()  # noqa: S704


def _is_safe(address: str) -> bool:
    """Whether a browser may follow an address: a path of this server, a place on the page, or the
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


def _make() -> Environment:
    environment = Environment(
        loader=PackageLoader("metasearch.server", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_cleaned,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters |= {
        name: partial(_address_attribute, name) for name in ("href", "src", "action")
    }
    environment.filters |= {"line": line, "many": many}
    return environment


_environment = _make()
# Compiled at the start of the server: a first visitor should not wait, nor stop the event loop.
for _name in _environment.list_templates():
    _environment.get_template(_name)
