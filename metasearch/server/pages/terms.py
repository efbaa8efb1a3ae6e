"""What the fixed words of records and answers are called on a page; templates translate them."""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.formats.text import line
from metasearch.listing.sort import Sort


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
