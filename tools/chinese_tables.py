"""Write metasearch/bib/chinese/variants.txt and pinyin.txt; run again only to take a newer OpenCC
or pinyin-data.

    pip install pypinyin==0.55.0 pypinyin-dict==0.9.0
    python tools/chinese_tables.py OPENCC/data/dictionary

The folder holds OpenCC's dictionaries as text (its source at the tag that HEADER_VARIANTS names).
Why tables and not the libraries themselves: docs/decisions/0007-chinese-tables.md.
"""

from __future__ import annotations

import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

HEADER_VARIANTS = """\
# Characters that are one for comparison: first the one that stands for all, then the others.
# Written by tools/chinese_tables.py; do not edit. Source: TSCharacters, TWVariants, HKVariants and
# JPShinjitaiCharacters of OpenCC 1.4.2, https://github.com/BYVoid/OpenCC, Copyright OpenCC
# contributors, Apache License 2.0 (LICENSE.opencc beside this file). Changed: made to classes of
# equal characters, with the few of tools/chinese_tables.py added.
"""
HEADER_PINYIN = """\
# Syllable without tone, then the characters that are read so; a character may stand in several
# lines. Written by tools/chinese_tables.py; do not edit. Source: kTGHZ2013, kXHC1983 and
# kMandarin_8105 of pypinyin-dict 0.9.0, and for what is in none pypinyin 0.55.0,
# https://github.com/mozillazg/pinyin-data, Copyright (c) 2016 mozillazg, MIT License
# (LICENSE.pinyin-data beside this file).
"""

#: Spellings of one word that dictionaries allow side by side, and old forms, that OpenCC does not
#: join: 粘膜 and 黏膜, 图象 and 图像, 帐户 and 账户, 思惟 and 思维, 柑桔 and 柑橘.
MORE = "粘黏 像象 账帐 唯惟 橘桔 青靑 清淸 侄姪 皙晳 糖醣".split()
#: Of two common characters of one class these stand for both, because the tables of
#: metasearch/chinese hold them.
PREFERRED = frozenset("著沈画")
#: No syllables: interjections and the like.
NOT_SYLLABLES = frozenset({"m", "n", "ng", "hm", "hng", "e^", "ê"})


def main(dictionaries: Path) -> None:
    from pypinyin import Style, pinyin
    from pypinyin_dict.pinyin_data import kmandarin_8105, ktghz2013, kxhc1983

    standard = {chr(code) for code in kmandarin_8105.pinyin_dict}
    classes = variants(dictionaries, standard)
    package = Path(__file__).resolve().parent.parent / "metasearch" / "chinese"
    (package / "variants.txt").write_text(
        HEADER_VARIANTS + "".join(f"{line}\n" for line in classes), encoding="utf-8", newline="\n"
    )
    folded = {c for line in classes for c in line[1:]}
    readings: dict[str, set[str]] = defaultdict(set)
    # No one dictionary has all readings that occur in names: 晟 is cheng in the one and sheng in
    # the other.
    for dictionary in (ktghz2013, kxhc1983, kmandarin_8105):
        for code, values in dictionary.pinyin_dict.items():
            readings[chr(code)].update(toneless(value) for value in values.split(","))
    for char in legacy_characters():
        if char not in readings and char not in folded:
            for values in pinyin(char, style=Style.TONE, errors="ignore"):
                readings[char].update(toneless(value) for value in values)
    lines: dict[str, list[str]] = defaultdict(list)
    for char, syllables in sorted(readings.items()):
        for syllable in syllables - NOT_SYLLABLES:
            lines[syllable].append(char)
    (package / "pinyin.txt").write_text(
        HEADER_PINYIN
        + "".join(f"{syllable} {''.join(chars)}\n" for syllable, chars in sorted(lines.items())),
        encoding="utf-8",
        newline="\n",
    )


def variants(dictionaries: Path, standard: set[str]) -> list[str]:
    """Classes of characters as lines; the first character is a standard one where the class has
    one.
    """
    parent: dict[str, str] = {}

    def root(char: str) -> str:
        while parent.setdefault(char, char) != char:
            char = parent[char]
        return char

    def members(char: str) -> set[str]:
        return {other for other in list(parent) if root(other) == root(char)} | {char}

    for name in ("TSCharacters", "TWVariants", "HKVariants", "JPShinjitaiCharacters"):
        for char, others in read(dictionaries / f"{name}.txt"):
            for other in others:
                # A Japanese form may be another Chinese word: 芸 is an herb in China and stands for
                # 藝 in Japan.
                japanese = name.startswith("JP")
                if (
                    japanese
                    and root(char) != root(other)
                    and members(char) & standard
                    and members(other) & standard
                ):
                    continue
                parent[root(char)] = root(other)
    for line in MORE:
        for other in line[1:]:
            parent[root(other)] = root(line[0])
    groups = defaultdict(list)
    for char in parent:
        groups[root(char)].append(char)
    first_choice = {char: others[0] for char, others in read(dictionaries / "TSCharacters.txt")}
    # The 3,755 characters of GB 2312's first level are the most used ones.
    common = {
        char for char in standard if b"\xb0" <= char.encode("gb2312", "ignore")[:1] <= b"\xd7"
    }
    out = []
    for group in groups.values():
        ordered = sorted(
            group,
            key=lambda c: (
                c not in PREFERRED,
                c not in common,
                c not in standard,
                c in first_choice,
                c,
            ),
        )
        if len(ordered) > 1:
            out.append("".join(ordered))
    return sorted(out)


def read(path: Path) -> Iterator[tuple[str, list[str]]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        char, _, others = line.partition("\t")
        if char and not char.startswith("#"):
            yield char, others.split(" ")


def legacy_characters() -> list[str]:
    """What can be written in GB 2312 or Big5: where names outside the standard list come from."""
    found = []
    for code in range(0x4E00, 0xA000):
        for codec in ("gb2312", "big5"):
            try:
                chr(code).encode(codec)
            except UnicodeEncodeError:
                continue
            found.append(chr(code))
            break
    return found


def toneless(value: str) -> str:
    letters = unicodedata.normalize("NFD", value.strip().lower()).replace("u\u0308", "v")
    return "".join(c for c in letters if not unicodedata.combining(c))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
