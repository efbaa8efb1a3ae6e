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
from metasearch.engine.filters import Sort
from metasearch.formats.text import line
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


# What the fixed words of records and answers are called on a page; templates translate them.


def N_(text: str) -> str:  # noqa: N802 - the usual name of such a mark
    """Marks a text that is translated where it is shown."""
    return text


#: `Record.type` -> its name; another one is shown as it is.
TYPE_WORDS: Mapping[str, str] = {
    "article": N_("article"),
    "preprint": N_("preprint"),
    "conference-paper": N_("conference paper"),
    "proceedings": N_("proceedings"),
    "book": N_("book"),
    "chapter": N_("chapter"),
    "thesis": N_("thesis"),
    "report": N_("report"),
    "dataset": N_("dataset"),
    "software": N_("software"),
    "patent": N_("patent"),
    "standard": N_("standard"),
    "review": N_("review"),
    "editorial": N_("editorial"),
    "letter": N_("letter"),
    "erratum": N_("erratum"),
    "retraction": N_("retraction notice"),
    "reference-entry": N_("reference entry"),
    "journal": N_("journal"),
    "map": N_("map"),
    "score": N_("score"),
    "audio": N_("audio"),
    "video": N_("video"),
    "image": N_("image"),
    "webpage": N_("web page"),
    "other": N_("other"),
}
#: What became of a source.
STATUS_WORDS: Mapping[str, str] = {
    "running": N_("still asking"),
    "ok": N_("answered"),
    "empty": N_("nothing found"),
    "timeout": N_("timed out"),
    "error": N_("failed"),
    "limited": N_("rate limit reached"),
    "blocked": N_("blocked this server"),
    "drifted": N_("unknown answer format"),
    "late": N_("not read in time"),
    "skipped": N_("not asked"),
}
#: Status of a source -> (name of its icon, class of its text).
STATUS_LOOKS: Mapping[str, tuple[str, str]] = {
    "running": ("clock", "waiting"),
    "ok": ("done", "ok"),
    "empty": ("done", "ok"),
    "skipped": ("no", "off"),
}
FAILED_LOOK = ("warn", "failed")
#: Order of the list -> what the page calls it.
SORT_WORDS: Mapping[Sort, str] = {
    "relevance": N_("best match"),
    "date": N_("newest"),
    "-date": N_("oldest"),
    "citations": N_("most cited"),
    "title": N_("title"),
    "first-seen": N_("as received"),
}
#: Facet -> its heading.
FACET_HEADINGS: Mapping[str, str] = {
    "year": N_("Year"),
    "source": N_("Found in"),
    "only": N_("Only in"),
    "type": N_("Type"),
    "oa": N_("Open access"),
    "language": N_("Language"),
    "venue": N_("Published in"),
    "author": N_("Author"),
    "subject": N_("Subject"),
    "retracted": N_("Retracted"),
}
#: Verdict of a comparison -> its name.
VERDICT_WORDS: Mapping[str, str] = {
    "same": N_("same work"),
    "version": N_("version of it"),
    "different": N_("not the same"),
}
YES_NO: Mapping[str, str] = {"yes": N_("yes"), "no": N_("no")}
#: Identifier -> what people call it.
ID_WORDS = {"pmid": "PMID", "pmcid": "PMCID", "arxiv": "arXiv", "oclcnum": "OCLC", "lccn": "LCCN"}
#: Field -> what the page calls it, in the order of the page.
FIELD_WORDS: Mapping[str, str] = {
    "title": N_("Title"),
    "original_title": N_("Original title"),
    "translated_title": N_("Translated title"),
    "titles": N_("Other titles"),
    "authors": N_("Authors"),
    "editors": N_("Editors"),
    "date": N_("Date"),
    "year": N_("Year"),
    "venue": N_("Published in"),
    "volume": N_("Volume"),
    "issue": N_("Issue"),
    "pages": N_("Pages"),
    "edition": N_("Edition"),
    "publisher": N_("Publisher"),
    "institution": N_("Institution"),
    "type": N_("Type"),
    "version": N_("Version"),
    "language": N_("Language"),
    "doi": "DOI",
    "isbn": "ISBN",
    "issn": "ISSN",
    "url": N_("Address"),
    "pdf_url": "PDF",
    "open_access": N_("Open access"),
    "licence": N_("Licence"),
    "citations": N_("Cited"),
    "retracted": N_("Retracted"),
    "keywords": N_("Keywords"),
    "subjects": N_("Subjects"),
}


def field_word(name: str) -> str:
    """What a field of a record is called, "ids.pmid" among them; to be translated."""
    scheme = name.removeprefix("ids.")
    return FIELD_WORDS[name] if name in FIELD_WORDS else ID_WORDS.get(scheme, line(scheme) or "?")
