"""The languages of the pages: their words, numbers and dates.

English is the language of the templates and of every message, so it has no catalogue; another
language has one in `metasearch/locale`, which is read when its first page is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO

from metasearch.bib.languages import languages as known_languages
from metasearch.message import Message, Templates, translated
from metasearch.server.negotiate import preferred_languages


@dataclass(frozen=True, slots=True)
class Language:
    """One language of the pages.

    Attributes:
        tag: As HTML names it: "zh-Hans".
        locale: What Babel calls it: "zh_Hans".
        gettext: Returns the translation of a text.
        ngettext: Returns that of one of two texts, by a number.
    """

    tag: str
    name: str
    locale: str
    gettext: Callable[[str], str]
    ngettext: Callable[[str, str, int], str]

    def said(self, text: str) -> str:
        """A sentence or fixed word of the core in this language; unchanged without translation."""
        if isinstance(text, Message):
            return translated(text, self.gettext, self.ngettext)
        return self.gettext(text) if text else ""

    def recognised(self, text: str, templates: Templates) -> str:
        """A sentence that the core keeps as plain text, in this language."""
        # English is as it is; to find the template takes time, and a list has hundreds of these.
        return text if self.tag == DEFAULT else self.said(templates.messages(text))

    def number(self, value: float) -> str:
        """A number with the separators of the language."""
        from babel.numbers import format_decimal

        return format_decimal(value, locale=self.locale)

    def percent(self, share: float) -> str:
        """A share of 1 in percent."""
        from babel.numbers import format_percent

        return format_percent(share, locale=self.locale)

    def listed(self, texts: list[str]) -> str:
        """The texts as an enumeration: "A, B and C"."""
        from babel.lists import format_list

        return format_list(texts, locale=self.locale)

    def language_name(self, code: str) -> str:
        """What a record's language is called: "fr" is "French"; the code where it is unknown."""
        from babel import Locale, UnknownLocaleError

        known = known_languages().get(code)
        try:
            # Catalogues name languages by three letters, Babel those that have two by these.
            name = Locale.parse(self.locale).languages.get(code)
        except UnknownLocaleError:
            name = None
        return name or (known.name if known else code)


#: Tag -> (its own name, Babel's name of it).
_OFFERED: Mapping[str, tuple[str, str]] = {
    "en": ("English", "en"),
    "zh-Hans": ("中文", "zh_Hans"),
}
TAGS = tuple(_OFFERED)
DEFAULT = "en"
#: Primary language of a browser -> the tag that it gets.
_OF_PRIMARY = {"en": "en", "zh": "zh-Hans"}


@cache
def language(tag: str) -> Language:
    """The language with one of `TAGS`."""
    name, locale = _OFFERED[tag]
    words = NullTranslations() if tag == DEFAULT else _catalogue(locale)
    return Language(tag, name, locale, words.gettext, words.ngettext)


def negotiated(header: str) -> str:
    """The tag that an Accept-Language header likes best; `DEFAULT` where it likes none of ours."""
    for wanted in preferred_languages(header):
        if (tag := _OF_PRIMARY.get(wanted.partition("-")[0])) is not None:
            return tag
    return DEFAULT


def tag_of(text: str) -> str | None:
    """The one of `TAGS` that a client writes as "zh", "zh-CN", "ZH-hans"; None for another."""
    return _OF_PRIMARY.get(text.strip().lower().replace("_", "-").partition("-")[0])


def _catalogue(locale: str) -> NullTranslations:
    """The words of a language, from its PO file: no compiled file can be older than it."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    path = files("metasearch") / "locale" / locale / "LC_MESSAGES" / "metasearch.po"
    compiled = BytesIO()
    write_mo(compiled, read_po(BytesIO(path.read_bytes()), locale=locale))
    compiled.seek(0)
    return GNUTranslations(compiled)
