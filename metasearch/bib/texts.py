"""Text for people: what a selector found as strings, without markup; whether it says anything; and
the converters of titles, abstracts, keywords, the language's name (see converters.py).
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from html.entities import html5
from itertools import product
from pathlib import Path
from typing import Any

from metasearch.bib.field_limits import LIMITS, MOST_FOUND
from metasearch.bib.languages import codes_in, language_code
from metasearch.bib.word_list import read_sections
from metasearch.late_pattern import late_pattern

#: A converter of converters.py: takes what a selector found, returns the value of a record's field,
#: or None. One that takes the record's node itself is given `Cuts` as well.
Converter = Callable[..., Any]


def strings(found: Any) -> list[str]:
    """Every string in what was found, in order, without the empty ones; numbers become text."""
    if isinstance(found, str):
        return [found] if found and not found.isspace() else []
    if found is None or found is False or found is True:
        return []
    if isinstance(found, (list, tuple)):
        out: list[str] = []
        for item in found:
            if type(item) is str:
                if item and not item.isspace():
                    out.append(item)
            else:
                out += strings(item)
        return out
    if isinstance(found, (int, float)):
        return [str(found)]
    if isinstance(
        found, dict
    ):  # "one or many" sources write {"text": "..."} or {"@value": "..."} for a string
        for name in ("text", "#text", "@value", "$", "value", "name"):
            if isinstance(found.get(name), str):
                return strings(found[name])
    return []


def first(found: Any) -> str | None:
    if isinstance(found, str):
        return found if found and not found.isspace() else None
    if type(found) is list and found:
        head = found[0]
        if type(head) is str and head and not head.isspace():
            return head
    return next(iter(strings(found)), None)


# Plain text for people: without markup, entities, control characters and needless white space.

_TAG = re.compile(r"</?([a-zA-Z][\w:.-]*)(?:\s[^<>]*)?/?>")
_BLOCKS = frozenset(
    "p div br title sec section li ul ol h1 h2 h3 h4 h5 h6 tr td th table hr label abstract "
    "abstracttext".split()
)
# A "<" that opens none of these is mathematics: "for n<m and m>k". Namespaced and hyphenated names
# are JATS or MathML.
_ELEMENTS = _BLOCKS | frozenset(
    "a abbr annotation article b bdi bdo big blockquote body bold break caption center cite code "
    "dd del dfn dl dt em figure fn font footer graphic h head header html i img inf ins italic kbd "
    "kwd label link list main mark math media mfenced mfrac mi mn mo mover mpadded mphantom mroot "
    "mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover nav "
    "object overline paragraph pre q roman s samp sans sc scp semantics small span strike strong "
    "sub subtitle sup svg tbody tex thead title tt u ul underline uri var wbr xref".split()
)
_UNWANTED = late_pattern(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)

#: Characters from which on a text of ASCII is looked at as bytes: `isprintable` takes four times as
#: long for an abstract.
_LONG = 50
_PRINTABLE_ASCII = bytes(range(0x20, 0x7F))


def is_printable(value: str) -> bool:
    """`str.isprintable`, for less."""
    if len(value) > _LONG and value.isascii():
        return not value.encode().translate(None, _PRINTABLE_ASCII)
    return value.isprintable()


def plain(value: str) -> str:
    """Text for people: control characters and surrogates gone, white space single, ends trimmed."""
    if not is_printable(value):
        value = value.replace("\n", " ").replace("\r", " ").replace("\t", " ")
        if not value.isprintable():  # few strings: no other blank than " " is printable
            value = _UNWANTED.sub("", value).replace("\ufeff", " ").replace("\u200b", " ")
            return " ".join(value.split())
    return " ".join(value.split()) if "  " in value else value.strip()


def without_markup(value: str) -> str:
    """Plain text of a string that may hold HTML, JATS or MathML tags and (doubly) escaped entities.

    Block elements become blanks, inline elements vanish without one ("CO<sub>2</sub>" -> "CO2"),
    and a "<" that opens no tag stays ("p < 0.05", "n<m and m>k"). A formula that is given in TeX
    too is read once.
    """
    if "&" in value:
        once = _unescape(value)
        value = _unescape(once) if "&" in once and once != value else once
    if "<" in value:
        if "!" in value and "<!" in value:  # one character is found in a tenth of the time
            value = _cut(value, "<!--", "-->").replace("<![CDATA[", "").replace("]]>", "")
        if "math" in value:
            for name in ("annotation", "mml:annotation", "tex-math", "jats:tex-math"):
                if f"<{name}" in value and (
                    name.endswith("annotation") or "<mml:math" in value or "<math" in value
                ):
                    value = _cut(value, f"<{name}", f"</{name}>")
        value = _TAG.sub(_tag, value)
    return plain(value)


# No character has a number of so many digits, and Python refuses to read more than some thousand.
_ENDLESS_NUMBER = late_pattern(r"&#(?=[xX]?[0-9a-fA-F]{12})[xX]?[0-9a-fA-F]+;?")


# "&EACUTE;": what becomes of an entity where a title was set in capitals. No name in html5 has more
# letters than 31.
_CAPITAL_ENTITY = late_pattern(r"&([A-Z]{2,31});")


def _unescape(value: str) -> str:
    value = html.unescape(_ENDLESS_NUMBER.sub("\ufffd", value) if "&#" in value else value)
    return _CAPITAL_ENTITY.sub(_capital_entity, value) if "&" in value else value


def _capital_entity(match: re.Match[str]) -> str:
    """The character of an entity in capitals: a capital where it is a letter; else unchanged."""
    name = f"{match[1].lower()};"
    found = html5.get(name)
    if found is None:
        return match.group()
    return (html5.get(name.capitalize()) or found.upper()) if found.isalpha() else found


def _tag(match: re.Match[str]) -> str:
    name = match.group(1).lower()
    local = name.rpartition(":")[2]
    if local in _BLOCKS:
        return " "
    return "" if local in _ELEMENTS or local != name or "-" in name else match.group()


def _cut(value: str, start: str, end: str) -> str:
    """The text without what stands between `start` and `end`, in linear time, where closed."""
    before, *pieces = value.split(start)
    out = [before]
    for piece in pieces:
        _, closed, after = piece.partition(end)
        out.append(after if closed else start + piece)
    return "".join(out)


def plain_text(value: str) -> str:
    """`without_markup`, of which nearly all texts need nothing."""
    if "<" in value or "&" in value or "  " in value or not is_printable(value):
        return without_markup(value)
    return value.strip()


def text(found: Any) -> str | None:
    """Plain text of the first string, markup removed."""
    value = found if type(found) is str else first(found)
    return (plain_text(value) or None) if value else None


def joined(found: Any) -> str | None:
    """Plain text of all strings, joined by blanks: a structured abstract, for instance."""
    values = [plain_text(v) for v in strings(found)]
    return " ".join(v for v in values if v) or None


def commas(found: Any) -> str | None:
    """Plain text of all strings, joined by ", "."""
    values = [plain_text(v) for v in strings(found)]
    return ", ".join(v for v in values if v) or None


def plain_text_list(found: Any, most: int) -> tuple[str, ...] | None:
    """`text_list` of a list of texts which that only strips, where they and their number amount to
    `most` at most; None of all else, and where nothing is left.
    """
    if type(found) is not list:
        return None
    try:
        value = "".join(found)  # one look at all of them
    except TypeError:
        return None
    if "<" in value or "&" in value or "  " in value or len(value) + len(found) > most:
        return None
    if not is_printable(value):
        return None
    texts = dict.fromkeys(map(str.strip, found))
    texts.pop("", None)
    return tuple(texts) or None


def text_list(found: Any) -> tuple[str, ...]:
    """Plain text of each string, each once."""
    texts = plain_text_list(found, MOST_FOUND)
    if texts is not None:
        return texts
    return tuple(dict.fromkeys([v for s in strings(found) if (v := plain_text(s))]))


def split_list(found: Any) -> tuple[str, ...]:
    """Like `text_list`, for sources that put several values in one string, apart by ";" or "|"."""
    return text_list([part for value in strings(found) for part in re.split(r"[;|]", value)])


def words(found: Any) -> tuple[str, ...]:
    """The words of all strings, each once: a list of codes apart by blanks."""
    return text_list([word for value in strings(found) for word in value.split()])


# A heading, and not the first word of a sentence such as "Abstract machines are": a mark or a
# capital follows. Where the tag between them was dropped at the source, they are one word:
# "AbstractWe studied", "ABSTRACTThe".
_ABSTRACT_HEAD = re.compile(
    r"(?i:abstract|summary|résumé|resumen|resumo|zusammenfassung|аннотация|摘要)"
    r"(?:\s*[:.：]\s*(?=\S)|(?<=[A-ZТЯ])\s+(?=\S)|\s+(?=[^\W\d_a-zà-öø-ÿ]))"
    r"|(?:Abstract|ABSTRACT)(?=[A-Z])(?!S\b)"
    # Aggregators say whose or in which language it is: "MEDLINE Abstract: We", "Publisher's
    # Summary: We", "[English Abstract] We". Capitals, and the colon or brackets, tell this from a
    # sentence.
    r"|(?:[A-Z][\w'’.-]{0,19} ){0,3}(?:Abstract|ABSTRACT|Summary|SUMMARY)(?: in [A-Z]\w{0,19})? "
    r"?[:：]\s*(?=\S)"
    r"|\[(?:[A-Z][\w'’.-]{0,19} ){0,3}(?:Abstract|ABSTRACT|Summary|SUMMARY)(?: in "
    r"[A-Z]\w{0,19})?\][:.]?\s*(?=\S)"
)


_PARAGRAPH, _PARAGRAPH_ENDS = "<jats:p>", "</jats:p>"


def abstract(found: Any) -> str | None:
    """All strings as one plain text, without a leading "Abstract" or "MEDLINE Abstract:"."""
    if isinstance(found, str):
        if found.startswith(_PARAGRAPH) and found.endswith(_PARAGRAPH_ENDS):
            inside = found[len(_PARAGRAPH) : -len(_PARAGRAPH_ENDS)]
            if not ("<" in inside or "&" in inside):  # as nearly all of Crossref: one paragraph
                found = inside
        value = text(found)
    else:
        value = joined(found)
    head = _ABSTRACT_HEAD.match(value) if value else None
    return value[head.end() :] if value and head else value


#: Words of one letter, with the blanks between them, that are more than an abstract keeps.
_MOST_PLACES = LIMITS["abstract"].text


def inverted_index(found: Any) -> str | None:
    """The text of OpenAlex's {word: [positions]}; None where it is absent or not of that form."""
    if not isinstance(found, dict):
        return None
    placed: dict[int, str] = {}
    for word, positions in found.items():
        if isinstance(positions, list):
            for position in positions[:_MOST_PLACES]:
                if isinstance(position, int):
                    placed[position] = word
        if len(placed) > _MOST_PLACES:  # a longer text is cut
            break
    return abstract(" ".join([placed[position] for position in sorted(placed)]))


def no_final_stop(found: Any) -> str | None:
    """Plain text without the full stop that some databases put behind every title."""
    value = text(found)
    if value and value.endswith(".") and not value.endswith(("..", "etc.")):
        return value[:-1].rstrip() or None
    return value


#: What PubMed writes where a publisher gave a section no heading.
_NO_LABELS = frozenset({"UNASSIGNED", "UNLABELLED"})


def labelled(found: Any) -> str | None:
    """Plain text of XML elements that may have a heading in `@Label` (PubMed's abstracts)."""
    parts = []
    for element in found:
        value = without_markup("".join(element.itertext())[: LIMITS["abstract"].before_conversion])
        label = plain(element.get("Label") or "").rstrip(" :")
        if value:
            parts.append(f"{label}: {value}" if label and label not in _NO_LABELS else value)
    return abstract(" ".join(parts))


def mesh_headings(found: Any) -> tuple[str, ...]:
    """PubMed's subject headings, with their qualifiers as MEDLINE prints them: "Kites/adverse
    effects".
    """
    headings = (
        "/".join(
            plain("".join(part.itertext())[: LIMITS["subjects"].before_conversion])
            for part in heading
        )
        for heading in found
    )
    return tuple(dict.fromkeys(filter(None, headings)))


#: Ovid's qualifiers: "Kites/ae [Adverse Effects]".
_QUALIFIER = late_pattern(r"/[a-z]{2} \[([^\[\]]{1,100})\]")


def mesh_heading(printed: str) -> str:
    """A heading without the stars of those of most weight, and with its qualifiers as MEDLINE
    prints them: "Kites/*adverse effects" and "*Kites/ae [Adverse Effects]" are "Kites/adverse
    effects".
    """
    plain_heading = printed.replace("/*", "/").lstrip("*")
    return _QUALIFIER.sub(lambda hit: f"/{hit[1].lower()}", plain_heading)


def bracketed(found: Any) -> str | None:
    """PubMed's translated titles: "[Title]." -> "Title"."""
    value = no_final_stop(found)
    if value and value.startswith("[") and value.endswith("]") and "[" not in value[1:]:
        return value[1:-1].rstrip(".").strip() or None
    return value


@lru_cache(maxsize=1_000)
def _language(word: str) -> str | None:
    word = (
        word.strip().lower().rpartition("/")[2]
    )  # "/languages/eng", "http://id.loc.gov/vocabulary/iso639-2/eng"
    word = next(iter(codes_in(word)), word)
    if (
        len(word) < 2
        or "|" in word
        or "#" in word
        or word in ("und", "zxx", "mul", "un", "unknown", "n/a", "mis")
    ):
        return None
    return language_code(word) or word


def language(found: Any) -> str | None:
    """ISO 639-1 where it is known, else the source's word in lower case; "und" is None."""
    value = found if type(found) is str else first(found)
    return _language(value) if value else None


def sole_language(found: Any) -> str | None:
    """`language` of a list about something larger, as a journal: several tell nothing of a work."""
    values = {language(value) for value in strings(found)}
    return values.pop() if len(values) == 1 else None


#: What databases write where they mean yes.
_YES = frozenset({"true", "yes", "y", "t", "1", "retracted"})


def true_or_none(found: Any) -> bool | None:
    """True where the source says so: `true`, 1, "Y", "true"; else None: silence denies nothing."""
    if found is True:
        return True
    values = (
        [str(value) for value in found if value is not None]
        if isinstance(found, list)
        else strings(found)
    )
    return True if any(value.strip().casefold() in _YES for value in values) else None


#: Words of sources -> `metasearch.record.OPEN_ACCESS`.
_OPEN_ACCESS = {
    "gold": "gold", "diamond": "diamond", "platinum": "diamond", "hybrid": "hybrid",
    "bronze": "bronze", "green": "green", "open": "open", "open access": "open",
    "openaccess": "open", "free": "open", "public": "open", "true": "open", "yes": "open",
    "y": "open", "t": "open", "1": "open", "open_access": "open", "oa": "open",
    "info:eu-repo/semantics/openaccess": "open", "http://purl.org/coar/access_right/c_abf2": "open",
    "closed": "closed", "closed access": "closed", "closedaccess": "closed", "false": "closed",
    "no": "closed", "n": "closed", "f": "closed", "restricted": "closed",
    "restricted access": "closed", "embargoed": "closed", "metadata only access": "closed",
    "locked": "closed", "info:eu-repo/semantics/closedaccess": "closed",
    "info:eu-repo/semantics/restrictedaccess": "closed",
    "info:eu-repo/semantics/embargoedaccess": "closed",
}  # fmt: skip


def open_access(found: Any) -> str | None:
    """One of `metasearch.record.OPEN_ACCESS`, the most telling of several words of databases."""
    if isinstance(found, bool):
        return "open" if found else "closed"
    values = (
        [str(value) for value in found if value is not None]
        if isinstance(found, list)
        else strings(found)
    )
    known = [colour for value in values if (colour := _OPEN_ACCESS.get(value.strip().casefold()))]
    return min(known, key=lambda colour: (colour == "closed", colour == "open")) if known else None


# Words that stand in a field where nothing is known: "[No abstract available]", "s.n.", 佚名. They
# say nothing of a work, so no record keeps them, and no two records are compared by them. What
# counts is the whole field: a text that only begins so is a text.

#: What programs write for nothing in a field of any kind, as they write it: "Na" is a name.
NOTHING_ANYWHERE = frozenset(
    (
        *"NA N/A n/a N.A. nan NaN null NULL undefined None".split(),
        "[Not Available].",
        "[Not Available]",
    )
)
#: Characters of a field that may be such words; all longer ones are texts.
LONGEST_NOTHING = 100
#: Fields that have such words: sections of `words_for_nothing.txt`, and of those with another
#: section in the place of "{}".
_SECTIONS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "abstract": (("any", ""), ("no abstract", "abstract")),
    "publisher": (("any", ""), ("no publisher", ""), ("unnamed", "publisher")),
    "place": (("any", ""), ("no place", ""), ("unnamed", "place")),
    "authors": (("authors", ""),),
    "title": (("title", ""),),
    "year": (("year", ""),),
}


@lru_cache(maxsize=len(_SECTIONS))  # each is made when it is first needed: few programs need all
def words_for_nothing(field: str) -> frozenset[str]:
    """The words for nothing of a field, in small letters."""
    return frozenset(
        form.replace("{}", noun)
        for section, nouns in _SECTIONS[field]
        for form, noun in product(_forms(section), _forms(nouns) if nouns else ("",))
    )


def _forms(section: str) -> list[str]:
    forms = " ".join(_words_for_nothing()[section]).split("/")
    return [form for part in forms if (form := part.strip())]


@lru_cache(maxsize=1)
def _words_for_nothing() -> Mapping[str, list[str]]:
    return read_sections(Path(__file__).with_name("words_for_nothing.txt"))


#: Fields of a record that are one text and may hold such words; people are looked at name by name.
FIELDS_OF_NOTHING = frozenset({"title", "abstract", "publisher", "place"})
#: Years that stand for none.
NO_YEARS = frozenset({0, 9999})
_MARKS = late_pattern(r"[\W_]+")
_BETWEEN = late_pattern(r"[:;,/]")
#: What stands around the words: "An abstract is not available for this article."
_BEFORE = late_pattern(r"(?:sorry |(?:this|the) \w{1,12} (?=has |does )|an |the )")
_BEHIND = late_pattern(
    r" (?:for|of|in|from|on|with) (?:(?:this|the) \w{1,15}(?: \w{1,15})?|publisher|author|source)$"
)


def says_nothing(field: str, value: str) -> bool:
    """Whether a field of a record holds no more than words for nothing.

    `field`: one of `FIELDS_OF_NOTHING`, "authors" for a name, or "year" for what should be one.
    `value`: without markup.
    """
    return len(value) <= LONGEST_NOTHING and _says_nothing(field, value)


@lru_cache(maxsize=1)
def starts_of_nobody(length: int) -> frozenset[str]:
    """The first letters of all words for nothing that stand in the place of a name."""
    return frozenset(
        word[:length] for word in words_for_nothing("authors") | set(map(_bare, NOTHING_ANYWHERE))
    )


@lru_cache(maxsize=2_000)
def _says_nothing(field: str, value: str) -> bool:
    if value in NOTHING_ANYWHERE and field != "title":  # "NA" is a title
        return True
    words, bare = words_for_nothing(field), _bare(value)
    if bare in words:
        return True
    if field == "abstract":
        return not bare or _BEHIND.sub("", _BEFORE.sub("", bare, count=1)) in words
    if field not in ("publisher", "place"):
        return False
    parts = [_bare(part) for part in _BETWEEN.split(value)]  # "[S.l. : s.n., n.d.]"
    return all(not part or part in _imprint() for part in parts)


def _bare(value: str) -> str:
    return _MARKS.sub(" ", value.casefold()).strip()


@lru_cache(maxsize=1)
def _imprint() -> frozenset[str]:
    return words_for_nothing("publisher") | words_for_nothing("place") | words_for_nothing("year")


def without_placeholder(field: str, value: str | None) -> str:
    """The text of a field, "" where it says nothing: for records that were kept before these words
    were known.
    """
    return "" if not value or says_nothing(field, value) else value
