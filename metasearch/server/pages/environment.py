"""What pages are made with: templates and the files that they load, and the fixed words of records
and answers.
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
from hashlib import sha256
from importlib.resources import files
from importlib.util import cache_from_source
from marshal import dumps, loads
from pathlib import Path
from typing import Any

from jinja2 import BytecodeCache, ChoiceLoader, Environment, PackageLoader, StrictUndefined
from jinja2 import __version__ as jinja_version
from jinja2.bccache import Bucket
from markupsafe import Markup, escape

from metasearch.bib import trials
from metasearch.engine.facets import Sort
from metasearch.formats.text import clean, line, web_url
from metasearch.language import DEFAULT, ReaderLanguage, language, tag_of
from metasearch.message import N_ as N_
from metasearch.record import FIELDS
from metasearch.server.problem import preferred_languages
from metasearch.wing import wings


def negotiate_language(header: str) -> str:
    """The tag that an Accept-Language header likes best; `DEFAULT` where it likes none of ours."""
    tags = map(tag_of, preferred_languages(header))
    return next((tag for tag in tags if tag is not None), DEFAULT)


# What the fixed words of records and answers are called on a page; templates translate them.


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
#: Kind of a notice -> its name.
NOTICE_WORDS: Mapping[str, str] = {
    "retraction": N_("Retraction"),
    "withdrawal": N_("Withdrawal"),
    "concern": N_("Expression of concern"),
    "correction": N_("Correction"),
}
YES_NO: Mapping[str, str] = {"yes": N_("yes"), "no": N_("no")}
#: Identifier -> what people call it.
ID_WORDS = {
    "pmid": "PMID",
    "pmcid": "PMCID",
    "arxiv": "arXiv",
    "oclcnum": "OCLC",
    "lccn": "LCCN",
    "openalex": "OpenAlex",
    "omid": "OMID",
    "mag": "Microsoft Academic Graph",
}
#: The order of the fields on the page of a work; those that it does not name stand behind them.
_ORDER = """
    title original_title translated_title titles authors editors translators date year venue volume
    issue pages edition publisher place institution type version language doi isbn issn url pdf_url
    open_access licence citations retracted keywords subjects
""".split()
#: Field -> what the page calls it, in the order of the page; to be translated.
FIELD_WORDS: Mapping[str, str] = {
    name: FIELDS[name].label for name in dict.fromkeys([*_ORDER, *FIELDS]) if FIELDS[name].label
}

#: What a field without a name of its own is shown with, or as.
_PARTS: Mapping[str, str] = {
    "subtitle": N_("Subtitle"),
    "abstract": N_("Abstract"),
    "references": N_("References"),
}


def field_word(name: str) -> str:
    """What a field of a record is called, "ids.pmid" among them; to be translated."""
    scheme = name.removeprefix("ids.")
    if name in FIELD_WORDS:
        return FIELD_WORDS[name]
    if name in _PARTS:
        return _PARTS[name]
    return ID_WORDS.get(scheme) or line(trials.name_of(scheme)) or "?"


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
    name: str
    body: bytes

    @property
    def media_type(self) -> str:
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
    def gzip_body(self) -> bytes | None:
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


class TemplateCache(BytecodeCache):
    """What templates were compiled to, once for all languages, and for the next process.

    `file`: where it is kept; None for nowhere. `made_by`: all that it depends on besides the
    templates and the version of Python: what was kept with another value is compiled anew.
    """

    def __init__(self, file: Path | None, made_by: bytes) -> None:
        self._file = file
        self._made_by = made_by
        self._code = self._load()
        self._is_kept = True

    def load_bytecode(self, bucket: Bucket) -> None:
        """Part of the interface of jinja2, which compares the source of the template."""
        if bucket.key in self._code:
            bucket.bytecode_from_string(self._code[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
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

    def _load(self) -> dict[str, bytes]:
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


def template_cache_beside(module: str, made_by: str) -> TemplateCache:
    """What the templates of a module are compiled to, beside the bytecode of that module."""
    try:
        file = Path(cache_from_source(module)).with_suffix(".templates")
        source = Path(module).read_bytes()
    except (NotImplementedError, OSError):  # no bytecode, no source
        return TemplateCache(None, b"")
    return TemplateCache(file, made_by.encode() + source)


# The templates of the pages, and how text gets into them. Every expression of a template is cleaned
# and escaped. An address is written by one of the filters `href`, `src` and `action`, which leave
# the attribute out unless a browser may follow the address.


def render(template: str, language: ReaderLanguage, **context: Any) -> str:
    """A whole page from a file in `templates`, here or of a wing. Raises UndefinedError: the
    template uses a value that is not in the context.
    """
    return environment(language).get_template(template).render(context)


def macro(template: str, name: str, language: ReaderLanguage) -> Callable[..., Markup]:
    """A macro of a template, to make a part of a page."""
    made: Callable[..., Markup] = getattr(environment(language).get_template(template).module, name)
    return made


def _clean_value(value: Any) -> Any:
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


_compiled = template_cache_beside(__file__, jinja_version)


@cache
def environment(language: ReaderLanguage) -> Environment:
    """The templates with a language's words; `_`, `ngettext`, `pgettext` translate in them."""
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package, "templates") for package in PACKAGES]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_clean_value,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
        bytecode_cache=_compiled,
        extensions=["jinja2.ext.i18n"],
    )
    made.policies["ext.i18n.trimmed"] = True
    made.install_gettext_callables(  # type: ignore[attr-defined]
        language.gettext, language.ngettext, newstyle=True, pgettext=language.pgettext
    )
    made.filters |= {name: partial(_address_attribute, name) for name in ("href", "src", "action")}
    made.filters |= {"line": line, "number": language.number, "percent": language.percent}
    made.filters["moment"] = moment
    made.filters["listed"] = language.enumeration
    made.filters["translate"] = language.phrase
    made.filters["asset"] = asset_path
    made.globals |= {
        "language": language,
        "translated": language.phrase,
    }
    return made


# Compiled at the start of the server: a first visitor should not wait, nor stop the event loop.
for _name in environment(language(DEFAULT)).list_templates():
    environment(language(DEFAULT)).get_template(_name)
_compiled.keep()
