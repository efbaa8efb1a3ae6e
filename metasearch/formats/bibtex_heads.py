"""Where an entry of a .bib file begins, however its head is laid out, and what of the file is a
comment.

BibTeX lets blanks and line ends stand between "@", the type, the brace and the key. It has no
comments within entries; biber has: from a "%" outside of a value to the end of the line. To biber,
JabRef and bibtexparser all within the braces of @comment{...} is a comment. BibTeX itself passes
over the word "@comment" alone, and finds entries in the braces; who wrote them there did not mean
that.
"""

from __future__ import annotations

import re

#: Where an entry begins: at the beginning of a line. Over several lines, only with a key, or with a
#: name that "=" follows, so that no text is end_of_comment for an entry.
START = re.compile(
    r"^[ \t]*@(?:[ \t]*[A-Za-z]+[ \t]*[{(]"
    r"|\s{0,50}[A-Za-z]{1,40}\s{0,50}[{(]\s{0,50}[^\s,{}()=\"#%]{0,200}\s{0,50}[,=])",
    re.MULTILINE,
)
_HEAD = re.compile(
    r"[ \t]*@\s{0,50}([A-Za-z]{1,40})\s{0,50}([{(])(\s{0,50})(?=([A-Za-z][\w-]{0,30}\s{0,9}=)?)"
)
#: Entries that have no key.
_KEYLESS = frozenset({"string", "comment", "preamble"})
_MARK = re.compile(r"@\s{0,50}[A-Za-z]{1,40}\s{0,50}[{(]|[{}\"%]")
#: What stands before a comment on its line: nothing, the end or the beginning of something, or a
#: value without delimiters and a blank. "50% of" is text that somebody forgot to delimit.
_BEFORE = re.compile(r"(?:^|[,{}(\"=]|@\s{0,9}[A-Za-z]{0,40}|=\s{0,9}\w{1,60}\s)\s*$")
_POSSIBLE = re.compile(r"%(?<=[\s,{}(\"=]%)")
_ENTRY = re.compile(r"%+\s*@\s*[A-Za-z]+\s*[{(]")
_COMMENT = re.compile(r"@\s{0,50}comment\s{0,50}\{", re.IGNORECASE)
_BRACE = re.compile("[{}]")
_COMMENTED = re.compile(r"@\s{0,50}(?!comment|string|preamble)[a-z]{1,40}\s{0,50}\{", re.IGNORECASE)
#: Characters before a comment that are looked at.
_LOOKED_AT = 200


def without_comments(text: str) -> tuple[str, list[int]]:
    """The text without comments, its lines as they were; and the lines of entries that are
    commented out. In linear time.
    """
    if text[:1] != "%" and _POSSIBLE.search(text) is None:
        return text, []
    out: list[str] = []
    entries: list[int] = []
    #: How many braces are open; how many are where fields stand; whether a value is open in quotes.
    depth, fields, in_quotes = 0, 1, False
    end_of_comment = line_at = 0
    line = 1
    for hit in _MARK.finditer(text):
        at, mark = hit.start(), hit.group()
        if at < end_of_comment:  # in a comment
            continue
        if mark[0] == "@":
            if depth < fields or _begins_line(text, at):
                depth = fields = int(mark[-1] == "{")
                in_quotes = False
            else:
                depth += mark[-1] == "{"
        elif mark == "{":
            depth += 1
        elif mark == "}":
            depth = max(depth - 1, 0)
        elif mark == '"':
            in_quotes = in_quotes != (depth == fields)
        elif depth <= fields and not in_quotes and _is_comment(text, at):
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            if _ENTRY.match(text, at, end):
                line, line_at = line + text.count("\n", line_at, at), at
                entries.append(line)
            out.append(text[end_of_comment:at])
            end_of_comment = end
    return "".join([*out, text[end_of_comment:]]), entries


def without_comment_blocks(text: str) -> tuple[str, list[int]]:
    """The text without each @comment{...} whose braces pair up, its lines as they were; and the
    lines of entries in these. In linear time.
    """
    found = (hit for hit in _COMMENT.finditer(text) if _begins_line(text, hit.start()))
    heads = {hit.end() - 1: hit.start() for hit in found}
    if not heads:
        return text, []
    ends: dict[int, int] = {}
    opened: list[int] = []
    for hit in _BRACE.finditer(text, min(heads)):
        if hit.group() == "{":
            opened.append(hit.start())
        elif opened and (begin := heads.get(opened.pop())) is not None:
            ends[begin] = hit.end()
    out: list[str] = []
    entries: list[int] = []
    at, line = 0, 1
    for begin in sorted(ends):
        if begin < at:  # in another one
            continue
        line += text.count("\n", at, begin)
        out.append(text[at:begin])
        first, at = line, begin
        for hit in _COMMENTED.finditer(text, begin, ends[begin]):
            line += text.count("\n", at, hit.start())
            at = hit.start()
            entries.append(line)
        line += text.count("\n", at, ends[begin])
        at = ends[begin]
        out.append("\n" * (line - first))
    return "".join([*out, text[at:]]), entries


def _begins_line(text: str, at: int) -> bool:
    before = text[max(at - _LOOKED_AT, 0) : at].rstrip(" \t")
    return before[-1:] == "\n" or (not before and at < _LOOKED_AT)


def _is_comment(text: str, at: int) -> bool:
    before = text[max(at - _LOOKED_AT, 0) : at].rpartition("\n")[2]
    return _BEFORE.search(before) is not None


def with_plain_head(piece: str) -> str:
    """An entry whose head is "@type{": the parser takes no blank there. The lines of the fields
    are as they were, and a key that is missing is empty.
    """
    hit = _HEAD.match(piece)
    if hit is None:
        return piece
    kind, brace, _, field = hit.groups()
    lines = "\n" * (hit.group().count("\n"))
    key = "," if field and kind.lower() not in _KEYLESS else ""
    return f"@{kind}{brace}{key}{lines}{piece[hit.end() :]}"
