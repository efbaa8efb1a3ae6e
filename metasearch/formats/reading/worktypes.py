"""What files call a kind of work -> `record.TYPES`: codes of RIS, and words in one field or two."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

from metasearch.record import TYPES

#: What journals hold; formats that know no other kind of it have one word for all of them.
IN_JOURNALS = ("article", "review", "editorial", "letter", "erratum", "retraction")

# What the formats call the types; "article" is the row of all that journals hold.
#
# RIS: no type says preprint. UNPB, the usual one, is a journal article to Zotero; UNPD is not known
# to citation-js and rispy. MANSCPT is a manuscript to all of them, of the kind in M3.
# EndNote: other reference managers follow it. Zotero takes "Dataset" for a book; EndNote knows it.

_TABLE = """
article          | JOUR    | Journal Article        | article-journal    | journalArticle
preprint         | MANSCPT | Unpublished Work       | article            | preprint
conference-paper | CPAPER  | Conference Paper       | paper-conference   | conferencePaper
proceedings      | CONF    | Conference Proceedings | book               | book
book             | BOOK    | Book                   | book               | book
chapter          | CHAP    | Book Section           | chapter            | bookSection
thesis           | THES    | Thesis                 | thesis             | thesis
report           | RPRT    | Report                 | report             | report
dataset          | DATA    | Dataset                | dataset            | dataset
software         | COMP    | Computer Program       | document           | computerProgram
patent           | PAT     | Patent                 | patent             | patent
standard         | STAND   | Standard               | standard           | standard
reference-entry  | ENCYC   | Encyclopedia           | entry-encyclopedia | encyclopediaArticle
journal          | JFULL   | Serial                 | book               | document
map              | MAP     | Map                    | map                | map
score            | MUSIC   | Music                  | musical_score      | document
audio            | SOUND   | Audiovisual Material   | song               | audioRecording
video            | VIDEO   | Film or Broadcast      | motion_picture     | videoRecording
image            | ART     | Artwork                | graphic            | artwork
webpage          | ELEC    | Web Page               | webpage            | webpage
other            | GEN     | Generic                | document           | document
"""


def _words(column: int) -> dict[str, str]:
    rows = (row.split("|") for row in _TABLE.strip().splitlines())
    words = {row[0].strip(): row[column].strip() for row in rows}
    return dict.fromkeys(IN_JOURNALS, words["article"]) | words


#: `Record.type` -> TY of RIS, type of EndNote, of CSL, of Zotero.
RIS_TYPES, ENDNOTE_TYPES, CSL_TYPES, ZOTERO_TYPES = map(_words, range(1, 5))
#: TY of RIS: the inverse of what we write, and what others write. "GEN" and what is not here say
#: nothing.
RIS: Mapping[str, str] = {
    **{code: kind for kind, code in reversed(RIS_TYPES.items()) if code != "GEN"},
    "EJOUR": "article", "EJOU": "article", "INPR": "article", "ABST": "article", "MGZN": "article",
    "NEWS": "article", "EBOOK": "book", "EDBOOK": "book", "SER": "book", "CLSWK": "book",
    "ANCIENT": "book", "ECHAP": "chapter", "UNPB": "preprint", "UNPD": "preprint",
    "GOVDOC": "report", "PAMP": "report", "AGGD": "dataset", "DBASE": "dataset",
    "DICT": "reference-entry", "MPCT": "video", "ADVS": "video", "FIGURE": "image",
    "CHART": "image", "EQUA": "image", "WEB": "webpage", "BLOG": "webpage", "ICOMM": "webpage",
    "BILL": "other", "UNBILL": "other", "CASE": "other", "HEAR": "other", "STAT": "other",
    "LEGAL": "other", "PCOMM": "other", "GRANT": "other", "CTLG": "other", "SLIDE": "other",
}  # fmt: skip

#: Words and phrases as databases write them in a field for the kind of work, in lower case.
WORDS: Mapping[str, str] = {
    "journal article": "article", "article": "article", "journal": "article",
    "magazine article": "article", "newspaper article": "article", "electronic article": "article",
    "article in press": "article", "note": "article", "short survey": "article",
    "case study": "article", "periodical": "article", "data paper": "article",
    "journal, electronic": "article", "research article": "article", "original article": "article",
    "retracted publication": "article", "retracted article": "article", "review": "review",
    "systematic review": "review", "meta-analysis": "review", "review article": "review",
    "editorial": "editorial", "editorial material": "editorial", "letter": "letter",
    "correspondence": "letter", "erratum": "erratum", "correction": "erratum",
    "published erratum": "erratum", "corrigendum": "erratum", "retraction": "retraction",
    "retraction notice": "retraction", "retraction of publication": "retraction",
    "preprint": "preprint", "unpublished work": "preprint", "manuscript": "preprint",
    "working paper": "report", "conference paper": "conference-paper",
    "proceedings paper": "conference-paper", "conference proceedings": "proceedings",
    "conference proceeding": "proceedings", "proceedings": "proceedings",
    "conference abstract": "conference-paper", "meeting abstract": "conference-paper",
    "book": "book", "edited book": "book", "electronic book": "book", "book, edited": "book",
    "book, whole": "book", "monograph": "book", "book section": "chapter",
    "book chapter": "chapter", "book, section": "chapter", "electronic book section": "chapter",
    "chapter": "chapter", "serial": "book", "thesis": "thesis", "dissertation": "thesis",
    "dissertation/thesis": "thesis", "phd thesis": "thesis",
    "dissertation/thesis, unpublished": "thesis", "academic dissertation": "thesis",
    "doctoral thesis": "thesis", "dissertation, academic": "thesis",
    "dissertation abstract": "thesis", "master's thesis": "thesis", "report": "report",
    "technical report": "report", "government document": "report", "dataset": "dataset",
    "data set": "dataset", "computer program": "software", "software": "software",
    "patent": "patent", "granted patent": "patent", "patent application": "patent",
    "standard": "standard", "map": "map", "music": "score", "web page": "webpage",
    "webpage": "webpage", "blog": "webpage", "electronic source": "webpage",
    "online database": "dataset",
    # ERIC
    "journal articles": "article", "books": "book", "reports": "report",
    "dissertations/theses": "thesis", "speeches/meeting papers": "conference-paper",
    "collected works - proceedings": "proceedings", "aggregated database": "dataset",
    "film or broadcast": "video", "audiovisual material": "video", "video": "video",
    "video/ dvd": "video", "video-audio media": "video", "motion picture": "video",
    "sound recording": "audio", "podcast": "audio", "artwork": "image", "figure": "image",
    "chart or table": "image", "encyclopedia": "reference-entry", "dictionary": "reference-entry",
    "dictionary/encyclopedia": "reference-entry", "bill": "other", "case": "other",
    "hearing": "other", "statute": "other", "legal rule or regulation": "other",
    "personal communication": "other", "grant": "other", "catalog": "other",
    "laws/statutes": "other",
}  # fmt: skip

#: Chinese words for kinds of work, and what the names of databases hold:
#: "中国博士学位论文全文数据库".
_CHINESE = (
    ("学位", "thesis"), ("博士", "thesis"), ("硕士", "thesis"), ("会议", "conference-paper"),
    ("期刊", "article"), ("辑刊", "article"), ("报纸", "article"), ("专利", "patent"),
    ("标准", "standard"), ("图书", "book"), ("专著", "book"),
    ("年鉴", "other"), ("成果", "other"), ("法律", "other"), ("报告", "report"),
)  # fmt: skip

# What a work is beyond "an article" counts first: a retraction is an article too. Not so that it
# was read aloud: an "Article; Proceedings Paper" stands in a journal.
_SPECIAL = ("retraction", "erratum", "preprint", "letter", "editorial", "review")
_SEPARATORS = re.compile("[;；|]")
_RETRACTED = re.compile(
    r"\W*retracted(?: (?:publication|article|paper))?\W*(?:$|\d|(?:in|by|on|see)\b)", re.IGNORECASE
)
#: Stands before one of `TYPES` where our writers name a type that a format has no word for.
OWN_MARK = "type: "


def of_words(values: Iterable[str]) -> str | None:
    """The kind of work that the words name, the most special of several; or None."""
    words = [word.strip() for value in values for word in _SEPARATORS.split(value[:2_000])]
    found = [kind for word in words if (kind := WORDS.get(word.lower()) or _chinese(word))]
    return next((kind for kind in _SPECIAL if kind in found), None) or next(iter(found), None)


def says_retracted(values: Iterable[str]) -> bool | None:
    """True where a word says that the work itself was retracted: "Retracted Publication" of PubMed,
    "Retracted" of our own writers, "[Retracted in 2014]" in a note; None where no word does.
    """
    words = (word for value in values for word in _SEPARATORS.split(value[:2_000]))
    return True if any(map(_RETRACTED.match, words)) else None


def own(values: Iterable[str]) -> str | None:
    """The type that one of our own writers has named, with its mark; None for none."""
    named = (value.removeprefix(OWN_MARK) for value in values if value.startswith(OWN_MARK))
    return next((kind for kind in named if kind in TYPES), None)


def _chinese(word: str) -> str | None:
    return None if word.isascii() else next((kind for part, kind in _CHINESE if part in word), None)


def refine(kind: str | None, words: Iterable[str]) -> str | None:
    """A general kind made more special by a second field: "JOUR" that is a "Review".

    The second field may hold anything, so it never turns a book into an article, except with the
    mark of our own writers.
    """
    words = list(words)
    if named := own(words):
        return named
    more = of_words(words)
    if kind is None or more is None:
        return kind or more
    return (
        more
        if kind in ("article", "conference-paper")
        and more in (*_SPECIAL, "conference-paper", "chapter", "thesis")
        else kind
    )


def conference(kind: str | None, *, is_part: bool) -> str | None:
    """Proceedings, or a paper in them: programs use the same word for both."""
    return "conference-paper" if kind == "proceedings" and is_part else kind


# Kinds of work as Zotero, CSL, Crossref and the Web of Science name them, over `worktypes`.

#: Words apart by blanks, in lower case, in the order in which they are written there.
_WORDS: Mapping[str, str] = {
    "article journal": "article", "article magazine": "article", "article newspaper": "article",
    "posted content": "preprint", "paper conference": "conference-paper",
    "proceedings article": "conference-paper", "meeting": "conference-paper",
    "book part": "chapter", "book track": "chapter", "bookset": "book", "reference book": "book",
    "reference entry": "reference-entry", "entry": "reference-entry",
    "entry dictionary": "reference-entry", "entry encyclopedia": "reference-entry",
    "peer review": "review", "encyclopedia article": "reference-entry",
    "dictionary entry": "reference-entry", "review book": "review", "book review": "review",
    "post": "webpage", "post weblog": "webpage", "blog post": "webpage", "forum post": "webpage",
    "song": "audio", "audio recording": "audio", "radio broadcast": "audio",
    "video recording": "video", "film": "video", "tv broadcast": "video", "broadcast": "video",
    "musical score": "score", "graphic": "image", "journal issue": "journal",
    "journal volume": "journal", "presentation": "other", "speech": "other", "document": "other",
    "interview": "other", "email": "other", "letter personal": "other", "instant message": "other",
    "legislation": "other", "treaty": "other",
    # PT of the Web of Science
    "j": "article", "c": "conference-paper", "b": "book", "p": "patent",
}  # fmt: skip
_BLANKS = str.maketrans("-_,", "   ")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def type_of(words: Iterable[str]) -> str | None:
    """The type that the first of these words stands for, that anybody knows; None for none."""
    return next((kind for word in words if (kind := _of_word(word[:200]))), None)


@lru_cache(maxsize=1000)
def _of_word(word: str) -> str | None:
    apart = _CAMEL.sub(" ", word).translate(_BLANKS)
    apart = " ".join(apart.split())
    return of_words([word]) or of_words([apart]) or _WORDS.get(apart.lower())
