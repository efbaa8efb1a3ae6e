"""Block hashes: the chunks that two texts share.

Forman, Eshghi and Chiocchetti, "Finding similar files in large document repositories" (KDD 2005,
HPL-2005-42).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, Literal

from metasearch.dedup import because
from metasearch.dedup.fingerprint import Fingerprint
from metasearch.dedup.matcher import verdict
from metasearch.dedup.published.text import passages
from metasearch.dedup.published.text.chunking import content_chunks
from metasearch.dedup.published.text.content import body, encoded, title
from metasearch.dedup.published.text.sets import IN_WORDS, Of, ratio
from metasearch.record import Match, Record

#: Chunks of a record that count.
MOST_CHUNKS = 400


@dataclass(frozen=True)
class BlockHash:
    """The strategy `block-hash`: texts most of whose chunks have equal hashes.

    Zhang and Guo (2014), who measure it as a rival, cut "by sentences" and ask for 80 % of the
    chunk hashes: the defaults. Forman, Eshghi and Chiocchetti cut by content and weigh chunks by
    their bytes, against the shorter file (US patent 7,814,078): `chunks="content", weigh="bytes"`.
    Chunks are hashed as they stand, with MD5; a change of one character changes its chunk.

    Thin input: fewer than `fewest` chunks (our reading), so a title alone.

    Attributes:
        threshold: Share from which on two texts are one. Zhang and Guo: 0.8.
        of: Share of what. Forman et al.: the shorter one.
        weigh: What is counted: "hashes" (Zhang and Guo) or "bytes" (Forman et al.).
        chunks: "sentences", of which the title is one, or "content".
        window: Bytes of the sliding window. Forman et al.: 48.
        divisor: Of the first fingerprint that ends a chunk. This and the next three are Eshghi and
            Tang's (HPL-2005-30) for chunks of about 1,015 bytes, to be scaled together; an abstract
            is one or two such chunks.
        second_divisor: Of the spare one.
        shortest: Bytes of the shortest chunk.
        longest: Bytes of the longest.
        fewest: Chunks that a text must have.
    """

    name: ClassVar[str] = "block-hash"
    exact: ClassVar[bool] = True

    threshold: float = 0.8
    of: Of = "smaller"
    weigh: Literal["hashes", "bytes"] = "hashes"
    chunks: Literal["sentences", "content"] = "sentences"
    window: int = 48
    divisor: int = 540
    second_divisor: int = 270
    shortest: int = 460
    longest: int = 2800
    fewest: int = 2

    def keys(self, fingerprint: Fingerprint) -> Iterable[str]:
        """The hash of every chunk; what hundreds share, as a closing line, is a crowd."""
        return self._hashes(fingerprint)

    def compare(self, a: Fingerprint, b: Fingerprint) -> Match | None:
        """ "same" where the texts share enough chunks."""
        one, other = self._hashes(a), self._hashes(b)
        if not one or not other:
            return None
        common = one.keys() & other.keys()
        if self.weigh == "bytes":
            found = ratio(
                sum(map(one.__getitem__, common)), sum(one.values()), sum(other.values()), self.of
            )
        else:
            found = ratio(len(common), len(one), len(other), self.of)
        if not common or found < self.threshold:
            return None
        equal = because.EQUAL_SENTENCES if self.chunks == "sentences" else because.EQUAL_CHUNKS
        said = equal.format(number=len(common), share=f"{found:.0%}", of=IN_WORDS[self.of])
        return verdict(self.name, "same", found, (said,), a, b)

    def _hashes(self, fingerprint: Fingerprint) -> Mapping[str, int]:
        """Hash -> bytes; empty where there is too little text."""
        found = fingerprint.once((self.name, self.chunks, *self._cut), self._hashed)
        return found if len(found) >= self.fewest else {}

    @property
    def _cut(self) -> tuple[int, ...]:
        if self.chunks == "sentences":
            return ()
        return (self.window, self.divisor, self.second_divisor, self.shortest, self.longest)

    def _hashed(self, record: Record) -> dict[str, int]:
        cut = self._sentences if self.chunks == "sentences" else self._content
        return {
            hashlib.md5(chunk, usedforsecurity=False).hexdigest(): len(chunk)
            for chunk in islice(cut(record), MOST_CHUNKS)
        }

    def _sentences(self, record: Record) -> Iterable[bytes]:
        return (
            encoded(text) for text in (title(record), *passages.sentences(body(record))) if text
        )

    def _content(self, record: Record) -> Iterable[bytes]:
        return content_chunks(
            encoded(f"{title(record)}\n{body(record)}"),
            window=self.window,
            divisor=self.divisor,
            second_divisor=self.second_divisor,
            shortest=self.shortest,
            longest=self.longest,
        )
