"""Where the words of a foreign field are looked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FieldTarget:
    """Where the words of a field of a foreign syntax are looked for.

    Attributes:
        fields: One or more of `metasearch.query.FIELDS`, or "year"; none where no field here holds
            such words.
        loss: What is lost by that, as the end of a sentence that begins with the foreign field;
            "" for nothing.
        heading: The words are a heading of a vocabulary, so they follow one another.
    """

    fields: tuple[str, ...]
    loss: str = ""
    heading: bool = False

    @property
    def of_words(self) -> bool:
        """Whether any words can be looked for there, and not only values of a form or list."""
        return self.fields[0] not in ("year", "type", "language", "doi", "isbn", "issn")
