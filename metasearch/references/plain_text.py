"""A list of references in plain text: where each begins, its identifiers, its fields."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import unescape
from itertools import pairwise
from typing import Any

from metasearch.bib import identifiers
from metasearch.bib.normalise import is_cjk, normalize
from metasearch.formats.latex import decode
from metasearch.references.bylines import begins_with_name
from metasearch.references.fields import fields_of

#: Characters of one reference that are read, and that are kept of one which is longer.
LONGEST, SHOWN = 20_000, 1_000


@dataclass(slots=True)
class Item:
    """A reference as it stands. `line`: where it begins. `key`: its own, "" for none."""

    line: int
    text: str
    key: str = ""


@dataclass(slots=True)
class Items:
    """`unread`: what belongs to no reference, by lines."""

    items: list[Item] = field(default_factory=list)
    unread: list[tuple[int, str]] = field(default_factory=list)


# Where references begin.

_HEADING = re.compile(
    r"(?:#{1,6}\s*)?(?:\\section\*?\{)?[*_]{0,3}(?:\d{1,2}\.?\s+|[IVX]{1,5}\.\s+)?"
    r"(?:references|references cited|list of references|reference list|bibliography|literature"
    r"|literature cited|works cited|cited works|literatur|literaturverzeichnis|références"
    r"|bibliographie|参考文献|參考文獻|引用文献)\s*[:：]?[*_]{0,3}\}?(?:\s*#{1,6})?",
    re.IGNORECASE,
)
_OTHER_HEADING = re.compile(r"#{1,6}\s+\S|\\section|\\appendix|(?:Appendix|附录)\s?[A-Z一二三]?$")
_LABELS = {
    "square": re.compile(r"\s{0,40}[\[［【]\s?(\d{1,5})\s?[\]］】]\.?[\s\u3000]{0,9}"),
    "round": re.compile(r"\s{0,40}[(（](\d{1,5})[)）]\s{0,9}"),
    "half": re.compile(r"\s{0,40}(\d{1,5})[)）]\s{0,9}"),
    "stop": re.compile(r"\s{0,40}(\d{1,5})[.．、](?:\s{1,9}|(?=[^\s\d]))"),
    "bare": re.compile(r"\s{0,40}(\d{1,5})\t\s{0,9}"),
}
_BULLET = re.compile(r"\s{0,40}[-*+•‣·–—]\s{1,9}(?=\S)")
_KEY_LABEL = re.compile(r"\s{0,40}\[([A-Za-z][\w+:.-]{0,40}\d{2,4}[a-z]?)\]\s{1,9}")
#: Numbers that may be left out between two references with a full stop behind the number.
_MOST_LEFT_OUT = 3
#: A word, up to a hyphen between letters; of an address, all.
_FIRST = re.compile(
    r"\s*((?:https?:|doi:|10\.)\S{1,400}|(?:[^\s-]|(?<![^\W\d_])-|-(?![^\W\d_])){1,200}-?)"
)
_BIBITEM = re.compile(
    r"\\bibitem\s{0,9}(?:\[((?:[^\[\]{}]|\{[^{}]{0,200}\}){0,300})\]%?\s{0,9})?\{([^{}]{1,200})\}"
)
_LATEX_ENDS = re.compile(r"\\(?:begin|end)\s?\{thebibliography\}(?:\{[^{}]{0,40}\})?")
#: Columns of text that somebody or a program has wrapped, at most.
_WIDEST = 132
#: Lines that references between blank lines have on the average, at most.
_MOST_LINES = 8
#: How the first line of a reference does not begin.
_GOES_ON = re.compile(
    r"\s*(?:doi\b|https?://|available\b|retrieved\b|accessed\b|in\b|pp?\.|vol\b|no\.|pmid|pmcid|and\b|&|\(|\[[A-Z]|[a-z\d,;:.)\]，；：。）])",
)
_COMPLETE = re.compile(r"(?:[.。．\]）)]|\d|/\S{3,}|[A-Za-z0-9]{6,}/\S*)\s*$")
#: A number alone.
_NUMBER = re.compile(r"\d{1,9}")
_HAS_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")


def items_of(lines: Iterable[tuple[int, str]], *, one_a_line: bool = False) -> Items:
    """The references of a text.

    `lines`: with their numbers; of each so many characters that more than `LONGEST` can be told.
    `one_a_line`: no reference goes over several lines, as paragraphs of Word do not.
    """
    numbered = [
        (number, line.replace("\x00", "").replace("\xa0", " ").rstrip()) for number, line in lines
    ]
    found = Items()
    start, end = _span_of_list(numbered)
    for part in (numbered[: max(0, start - 1)], numbered[end:]):
        found.unread += [(number, line) for number, line in part if line.strip()]
    numbered = numbered[start:end]
    if any("\\bibitem" in line for _, line in numbered):
        _bibitems(numbered, found)
        return found
    kind = _label_kind(numbered)
    if one_a_line:
        groups = _alone_each(numbered, kind)
    else:
        groups = _labelled(numbered, kind, found) if kind else _unlabelled(numbered)
    for group in groups:
        if text := _joined([line for _, line in group]):
            found.items += (Item(group[0][0], work) for work in _works_of(text))
    if all(_NUMBER.fullmatch(item.text) for item in found.items):  # as PubMed exports them
        for item in found.items:
            item.text = f"PMID {item.text}"
    return found


def _works_of(text: str) -> Sequence[str]:
    """The works of a line that holds identifiers alone: those of one kind are of several works,
    others of one.
    """
    for between in (r"[,;，；、|\t]+", r"\s+"):
        parts = [part.strip() for part in re.split(between, text) if part.strip()]
        if len(parts) < 2 or not all(map(_only_identifier, parts)):
            continue
        works = {_identifier(part): part for part in parts}
        kinds = {kind for kind, _ in works}
        if len(kinds) == 1 and kinds.isdisjoint(("isbn", "url", "")):
            return [*works.values()]
    return [text]


def _span_of_list(lines: Sequence[tuple[int, str]]) -> tuple[int, int]:
    """The lines behind the last heading of a list of references, up to a heading of another kind;
    all lines where there is none.
    """
    heads = [
        at
        for at, (_, line) in enumerate(lines)
        if len(line) < 60 and _HEADING.fullmatch(line.strip())
    ]
    start = heads[-1] + 1 if heads else 0
    end = len(lines)
    if heads:
        others = (at for at in range(start, end) if _OTHER_HEADING.match(lines[at][1].strip()[:60]))
        end = next(others, end)
    return start, end


def _label_kind(lines: Sequence[tuple[int, str]]) -> str:
    """How the references are numbered; "" for not at all."""
    first = next((line for _, line in lines if line.strip()), "")
    counts = dict.fromkeys(_LABELS, 0)
    for _, line in lines:
        for kind, label in _LABELS.items():
            counts[kind] += label.match(line) is not None
    for kind, label in _LABELS.items():
        if counts[kind] and label.match(first):
            return kind
    best = max(counts, key=counts.__getitem__)
    return (
        best if counts[best] > 2 and best in ("square", "stop") and _count_up(lines, best) else ""
    )


def _count_up(lines: Sequence[tuple[int, str]], kind: str) -> bool:
    numbers = [int(hit[1]) for _, line in lines if (hit := _LABELS[kind].match(line))]
    return sum(b == a + 1 for a, b in pairwise(numbers)) * 2 > len(numbers)


def is_labelled(line: str) -> bool:
    """Whether a line begins with the number of a reference."""
    return any(label.match(line) for label in _LABELS.values())


def _alone_each(lines: Sequence[tuple[int, str]], kind: str) -> Iterator[list[tuple[int, str]]]:
    for number, line in lines:
        hit = _LABELS[kind].match(line) if kind else _BULLET.match(line)
        yield [(number, line[hit.end() :] if hit else line)]


def _labelled(
    lines: Sequence[tuple[int, str]], kind: str, found: Items
) -> Iterator[list[tuple[int, str]]]:
    group: list[tuple[int, str]] = []
    last, is_apart = 0, True
    for number, line in lines:
        hit = _LABELS[kind].match(line)
        if hit is not None:
            value = int(hit[1])
            is_next = value in (last + 1, 1) or kind in ("square", "bare")
            near = last < value <= last + 1 + _MOST_LEFT_OUT
            if not group or is_next or (near and (is_apart or _COMPLETE.search(group[-1][1]))):
                if group:
                    yield group
                group, last = [], value
                line = line[hit.end() :]
        elif not group and line.strip():
            found.unread.append((number, line))
            continue
        is_apart = not line.strip()
        if not is_apart or hit is not None:
            group.append((number, line))
    if group:
        yield group


def _unlabelled(lines: Sequence[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    block: list[tuple[int, str]] = []
    widest = _wrapped_at([line for _, line in lines])
    blank = sum(not line.strip() for _, line in lines)
    parted = blank * _MOST_LINES > len(lines)
    for number, line in (*lines, (0, "")):
        if line.strip():
            block.append((number, line))
        elif block:
            yield from _references(block, widest, parted=parted)
            block = []


def _wrapped_at(lines: Sequence[str]) -> int:
    """The columns at which lines were wrapped; 0 where each was ended on purpose."""
    widths = sorted(_width(line) for line in lines if line.strip())
    widest = widths[len(widths) * 19 // 20] if widths else 0  # an address may stand out
    pairs = [pair for pair in pairwise(lines) if pair[0].strip() and pair[1].strip()]
    full = sum(_width(before) + _first_width(line) > widest for before, line in pairs)
    return widest if widest <= _WIDEST and full * 4 > len(pairs) else 0


def _references(
    block: Sequence[tuple[int, str]], widest: int, *, parted: bool
) -> Iterator[list[tuple[int, str]]]:
    """The references of lines without a blank one between them."""
    bullets = [_BULLET.match(line) or _KEY_LABEL.match(line) for _, line in block]
    indents = [len(line) - len(line.lstrip()) for _, line in block]
    hanging = max(indents) - min(indents) > 1
    if not any(_HAS_YEAR.search(line) for _, line in block):
        widest = 0  # titles
    group: list[tuple[int, str]] = []
    for (number, line), bullet, indent in zip(block, bullets, indents, strict=True):
        if bullets[0]:
            begins = bullet is not None
        elif hanging:
            begins = indent == indents[0]
        else:
            begins = not group or _begins(group[-1][1], line, group, widest, parted=parted)
        if begins and group:
            yield group
            group = []
        group.append((number, line[bullet.end() :] if bullet else line))
    if group:
        yield group


def _begins(
    before: str, line: str, group: Sequence[tuple[int, str]], widest: int, *, parted: bool
) -> bool:
    """Whether a line is the first of a reference, and not a part of the one before it. `parted`:
    blank lines stand between references.
    """
    if not widest:
        return True
    has_room = _width(before) + _first_width(line) < widest
    if _only_identifier(line) or (len(group) == 1 and _only_identifier(before)):
        return has_room or (len(group) == 1 and _only_identifier(before))
    if has_room and not parted and not _GOES_ON.match(line):
        return True
    if _GOES_ON.match(line) or not _COMPLETE.search(before):
        return False
    return any(_HAS_YEAR.search(text) for _, text in group) and begins_with_name(line.strip())


def _first_width(line: str) -> int:
    """The columns of the first part of a line before which it can be broken."""
    word = _FIRST.match(line)
    return 2 if word and is_cjk(word[1][0]) else _width(word[1]) if word else 0


def _width(line: str) -> int:
    return len(line) if line.isascii() else sum(1 + (char >= "\u2e80") for char in line)


def _joined(lines: Sequence[str]) -> str:
    """One line; a word, a number or an address that was broken at a hyphen or a slash is whole."""
    text, parts = "", []
    for line in lines:
        line = " ".join(line.split())
        if text and line:
            tight = (
                text[-1] in "-/‐"
                and not text.endswith((" -", " /"))
                and not line.startswith(("(", "["))
            )
            tight = tight or (is_cjk(text[-1]) and is_cjk(line[0]))
            parts.append("" if tight else " ")
        parts.append(line)
        text = line or text
    return "".join(parts).strip()


def _bibitems(lines: Sequence[tuple[int, str]], found: Items) -> None:
    """The items of LaTeX's environment thebibliography."""
    group: list[str] = []
    key, start = "", 0
    first = lines[0][0] if lines else 0
    for number, line in (*lines, (0, "\\bibitem{end}")):
        line = _LATEX_ENDS.sub(" ", line)
        at = 0
        for hit in _BIBITEM.finditer(line):
            group.append(line[at : hit.start()])
            if key:
                text = _joined(group).replace("\\newblock", " ")
                found.items.append(Item(start, decode(text[: LONGEST + 1]).strip(), key))
            elif rest := " ".join("".join(group).split()):
                found.unread.append((first or number, rest))
            group, key, start, at = [], hit[2].strip(), number, hit.end()
        if number:
            group.append(line[at:])


# Identifiers.

_TAIL = r"[^\s\"<>，。；、（）【】\u3400-\u9fff]"
#: Of a SICI, which old DOIs hold: 10.1002/(SICI)1097-0258(199808)17:15<1661::AID-SIM968>3.0.CO;2-2
_SICI = r"<\d{1,6}:[^\s<>\"]{1,60}>"
_DOI = re.compile(
    rf"(?:\bdoi\s?[:：]?\s?|\bdoi\.org/)?(?:https?://(?:[a-z]{{1,20}}\.)?(?:dx\.)?doi\.org/\s?)?(?:doi\s?[:：]\s?)?"
    rf"(?<![\d.])(10\.\d{{4,9}}(?:\.\d{{1,9}}){{0,9}}/(?:{_TAIL}|{_SICI}){{1,400}})",
    re.IGNORECASE,
)
_URL = re.compile(
    rf"(?:<|\\url\{{)?(https?://{_TAIL}{{1,2000}})[>}}]?|\bwww\.{_TAIL}{{3,500}}", re.IGNORECASE
)
_ARXIV = re.compile(
    r"(?:arXiv\s?(?:preprint|e-?prints?)?,?\s?)?\barXiv[:\s]\s?(\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[A-Z]{2})?/\d{7})(v\d{1,3})?"
    r"(?:\s?\[[\w.-]{2,20}\])?",
    re.IGNORECASE,
)
_PMID = re.compile(r"\b(?:PMID|PubMed(?: ID)?)\s?[:：]?\s?(\d{1,9})\b", re.IGNORECASE)
_PMCID = re.compile(r"(?:\bPMCID\s?[:：]?\s?)?\b(PMC\d{1,9})\b", re.IGNORECASE)
_ISBN = re.compile(
    r"\bISBN(?:-1[03])?\s?[:：]?\s?((?:97[89][- ]?)?(?:\d[- ]?){9}[\dXx])(?!\d)", re.IGNORECASE
)
_SEEN = re.compile(
    r"[\[［]\s?\d{4}-\d{1,2}-\d{1,2}\s?[\]］]|[\[［(（]\s?(?:(?:cited|accessed|引用日期)[:：]?\s[^\[\]()（）]{1,40})\s?[\]］)）]"
    r"|(?:\bretrieved|\b(?:last )?accessed)(?:\son)?:?\s[^.;()]{0,30}\d{4},?(?:\s?from)?[.:]?"
    r"|(?:\[online\]\.?\s?)?\bavailable(?:\sat|\sfrom|\sonline)?\s?[:：]|\bretrieved\sfrom\s?[:：]?"
    r"|\baccessed:\s\w{3,9}\.?\s\d{1,2},\s\d{4}\.?",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"[(（\[［][\s,;:.]*[)）\]］]|(?<=\s)doi\s?[:：]?\s?(?=[.\s]|$)", re.IGNORECASE)
_IN_MARKDOWN = re.compile(r"\[([^\[\]]{1,1000})\]\((https?://[^\s()]{1,1000})\)")
_EMPHASIS = re.compile(
    r"(?<![\w*])(\*{1,3})(?=[^\s*])([^*]{1,600})(?<=[^\s*])\1(?![\w*])|(?<![\w/])_(?=\S)([^_]{1,600})(?<=\S)_(?![\w/])"
)
_ALONE = re.compile(
    r"(?:https?://(?:api\.)?openalex\.org/(?:works/)?|openalex:\s?)?(?P<openalex>W\d{2,12})"
    r"|(?:https?://(?:www\.)?ncbi\.nlm\.nih\.gov/pubmed/|https?://pubmed\.ncbi\.nlm\.nih\.gov/)(?P<pmid>\d{1,9})/?"
    r"|https?://(?:www\.|pmc\.)?ncbi\.nlm\.nih\.gov/(?:pmc/)?articles/(?P<pmcid>PMC\d{1,9})/?"
    r"|(?:https?://arxiv\.org/(?:abs|pdf)/)?(?P<arxiv>\d{4}\.\d{4,5}|[a-z-]{2,20}(?:\.[a-z]{2})?/\d{7})(?:v\d{1,3})?(?:\.pdf)?"
    r"|(?:https?://(?:www\.)?semanticscholar\.org/paper/(?:[^\s/]{1,300}/)?|s2:\s?)?(?P<s2>[0-9a-f]{40})/?"
    r"|(?:https?://api\.semanticscholar\.org/)?CorpusID:\s?(?P<corpusid>\d{1,12})"
    r"|(?:ISBN(?:-1[03])?\s?[:：]?\s?)?(?P<isbn>(?:97[89][- ]?)?(?:\d[- ]?){9}[\dXx])",
    re.IGNORECASE,
)


def _only_identifier(line: str) -> bool:
    line = line.strip()
    if len(line) > 500 or not line:
        return False
    if _ALONE.fullmatch(line):
        return True
    rest, fields = _without_identifiers(line)
    return bool(fields) and not any(map(str.isalnum, rest))


def _identifier(line: str) -> tuple[str, str]:
    """What a line is that holds an identifier alone, and its value; empty if it is none."""
    fields, _, _ = parse(line)
    found = {**fields.pop("ids", {}), **fields}
    return next(((kind, str(value)) for kind, value in found.items()), ("", ""))


def parse(text: str) -> tuple[dict[str, Any], bool, str]:
    """The fields of `Record` that a reference without its number has, whether its authors are all,
    and what is not certain.
    """
    if len(text) > LONGEST:
        return {}, True, f"it has more than {LONGEST:,} characters; nothing of it was read"
    text = normalize("NFC", unescape(text))
    text = _IN_MARKDOWN.sub(r"\1 \2", text)
    text = _EMPHASIS.sub(lambda hit: hit[2] or hit[3], text)
    if (alone := _ALONE.fullmatch(text.strip(" .;,"))) and (found := _alone(alone)):
        return found, True, ""
    rest, fields = _without_identifiers(text)
    if not any(map(str.isalnum, rest)):
        return fields, True, "" if fields else "it holds neither words nor an identifier"
    draft = fields_of(rest)
    if not any(map(str.isalpha, rest)) and not fields:
        return {}, True, "it holds neither words nor an identifier"
    ids = {**draft.fields.pop("ids", {}), **fields.pop("ids", {})}
    fields = draft.fields | fields | ({"ids": ids} if ids else {})
    return fields, draft.all_authors, draft.problem


def _alone(hit: re.Match[str]) -> dict[str, Any]:
    scheme = hit.lastgroup or ""
    value = hit[scheme]
    if scheme == "isbn":
        isbn = identifiers.isbn(value)
        return {"isbn": (isbn,)} if isbn else {}
    return {"ids": {scheme: value.lower() if scheme in ("arxiv", "s2") else value.upper()}}


def _without_identifiers(text: str) -> tuple[str, dict[str, Any]]:
    """The text without identifiers, addresses and days on which they were seen; and those."""
    fields: dict[str, Any] = {}
    ids: dict[str, str] = {}

    def take_doi(hit: re.Match[str]) -> str:
        doi = identifiers.doi(hit[1])
        if doi is None:
            return hit[0]
        fields.setdefault("doi", doi)
        return hit[1][len(doi) :].lstrip("/") if hit[1][len(doi) :].strip(".,;") else " "

    def take_url(hit: re.Match[str]) -> str:
        address = (hit[1] or f"https://{hit[0]}").rstrip(".,;)]}>")
        if alone := _ALONE.fullmatch(address):
            found = _alone(alone)
            ids.update(found.get("ids", {}))
        elif url := identifiers.web_url(address):
            fields.setdefault("url", url)
        return " "

    def take(scheme: str) -> Any:
        def one(hit: re.Match[str]) -> str:
            ids.setdefault(scheme, hit[1].lower() if scheme == "arxiv" else hit[1].upper())
            in_brackets = hit.string[: hit.start()].rstrip()[-1:] in ("", "(", "（", "[")
            return " " if scheme != "arxiv" or in_brackets else " arXiv "

        return one

    def take_isbn(hit: re.Match[str]) -> str:
        isbn = identifiers.isbn(hit[1])
        if isbn is None:
            return hit[0]
        fields["isbn"] = (*fields.get("isbn", ()), isbn)
        return " "

    text = _DOI.sub(take_doi, text)
    text = _URL.sub(take_url, text)
    text = _ARXIV.sub(take("arxiv"), text)
    text = _PMID.sub(take("pmid"), text)
    text = _PMCID.sub(take("pmcid"), text)
    text = _ISBN.sub(take_isbn, text)
    text = _SEEN.sub(" ", text)
    text = _EMPTY.sub(" ", text)
    if ids:
        fields["ids"] = ids
    text = re.sub(r"\s+([,.;，。；])", r"\1", " ".join(text.split()))
    return re.sub(r"[\s,;:，；：]+$", "", re.sub(r"(?:[.,;]\s?){2,}$", ".", text)), fields
