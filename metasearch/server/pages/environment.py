"""The templates of the pages, and how text gets into them.

Every expression of a template is cleaned and escaped. An address is written by one of the filters
`href`, `src` and `action`, which leave the attribute out unless a browser may follow the address.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from jinja2 import __version__ as jinja_version
from markupsafe import Markup, escape

from metasearch.dedup.because import BECAUSE, VERSION_KINDS
from metasearch.formats.text import clean, line, web_url
from metasearch.listing.reasons import REASONS
from metasearch.server.pages.assets import PACKAGES, asset_path
from metasearch.server.pages.compiled import compiled_beside
from metasearch.server.pages.language import DEFAULT, Language, language


def render(template: str, language: Language, **context: Any) -> str:
    """A whole page.

    Args:
        template: Name of a file in `templates`, here or of a wing.
        language: That of its words.
        context: The values that the template uses.

    Raises:
        UndefinedError: The template uses a value that is not in the context.
    """
    return environment(language).get_template(template).render(context)


def macro(template: str, name: str, language: Language) -> Callable[..., Markup]:
    """A macro of a template, to make a part of a page."""
    made: Callable[..., Markup] = getattr(environment(language).get_template(template).module, name)
    return made


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
    """The attribute with its leading blank; nothing for other than local and http(s)."""
    shown = clean(address or "")
    return Markup(f' {name}="{escape(shown)}"') if _is_safe(shown) else Markup()  # noqa: S704


def _is_safe(address: str) -> bool:
    """Whether a browser may follow an address: here, a place on the page, or the web."""
    if not address.isprintable() or " " in address:
        # Browsers drop tabs and line breaks from addresses: "/<tab>/host" is another host.
        return False
    if address.startswith("#"):
        return True
    if address.startswith("/"):
        # Browsers read "//" and "/\" as the beginning of another host's name.
        return not address.startswith(("//", "/\\"))
    return web_url(address) is not None


def moment(text: str | None) -> Markup:
    """A moment ("2026-11-23T05:40:00Z") to the minute, in UTC, as the page says once."""
    if not text:
        return Markup()
    return Markup('<time datetime="{}">{}</time>').format(text, text[:16].replace("T", " "))


_compiled = compiled_beside(__file__, jinja_version)


@cache
def environment(language: Language) -> Environment:
    """The templates with a language's words; `_`, `gettext`, `ngettext` translate in them."""
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package, "templates") for package in PACKAGES]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_cleaned,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        bytecode_cache=_compiled,
        extensions=["jinja2.ext.i18n"],
    )
    made.policies["ext.i18n.trimmed"] = True
    made.install_gettext_callables(  # type: ignore[attr-defined]
        language.gettext, language.ngettext, newstyle=True
    )
    made.filters |= {name: partial(_address_attribute, name) for name in ("href", "src", "action")}
    made.filters |= {"line": line, "number": language.number, "percent": language.percent}
    made.filters["moment"] = moment
    made.filters["listed"] = language.listed
    made.filters["translate"] = language.said
    made.filters["asset"] = asset_path
    made.globals |= {
        "language": language,
        "translated": language.said,
        "reason_words": partial(language.recognised, templates=REASONS),
        "evidence_words": partial(language.recognised, templates=BECAUSE),
        "version_words": partial(language.recognised, templates=VERSION_KINDS),
    }
    return made


# Compiled at the start of the server: a first visitor should not wait, nor stop the event loop.
for _name in environment(language(DEFAULT)).list_templates():
    environment(language(DEFAULT)).get_template(_name)
_compiled.keep()
