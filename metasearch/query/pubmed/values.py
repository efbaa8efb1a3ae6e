"""What the words before a tag of PubMed mean in our fields."""

from __future__ import annotations

import re

from metasearch.bib.languages import language_code
from metasearch.message import message
from metasearch.query.ast import FIELD_WORDS, IDENTIFIERS, Query, Term
from metasearch.query.blanks import plain
from metasearch.query.field_targets import FieldTarget
from metasearch.query.identifiers import identifier_field
from metasearch.query.kinds import type_word
from metasearch.query.publication_types import STUDIES, TYPES
from metasearch.query.pubmed.scanner import PubmedScanner
from metasearch.query.pubmed.tags import SEARCHED, TAGS
from metasearch.query.trees import in_fields, truncatable, words
from metasearch.query.years import BadYears, between, dated

DATE = r"[0-9]{4}(?:/[0-9]{1,2}){0,2}"
_RANGE = re.compile(rf"({DATE}):({DATE})")
_FILTERS = frozenset({"filter", "sb", "subset", "filters"})


class PubmedValueReader(PubmedScanner):
    """Turns words with a tag into the part of the tree that asks for them."""

    def tag(self, match: re.Match[str]) -> FieldTarget:
        from difflib import get_close_matches

        name = plain(match[1]).casefold()
        name, near, _ = name.partition(":~")
        tag = TAGS.get(re.sub(r"\s*/\s*", "/", name))
        start, end = match.start(1) - 1, match.end()
        shown = plain(match[1])
        if tag is None:
            likely = get_close_matches(name, [it for it, to in TAGS.items() if to.fields], 3, 0.6)
            reason = (
                message(
                    "There is no tag [{tag}]; near it are {near}",
                    tag=shown,
                    near=" ".join(f"[{it}]" for it in likely),
                )
                if likely
                else message("There is no tag [{tag}]; there are {tags}", tag=shown, tags=SEARCHED)
            )
            fix = (
                self.replaced(start, end, f"[{likely[0]}]") if likely else self.without(start, end)
            )
            raise self.error(reason, start, end, fix=fix)
        if not tag.fields and self.not_searchable is None:
            reason = message(
                "[{shown}] cannot be searched here: no field holds it; those that can "
                "are {searched}",
                shown=shown,
                searched=SEARCHED,
            )
            self.not_searchable = self.error(reason, start, end, fix=self.without(start, end))
        if near:
            self.note(
                message(
                    "[{shown}]: sources cannot be asked how near words stand to one another; "
                    "all of the words are looked for",
                    shown=shown,
                )
            )
        if tag.loss:
            self.note(message("[{shown}] is {loss}", shown=shown, loss=tag.loss))
        return tag

    def term(
        self, text: str, tag: FieldTarget, phrase: bool, where: tuple[int, int], shown: str
    ) -> Query | None:
        if not tag.fields or text.casefold() == "hasabstract":
            return self.filtered(text, shown)
        if tag.fields == ("year",):
            return self.years(text, tag, where, shown)
        if tag.fields == ("type",):
            known = TYPES.get(text.casefold()) or type_word(text)
            if known is None and text.casefold() in STUDIES:
                self.losses.add("type", f"{text}[{shown}]")
                return words(text, "subject", phrase=" " in text)
            if TYPES.get(text.casefold()):
                self.note(
                    message(
                        '[{shown}] "{text}" is read as type:{known}, which includes more',
                        shown=shown,
                        text=text,
                        known=known,
                    )
                )
            return self.listed(known, "type", text, where)
        if tag.fields == ("language",):
            return self.listed(language_code(text), "language", text, where)
        fields = tag.fields
        if fields == ("identifier",):
            known = identifier_field(text)
            fields = (known or "any",)
            if known is None:
                self.note(
                    message(
                        "[{shown}] is looked for everywhere: the term is no DOI, ISBN or ISSN",
                        shown=shown,
                    )
                )
        if ":~" in shown:
            phrase = False
        texts = [self.cut_short(word, where) for word in text.split(" ")]
        if any(cut for _, cut in texts):
            if fields[0] in IDENTIFIERS:
                raise self.truncated_number(fields[0].upper(), *where)
            if phrase and len(texts) > 1:
                self.note(
                    message("a phrase with a * in it is read as all of its words, in any order")
                )
            return in_fields(fields, lambda field: truncatable(texts, field))
        phrase = (phrase or (tag.heading and len(texts) > 1)) and fields[0] not in (
            "doi",
            "isbn",
            "issn",
        )
        return in_fields(fields, lambda field: words(text, field, phrase=phrase))

    def filtered(self, text: str, shown: str) -> Query | None:
        """A filter such as english[filter], as far as a field holds that; None: passed over."""
        name = text.casefold()
        if shown.casefold() in _FILTERS:
            if language := language_code(name):
                return Term(language, "language")
            systematic = TYPES.get(name.replace("systematic", "systematic review"))
            kind = systematic or TYPES.get(name) or type_word(name)
            if kind:
                return Term(kind, "type")
        self.losses.add("nowhere", f"{text}[{shown}]")
        return None

    def listed(self, known: str | None, field: str, text: str, where: tuple[int, int]) -> Query:
        if known is None:
            reason = message(
                '"{word}" is no known {field}', word=text[:40], field=FIELD_WORDS[field]
            )
            advice = (
                message("Write an English name or a code.")
                if field == "language"
                else message("Write a type, such as review or letter.")
            )
            raise self.error(reason, *where, advice=advice)
        return Term(known, field)

    def cut_short(self, word: str, where: tuple[int, int]) -> tuple[str, bool]:
        """(the word without its star, whether it had one)."""
        bare = word.rstrip("*")
        stem = bare.partition("*")[0]
        if stem != bare and sum(map(str.isalnum, stem)) > 1:
            self.losses.add("wildcard", word)
            return stem, True
        if "*" in bare or (bare != word and not any(map(str.isalnum, bare))):
            fix = self.replaced(*where, self.text[where[0] : where[1]].replace("*", ""))
            raise self.error(message("* can stand only at the end of a word"), *where, fix=fix)
        return bare, bare != word

    def years(self, text: str, tag: FieldTarget, where: tuple[int, int], shown: str) -> Query:
        if tag.fields != ("year",):
            raise self.error(
                message("[{shown}] cannot be a range of years", shown=shown),
                *where,
                fix=self.replaced(*where, f'"{text}"'),
            )
        try:
            ranged = _RANGE.fullmatch(text)
            years, whole = between(*ranged.groups()) if ranged else dated(text.rstrip("*"))
        except BadYears as bad:
            fix = self.replaced(*where, bad.corrected.replace("-", ":")) if bad.corrected else None
            advice = None if fix else message("Write it as 2020[dp] or 2015:2020[dp].")
            raise self.error(bad.reason, *where, fix=fix, advice=advice) from None
        if not whole:
            self.note(message("only the year of a date is searched"))
        return years
