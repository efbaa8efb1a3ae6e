"""Strings that name several people: "张三1,2，李 四3，王五等编著" -> 张三, 李四, 王五."""

from __future__ import annotations

import re

from metasearch.bib import unicode_forms
from metasearch.bib.chinese.characters import is_cjk, is_han, simplified
from metasearch.bib.chinese.names import han_names
from metasearch.bib.chinese.surnames import is_surname
from metasearch.bib.names import roles
from metasearch.bib.names.words import ET_AL, HAN_ET_AL

#: A longer text is no list of authors; what is beyond is not read.
_LONGEST = 20_000
_LONGEST_NAME = 200

_LONG_ROLE = "|".join(sorted(roles.CHINESE, key=lambda role: (-len(role), role)))

# Footnote marks behind a name: "1,2", "1a", "*", "^1".
_MARK = r"(?:\d{1,2}[a-h]?|[a-h](?![A-Za-z])|[*＊※†‡△▲#☆★∗])"
_NOTES = re.compile(rf"(?<=[^\x00-\x7f\W])\s*\^?{_MARK}+(?:\s*[,，、]\s*{_MARK}+(?=[\W\d]|$))*\^?")
_BRACKETS = re.compile(r"[\[(（【〔][^\[\](（）)【】〔〕]{0,40}[\])）】〕]")
_REPORTER = re.compile(
    r"^(?:本报|本刊|新华社|人民网|中新社)?(?:特约|实习|驻\S{1,4})?(?:记者|通讯员|评论员|撰稿人|作者)\s*[:：]?\s*(?=\S{2,4}$)"
)
_ROLE_AHEAD = re.compile(rf"(?:{_LONG_ROLE})\s*[:：]\s*")
_ROLE_BEHIND = re.compile(rf"\s*(?:{_LONG_ROLE})$")
_OTHERS = re.compile(rf"\s*(?:{HAN_ET_AL}|{ET_AL}|\.\.\.|…+)\s*$", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\n\t]+")
_HARD = re.compile(r"[;；\n\t|｜]+|\s{1,8}(?:and|&)\s{1,8}|\s/\s", re.IGNORECASE)
_SOFT = re.compile(r"[,，、/]+")


def authors_in(text: str) -> list[str]:
    """The names in a string, in order, without roles, footnote marks, brackets and "等"; [] where
    there are none.

    Names are divided at ; ； , ， 、 and at blanks, where those stand between names and not within
    one ("张 三"). In a Latin name the comma stays ("Smith, John; 张三").
    """
    text = _BLANKS.sub(" ", text[:_LONGEST].translate(_SUPERSCRIPTS))
    pieces: list[str] = []
    for part in _HARD.split(text):
        if any(map(is_cjk, part)):
            pieces += _SOFT.split(_NOTES.sub("，", _at_roles(_BRACKETS.sub(_bracket, part))))
        else:
            pieces.append(part)
    pieces = [unicode_forms.normalize("NFKC", piece).strip(" .。:：") for piece in pieces]
    # Where another has 著 or 编 behind the name, 李四译 is a translator; else 译 may be the name's
    # end.
    translators = any(
        len(piece) > 2 and simplified(piece).endswith(roles.CHINESE_SURE) for piece in pieces
    )
    found: list[str] = []
    for piece in pieces:
        found += _people(_bare(piece, translators), translators)
    return found


_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", "①②③④⑤⑥⑦⑧⑨⑩")


def _bracket(found: re.Match[str]) -> str:
    """A blank for what stands in brackets, not within a body: 中国科学院大学（研究生院）."""
    before, after = (
        found.string[max(0, found.start() - 5) : found.start()],
        found.string[found.end() : found.end() + 1],
    )
    return found.group() if len(before) == 5 and all(map(is_cjk, before + after)) and after else " "


def _at_roles(part: str) -> str:
    """The text with a comma where a role and a colon announce a name: "主编：张三 副主编：李四"."""
    if ":" not in part and "：" not in part:
        return part
    out, end = [], 0
    for role in _ROLE_AHEAD.finditer(simplified(part)):  # as long as the text itself
        out += [part[end : role.start()], "，"]
        end = role.end()
    return "".join([*out, part[end:]])


def _bare(piece: str, translators: bool) -> str:
    """A piece without what is no name; what is too long to be one stays as it is."""
    if len(piece) > _LONGEST_NAME:
        return piece
    for _ in range(3):  # "张三等编著"
        before = piece
        piece = _OTHERS.sub("", piece) if len(piece) > 2 or piece == "等" else piece
        piece = _without_role(piece, translators)
        if announced := _REPORTER.match(simplified(piece)):
            piece = piece[announced.end() :]
        if piece == before:
            break
    return piece.strip()


def _without_role(piece: str, translators: bool) -> str:
    folded = simplified(piece)
    if folded in roles.CHINESE:
        return ""
    behind = _ROLE_BEHIND.search(folded)
    if behind and behind.start() >= 2:
        return piece[: behind.start()]
    last, name = folded[-1:], piece[:-1].rstrip()
    if not name or last not in roles.CHINESE_SHORT:
        return piece
    if name != piece[:-1]:  # a blank stands before it
        return name
    foreign = "·" in name or "." in name
    long_enough = len(name) >= 2 and (
        last in roles.CHINESE_SURE or translators or len(name) > 3 or foreign
    )
    return name if long_enough and is_han(name[-1]) else piece


def _people(piece: str, translators: bool) -> list[str]:
    """Names that blanks divide, where all are Chinese; blanks within a name are taken out of it."""
    words = piece.split()
    if len(words) < 2 or not all(is_han(char) for word in words for char in word):
        return [" ".join(words)] if words else []
    words = [
        bare
        for before, word in zip(["", *words], words, strict=False)
        if not (len(before) > 1 and word in roles.CHINESE_SHORT)
        and (bare := _without_role(word, translators) if len(word) > 2 else word)
    ]
    whole = "".join(words)
    if len(words) == 2 and len(whole) <= 5 and not (han_names(words[0]) and han_names(words[1])):
        return [whole]  # 张 三, 欧阳 修, and in Japan 山田 太郎
    if len(words) == 3 and len(whole) == 3:
        return [whole]
    names: list[str] = []
    family = ""
    for word in words:
        if family and len(word) <= 2:
            names.append(family + word)
            family = ""
        elif len(word) == 1 or (len(word) == 2 and is_surname(word)):
            names += [family] if family else []
            family = word
        else:
            names += [family, word] if family else [word]
            family = ""
    return [*names, family] if family else names
