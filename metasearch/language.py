"""The languages in which people read pages, reports and e-mails: their words, numbers and lists.

English is the language of every text in the code, so it has no catalogue. Another language is one
PO file in `metasearch/locale`, which is read when its first text is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from gettext import GNUTranslations, NullTranslations
from importlib.resources import files
from io import BytesIO

from metasearch.bib.languages import languages as known_languages
from metasearch.message import Message, join_texts, message, message_in, translate

#: A folder for each language but English.
CATALOGUES = files("metasearch") / "locale"
DEFAULT = "en"
#: All languages, as HTML names them.
TAGS = (
    DEFAULT,
    *sorted(each.name.replace("_", "-") for each in CATALOGUES.iterdir() if each.is_dir()),
)
#: What a browser calls a language, and what reports call theirs -> its tag.
_OF_PRIMARY = {tag.partition("-")[0]: tag for tag in reversed(TAGS)}
#: The languages as reports name them.
CODES = tuple(dict.fromkeys(tag.partition("-")[0] for tag in TAGS))


@dataclass(frozen=True, slots=True)
class ReaderLanguage:
    """One language.

    Attributes:
        tag: One of `TAGS`.
        locale: What Babel calls it: "zh_Hans".
        gettext: Returns the translation of a text.
        ngettext: Returns that of one of two texts, by a number.
    """

    tag: str
    locale: str
    gettext: Callable[[str], str]
    ngettext: Callable[[str, str, int], str]

    @property
    def name(self) -> str:
        from babel import Locale

        return Locale.parse(self.locale).get_language_name() or self.tag

    def phrase(self, text: str, /, **values: object) -> str:
        """A sentence or fixed word in this language; in English where it has no translation.
        `values`: what stands in the places of the text, as `message` takes them; numbers are
        written with separators.
        """
        if values:
            shown = {name: f"{n:,}" if isinstance(n, int) else n for name, n in values.items()}
            text = message(text, **shown)
        if isinstance(text, Message):
            return translate(text, self.gettext, self.ngettext)
        return self.gettext(text) if text else ""

    def pgettext(self, context: str, text: str) -> str:
        """A fixed word that this language says otherwise where it stands in this context."""
        return self.phrase(message_in(context, text))

    def number(self, value: float) -> str:
        from babel.numbers import format_decimal

        return format_decimal(value, locale=self.locale)

    def percent(self, share: float) -> str:
        """A share of 1 in percent."""
        from babel.numbers import format_percent

        return format_percent(share, locale=self.locale)

    def enumeration(self, texts: list[str]) -> str:
        """The texts as an enumeration: "A, B and C"."""
        match texts:
            case []:
                return ""
            case [one]:
                return self.phrase(one)
            case [first, second]:
                return self.phrase(message("{first} and {second}", first=first, second=second))
        begin = join_texts(", ", texts[:-1])
        return self.phrase(message("{first}, and {second}", first=begin, second=texts[-1]))

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


@cache
def language(tag: str) -> ReaderLanguage:
    """The language with one of `TAGS`."""
    locale = tag.replace("-", "_")
    words = NullTranslations() if tag == DEFAULT else _catalogue(locale)
    return ReaderLanguage(tag, locale, words.gettext, words.ngettext)


def tag_of(name: str) -> str | None:
    """The one of `TAGS` that a client writes as "zh", "zh-CN", "ZH-hans"; None for another."""
    return _OF_PRIMARY.get(name.strip().lower().replace("_", "-").partition("-")[0])


def language_of(name: str) -> ReaderLanguage:
    """The language that a report or a reader names, as `tag_of`; English for one we do not have."""
    return language(tag_of(name) or DEFAULT)


def _catalogue(locale: str) -> NullTranslations:
    """The words of a language, from its PO file: no compiled file can be older than it."""
    from babel.messages.mofile import write_mo
    from babel.messages.pofile import read_po

    path = CATALOGUES / locale / "LC_MESSAGES" / "metasearch.po"
    compiled = BytesIO()
    write_mo(compiled, read_po(BytesIO(path.read_bytes()), locale=locale))
    compiled.seek(0)
    return GNUTranslations(compiled)
