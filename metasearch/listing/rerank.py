"""How near the meaning of a hit is to the meaning of the query: the extra `rerank`.

WordLlama holds a vector for each of 32,000 pieces of words; the mean of the vectors of a text is
its meaning, and two texts are near where their means have a small angle. The package ships the
vectors, so nothing is downloaded. Only its two files are read: its code is not imported, because on
import it configures the logging of the process, and it downloads where it misses a file. Measured
against other packages: docs/decisions/0032-reranker.md.

This module is imported only where a search asks for it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from metasearch.errors import UsageError
from metasearch.extras import how_to_install, is_installed
from metasearch.message import message
from metasearch.query.ast import Query, terms
from metasearch.record import Hit, Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]

#: Hits whose meaning is compared, of those that are ranked at once.
MOST_HITS = 100
#: Characters of a query, a title and an abstract that are read, and pieces of words of a text.
MOST_QUERY, MOST_TITLE, MOST_ABSTRACT, MOST_PIECES = 1_000, 500, 1_500, 512
#: Fields whose terms have a meaning.
_FIELDS = frozenset({"any", "title", "abstract", "subject"})

#: What the extra installs.
PACKAGES = ("wordllama", "safetensors", "tokenizers")
_VECTORS = "weights/l2_supercat_256.safetensors"
_PIECES = "tokenizers/l2_supercat_tokenizer_config.json"

#: Texts -> a row of length 1 for each; a row of zeros for a text without a known piece.
Embed = Callable[[Sequence[str]], "Vectors"]


def check() -> None:
    """Make sure, before a source is asked, that the extra is installed. Raises UsageError: it is
    not, or its files have moved.
    """
    missing = [name for name in PACKAGES if not is_installed(name)]
    if not missing and all((_folder() / name).is_file() for name in (_VECTORS, _PIECES)):
        return
    what = message("another release of wordllama: the files of this one have moved")
    if missing:
        what = message("what is not installed: {names}", names=", ".join(missing))
    raise UsageError(message("rerank needs {what}", what=what), advice=how_to_install("rerank"))


def nearness(query: Query, hits: Sequence[Hit], embed: Embed | None = None) -> dict[str, float]:
    """How near each hit is to the query: 0 for the farthest of them, 1 for the nearest.

    It does not depend on the order of the hits; a hit takes less than half a millisecond of CPU.
    `hits`: at most `MOST_HITS` are meant. `embed`: None for the vectors of WordLlama, which are
    read once a process. Returns id of a hit -> nearness; {} where the query has no words, or all
    hits are equally near.
    """
    asked = _asked(query)
    if not asked or not hits:
        return {}
    rows = (embed or _wordllama())([asked, *(_text(hit.record) for hit in hits)])
    # Not `rows[1:] @ rows[0]`: BLAS reads past short rows and may warn of an invalid value there.
    # Six digits: sums may differ in the last ones where the texts stand in another order.
    angles = [round(float(value), 6) for value in (rows[1:] * rows[0]).sum(axis=1)]
    least, span = min(angles), max(angles) - min(angles)
    if not span:
        return {}
    return {hit.id: (value - least) / span for hit, value in zip(hits, angles, strict=True)}


def _asked(query: Query) -> str:
    return " ".join(term.text for term in terms(query) if term.field in _FIELDS)[:MOST_QUERY]


def _text(record: Record) -> str:
    title = f"{record.title} {record.subtitle}" if record.subtitle else record.title
    return f"{title[:MOST_TITLE]}\n{(record.abstract or '')[:MOST_ABSTRACT]}"


# --------------------------------------------------------------------------- WordLlama


def _folder() -> Path:
    spec = find_spec("wordllama")  # imports nothing
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent


class _WordLlama:
    """The vectors of the package: a fifth of a second of CPU, some 70 MB of memory."""

    def __init__(self) -> None:
        from safetensors import safe_open
        from tokenizers import Tokenizer

        self._pieces: Any = Tokenizer.from_file(str(_folder() / _PIECES))
        self._pieces.no_padding()
        self._pieces.enable_truncation(MOST_PIECES)
        with safe_open(_folder() / _VECTORS, "np") as file:
            self._vectors = file.get_tensor("embedding.weight")

    def __call__(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        rows = np.zeros((len(texts), self._vectors.shape[1]), np.float32)
        # A lone surrogate cannot be encoded.
        clean = [text.encode("utf-8", "replace").decode("utf-8") for text in texts]
        read = self._pieces.encode_batch_fast(clean, add_special_tokens=False)
        for row, pieces in zip(rows, read, strict=True):
            if pieces.ids:
                row[:] = self._vectors[pieces.ids].mean(axis=0, dtype=np.float32)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(lengths, 1e-9), np.float32)


_LOADING = threading.Lock()
_LOADED: dict[str, _WordLlama] = {}


def _wordllama() -> Embed:
    with _LOADING:
        if "wordllama" not in _LOADED:
            _LOADED["wordllama"] = _WordLlama()
        return _LOADED["wordllama"]
