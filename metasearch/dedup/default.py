"""The chain that searches use by default."""

from __future__ import annotations

from metasearch.dedup.matcher import Chain
from metasearch.dedup.matchers.exact import DoiHash, FourTuple, Identifiers, Standards, Url
from metasearch.dedup.matchers.fields import Fields
from metasearch.dedup.matchers.text import Text
from metasearch.dedup.matchers.vetoes import Vetoes

#: URL, DOI hash, other identifiers, numbers of standards, SHA-1 of the four-tuple, fields, text;
#: over all, the vetoes.
DEFAULT = Chain(
    (Url(), DoiHash(), Identifiers(), Standards(), FourTuple(), Fields(), Text()), (Vetoes(),)
)
