"""What a field is to hold: words, phrases, signs for letters, years, types, languages."""

from __future__ import annotations

import re
from functools import partial

from metasearch.message import message
from metasearch.query.ast import IDENTIFIERS, Query, Term, Years, conjunction
from metasearch.query.databases.scanner import TextScanner
from metasearch.query.databases.values import language_named, type_named, years_in
from metasearch.query.field_targets import FieldTarget
from metasearch.query.identifiers import identifier_field
from metasearch.query.trees import in_fields, truncatable, words
from metasearch.query.years import BadYears

#: "Smith J*": any names that begin so, which an initial says anyway.
_INITIAL = re.compile(r"(?<!\S)([^\W\d_])\*(?!\S)")


class TermReader(TextScanner):
    """Turns the value of a field into the part of the tree that asks for it."""

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Query | None:
        """What a field is to hold. `tag`: where they are looked for. `where`: where they stand."""
        self.count(*where)
        label = shown.strip(" (=:.,")
        if not tag.fields:
            self.losses.add("nowhere", f"{label} {text}")
            if self.not_searchable is None:
                reason = message("{index} cannot be searched here: no field holds it", index=label)
                self.not_searchable = self.error(
                    reason, *where, advice=message("Add a word to look for in another field.")
                )
            return None
        match tag.fields:
            case ("year",):
                return self.years(text, where, label if tag.loss else "")
            case ("type",):
                return self.type(text)
            case ("language",):
                return self.language(text)
        if tag.loss:
            if tag.heading:
                self.losses.add("heading", label)
            else:
                self.losses.add("field", message("{field} is {loss}", field=label, loss=tag.loss))
        if not quoted and not tag.heading and text == "*":
            return None
        return self.looked_for(text, tag, where, quoted=quoted)

    def looked_for(
        self, text: str, tag: FieldTarget, where: tuple[int, int], *, quoted: bool
    ) -> Query | None:
        """Words or a phrase, with signs for letters; authors' names are words in any order."""
        fields = tag.fields
        if fields[0] in ("isbn", "issn") and (number := identifier_field(text)) in ("isbn", "issn"):
            fields = (number,)  # some databases have one field for both
        names = fields == ("author",)
        phrase = (quoted or tag.heading or self.grammar.phrases) and not names
        if names:
            text = _INITIAL.sub(r"\1", text)
        if fields[0] in IDENTIFIERS and any(sign in text for sign in "*?"):
            raise self.truncated_number(fields[0].upper(), *where)
        texts = [self.widened(word, where) for word in text.split(" ")]
        texts = [it for it in texts if it[0]]
        if not texts:
            raise self.error(
                message("There is no letter or digit to look for"), *where, fix=self.without(*where)
            )
        if any(cut for _, cut in texts):
            if phrase and len(texts) > 1:
                self.losses.add("broken phrase", text)
        elif phrase or len(texts) == 1 or len(fields) == 1:
            joined = " ".join(word for word, _ in texts)
            phrase = phrase and fields[0] not in IDENTIFIERS
            by_quotes = phrase and (len(texts) > 1 or (quoted and not joined.isalnum()))
            return in_fields(fields, lambda field: words(joined, field, phrase=by_quotes))
        if len(fields) == 1:
            return truncatable(texts, fields[0])
        # All must occur, but not all in the same one of the fields.
        return conjunction(*(in_fields(fields, partial(truncatable, [text])) for text in texts))

    def widened(self, word: str, where: tuple[int, int]) -> tuple[str, bool]:
        """(the word, or its beginning where any ending will do, whether it is one)."""
        wild = self.grammar.wild
        if "'" in word and self.grammar.quotes.get("'"):
            word = word.strip("'")
        bare = word.lstrip(wild)
        if bare != word and bare:
            self.losses.add("beginning", word)
        at = next((i for i, sign in enumerate(bare) if sign in wild), None)
        if at is None:
            return self.unsigned(bare), False
        stem, rest = bare[:at], bare[at:]
        if rest not in self.grammar.endless:
            self.losses.add("wildcard", word)
        if sum(map(str.isalnum, stem)) < 2:
            reason = message("{word} has too few letters before its sign", word=word[:40])
            raise self.error(
                reason, *where, advice=message("Write the whole words, with OR between them.")
            )
        return self.unsigned(stem), True

    def unsigned(self, word: str) -> str:
        """A word without the punctuation that a sentence puts around it."""
        bare = word.strip(",;")
        return bare if any(map(str.isalnum, bare)) else ""

    def years(self, text: str, where: tuple[int, int], other: str = "") -> Years:
        """The years that a field of dates is to hold."""
        try:
            years, whole = years_in(text)
        except BadYears as bad:
            fix = self.replaced(*where, bad.corrected) if bad.corrected else None
            advice = None if fix else message("Write the years as 2015 or 2015-2020.")
            raise self.error(bad.reason, *where, fix=fix, advice=advice) from None
        if other:
            self.losses.add(
                "field",
                message(
                    "{field} is {loss}",
                    field=other,
                    loss=message("read as the date of publication"),
                ),
            )
        if not whole:
            self.losses.add("date", text)
        return years

    def type(self, text: str) -> Query:
        """A type of works, or a keyword where there is none so narrow."""
        known, wider = type_named(text.rstrip("*$"))
        if known is None:
            self.losses.add("type", text)
            return words(text.rstrip("*$?"), "subject", phrase=" " in text)
        if wider:
            self.losses.add("wider type", f"{text} (type:{known})")
        return Term(known, "type")

    def language(self, text: str) -> Query | None:
        """A language; None where it is none."""
        known = language_named(text)
        if known is None:
            self.losses.add("limit", text)
            return None
        return Term(known, "language")
