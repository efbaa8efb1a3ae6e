"""What pages are made with: templates and the files that they load, and the languages of the pages,
their words, numbers and dates.

English is the language of the templates and of every message, so it has no catalogue; another
language has one in `metasearch/locale`, which is read when its first page is made.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, partial
from gettext import GNUTranslations, NullTranslations
from hashlib import sha256
from importlib.resources import files
from importlib.util import cache_from_source
from io import BytesIO
from marshal import dumps, loads
from pathlib import Path
from typing import Any

from jinja2 import BytecodeCache, ChoiceLoader, Environment, PackageLoader, StrictUndefined
from jinja2 import __version__ as jinja_version
from jinja2.bccache import Bucket
from markupsafe import Markup, escape

from metasearch.bib.languages import languages as known_languages
from metasearch.dedup.evidence import BECAUSE, VERSION_KINDS
from metasearch.engine.facets import Sort
from metasearch.engine.rank import REASONS
from metasearch.formats.text import clean, line, web_url
from metasearch.message import Message, Templates, translated
from metasearch.server.problem import preferred_languages
from metasearch.wing import wings


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


# The templates of the pages: how text gets into them, how they are compiled once, and the few
# files that all pages load.

# The few files that pages need, those of wings as well, read once: a style sheet, the scripts and
# the icons.

_MEDIA_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".ico": "image/x-icon",
    ".png": "image/png",
}
#: Those that are text, and are sent compressed.
_TEXTS = frozenset({".css", ".js", ".svg"})


@dataclass(frozen=True)
class Asset:
    """One file."""

    name: str
    body: bytes

    @property
    def media_type(self) -> str:
        """By its extension."""
        return _MEDIA_TYPES[self._extension]

    @property
    def is_text(self) -> bool:
        """Whether it has a character set, which is UTF-8."""
        return self._extension in _TEXTS

    @cached_property
    def etag(self) -> str:
        """Names the content; without quotes."""
        return hashlib.sha256(self.body).hexdigest()[:20]

    @cached_property
    def compressed(self) -> bytes | None:
        """For clients that read gzip; None for what is compressed already."""
        return gzip.compress(self.body, mtime=0) if self.is_text else None

    @property
    def _extension(self) -> str:
        return self.name[self.name.rindex(".") :]


#: Those with folders `templates` and `static`.
PACKAGES = ("metasearch.server", *(wing.pages for wing in wings() if wing.pages))


ASSETS = {
    file.name: Asset(file.name, file.read_bytes())
    for package in PACKAGES
    for file in (files(package) / "static").iterdir()
    if file.name.endswith(tuple(_MEDIA_TYPES))
}


def asset_path(name: str) -> str:
    """The path of a file, which changes with its content: browsers keep it for good."""
    return f"/static/{name}?v={ASSETS[name].etag[:10]}"


# Compiled templates, kept where Python keeps compiled modules: to compile all of them takes a
# second of each process that serves pages.

_DIGEST = sha256().digest_size


class CompiledTemplates(BytecodeCache):
    """What templates were compiled to, once for all languages, and for the next process.

    `file`: where it is kept; None for nowhere. `made_by`: all that it depends on besides the
    templates and the version of Python: what was kept with another value is compiled anew.
    """

    def __init__(self, file: Path | None, made_by: bytes) -> None:
        self._file = file
        self._made_by = made_by
        self._code = self._kept()
        self._is_kept = True

    def load_bytecode(self, bucket: Bucket) -> None:
        """Part of the interface of jinja2, which compares the source of the template."""
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Part of the interface of jinja2."""
        self._code[bucket.key] = bucket.bytecode_to_string()
        self._is_kept = False

    def keep(self) -> None:
        """Write what was compiled; as with modules, not where Python is told to write nothing, and
        where it cannot be written, the next process compiles again.
        """
        if self._file is None or self._is_kept or sys.dont_write_bytecode:
            return
        payload = dumps(self._code)
        draft = self._file.with_name(f"{self._file.name}.{os.getpid()}")
        with suppress(OSError):
            try:
                self._file.parent.mkdir(parents=True, exist_ok=True)
                draft.write_bytes(self._digest(payload) + payload)
                draft.replace(self._file)
            finally:
                draft.unlink(missing_ok=True)
        self._is_kept = True

    def _kept(self) -> dict[str, bytes]:
        if self._file is None:
            return {}
        try:
            whole = self._file.read_bytes()
        except OSError:
            return {}
        digest, payload = whole[:_DIGEST], whole[_DIGEST:]
        if digest != self._digest(payload):
            return {}
        # Who can write this file can write compiled modules, too.
        kept: dict[str, bytes] = loads(payload)  # noqa: S302
        return kept

    def _digest(self, payload: bytes) -> bytes:
        return sha256(sha256(self._made_by).digest() + payload).digest()


def compiled_beside(module: str, made_by: str) -> CompiledTemplates:
    """What the templates of a module are compiled to, beside the bytecode of that module."""
    try:
        file = Path(cache_from_source(module)).with_suffix(".templates")
        source = Path(module).read_bytes()
    except (NotImplementedError, OSError):  # no bytecode, no source
        return CompiledTemplates(None, b"")
    return CompiledTemplates(file, made_by.encode() + source)


# The templates of the pages, and how text gets into them. Every expression of a template is cleaned
# and escaped. An address is written by one of the filters `href`, `src` and `action`, which leave
# the attribute out unless a browser may follow the address.


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
