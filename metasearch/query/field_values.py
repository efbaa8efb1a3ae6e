"""The subheadings of MeSH and Emtree, which Ovid and the Cochrane Library name by two letters, too.

Sources: https://www.nlm.nih.gov/mesh/subhierarchy.html, https://ospguides.ovid.com/
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import prod

from metasearch.errors import QuerySyntaxError
from metasearch.message import message
from metasearch.query.clauses import IGNORED, Clause, either, every, exact, near, wider
from metasearch.query.grammar import (
    ENTRY_DATE,
    HEADING,
    NUMBER,
    PMCID,
    PMID,
    SUBJECT,
    TRIAL,
    FieldTarget,
)
from metasearch.query.reader import in_fields, phrase_of, truncatable, words
from metasearch.query.scanner import TextScanner
from metasearch.query.tree import (
    IDENTIFIERS,
    Heading,
    Near,
    Or,
    Query,
    Term,
    Years,
    conjunction,
    disjunction,
    plain,
    terms,
)
from metasearch.query.values import (
    BROAD_TYPES,
    STUDIES,
    BadYears,
    bare_number,
    identifier_field,
    limit_language,
    publication_type,
    whole_years,
    years_back,
    years_in,
    years_text,
)
from metasearch.query.word_forms import MOST, spellings

_MESH = """\
aa analogs & derivatives|ab abnormalities|ad administration & dosage|ae adverse effects
ag agonists|ah anatomy & histology|ai antagonists & inhibitors|an analysis|bi biosynthesis
bl blood|bs blood supply|cf cerebrospinal fluid|ch chemistry|ci chemically induced
cl classification|cn congenital|co complications|cs chemical synthesis|ct contraindications
cy cytology|de drug effects|df deficiency|dg diagnostic imaging|dh diet therapy|di diagnosis
dt drug therapy|ec economics|ed education|eh ethnology|em embryology|en enzymology
ep epidemiology|es ethics|et etiology|gd growth & development|ge genetics|hi history
im immunology|in injuries|ip isolation & purification|ir innervation|is instrumentation
lj legislation & jurisprudence|me metabolism|mi microbiology|mo mortality|mt methods|nu nursing
og organization & administration|pa pathology|pc prevention & control|pd pharmacology
ph physiology|pk pharmacokinetics|po poisoning|pp physiopathology|ps parasitology|px psychology
py pathogenicity|ra radiography|re radiation effects|rh rehabilitation|ri radionuclide imaging
rt radiotherapy|sc secondary|sd supply & distribution|sn statistics & numerical data|st standards
su surgery|td trends|th therapy|tm transmission|to toxicity|tr transplantation|tu therapeutic use
ul ultrastructure|ur urine|us ultrasonography|ut utilization|ve veterinary|vi virology"""
_EMTREE = """\
cb drug combination|cm drug comparison|cr drug concentration|dm disease management|do drug dose
dr drug resistance|dv drug development|it drug interaction|iv intravenous drug administration
pe pharmacoeconomics|pr pharmaceutics|si side effect|tp topical drug administration"""


def _names(table: str) -> dict[str, str]:
    return {row[:2]: row[3:] for line in table.splitlines() for row in line.split("|")}


#: Two letters -> name.
MESH_SUBHEADINGS = _names(_MESH)
#: As `MESH_SUBHEADINGS`, with those of Emtree that have other letters.
SUBHEADINGS: Mapping[str, str] = MESH_SUBHEADINGS | _names(_EMTREE)


def subheading_name(text: str) -> str:
    """The name of a subheading, by its letters or as it is: "DT" -> "drug therapy"."""
    return SUBHEADINGS.get(text.strip().casefold(), text.strip())


# What a field of a database is to hold: words, phrases, signs for letters, headings, years, types,
# languages, and the limits that platforms print.

#: One limit of a list that a platform prints.
_LIMIT_ITEM = re.compile(r"[^,;\n]{1,200}")
_LIMIT_OR = re.compile(r"\sor\s|\|", re.IGNORECASE)
_FROM = re.compile(r"\bfrom\b|\bbetween\b|\bthe\b", re.IGNORECASE)
#: Words of a limit that is about the date of an entry, not of publication.
_ENTRY = re.compile(r"\b(?:entry|entered|added|load|index|update|modif)", re.IGNORECASE)
#: Codes of numbers that databases give their records.
_ACCESSION = frozenset(("an", "ui", "pui"))
#: Blanks and hyphens between the parts of words.
_WORD_PARTS = re.compile(r"([ -])")
#: "Smith J*": any names that begin so, which an initial says anyway.
INITIAL = re.compile(r"(?<!\S)([^\W\d_])[*?$:](?!\S)")


class TermReader(TextScanner):
    def ignore(self, kind: str, shown: str) -> Clause:
        """What cannot be asked: a loss, a key of `SENTENCES`, and the words that it concerns."""
        self.losses.add(kind, shown)
        return IGNORED

    def value(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        """What a field is to hold. `tag`: where they are looked for. `where`: where they stand."""
        if tag.beside:
            beside = [self.value_beside(text, other, shown, where) for other in tag.beside]
            clause = self.value(text, replace(tag, beside=()), shown, where, quoted=quoted)
            return either([clause, *(other for other in beside if other is not None)])
        if tag.fields == TRIAL.fields and bare_number("trial", text) is None:
            tag = NUMBER
        self.count(*where)
        label = shown.strip(" ()=:.,/")
        if label.casefold() in _ACCESSION and not any(map(str.isdigit, text)):
            # The database that a record is from: (pubmed or embase):an.
            return self.ignore("nowhere", f"{label} {text}")
        if not tag.fields:
            if self.not_searchable is None:
                reason = message("{index} cannot be searched here: no field holds it", index=label)
                self.not_searchable = self.error(
                    reason, *where, advice=message("Add a word to look for in another field.")
                )
            return self.ignore("nowhere", f"{label} {text}")
        match tag.fields:
            case ("year",):
                return self.years(text, where, label if tag.loss else "")
            case ("type",):
                if tag.loss:
                    self.tell_field(label, tag.loss)
                return self.type(text)
            case ("language",):
                return self.language(text)
        if tag.heading and tag.loss:
            self.losses.add("heading", label)
        elif tag.loss:
            self.tell_field(label, tag.loss)
        if not quoted and not tag.heading and text == "*":
            return IGNORED
        if tag in (NUMBER, PMID, PMCID) and any(sign in text for sign in self.grammar.wild):
            # PMID(1* OR 2*): what has a number at all.
            return self.ignore("limit", f"{label} {text}")
        return self.search_for(text, tag, where, quoted=quoted)

    def value_beside(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int]
    ) -> Clause | None:
        """What one of several fields is to hold, if it can: no field of years has words."""
        match tag.fields:
            case ("year",) if not any(map(str.isdigit, text)):
                return None
            case ("language",) if not limit_language(text):
                return None
            case ("doi" | "isbn" | "issn" as field,) if identifier_field(text) != field:
                return None
        try:
            return self.value(text, tag, shown, where, quoted=True)
        except QuerySyntaxError:
            return None

    def search_for(
        self, text: str, tag: FieldTarget, where: tuple[int, int], *, quoted: bool
    ) -> Clause:
        """Words or a phrase, with signs for letters; authors' names are words in any order."""
        fields = tag.fields
        if fields[0] in ("isbn", "issn") and (number := identifier_field(text)) in ("isbn", "issn"):
            fields = (number,)  # some databases have one field for both
        text = bare_number(fields[0], text) or text
        names = fields == ("author",)
        phrase = (quoted or tag.heading or self.grammar.phrases) and not names
        if names:  # "Smith,J." are two words
            text = INITIAL.sub(r"\1", plain(text.replace(",", " ")))
        if fields[0] in IDENTIFIERS and any(sign in text for sign in "*?"):
            raise self.star_in_number(fields[0].upper(), *where)
        if spelled := self.spellings_of(text):
            for _ in spelled[1:]:
                self.count(*where)
            read = [self.search_for(one, tag, where, quoted=quoted) for one in spelled]
            return either(read)
        before = self.losses.more
        texts = [self.stem_of(word, where) for word in text.split(" ")]
        texts = [pair for pair in texts if pair[0]]
        if not texts:
            raise self.needless(message("There is no letter or digit to look for"), *where)
        if any(cut for _, cut in texts):
            if phrase and len(texts) > 1:
                query = self.phrase(texts, fields)
                return exact(query) if self.losses.more == before else wider(query)
        elif phrase or len(texts) == 1 or len(fields) == 1:
            joined = " ".join(word for word, _ in texts)
            phrase = phrase and fields[0] not in IDENTIFIERS
            by_quotes = phrase and (len(texts) > 1 or (quoted and not joined.isalnum()))
            query = in_fields(fields, lambda field: words(joined, field, phrase=by_quotes))
            return exact(with_heading(query, "exact" if tag.heading else ""))
        if len(fields) == 1:
            query = truncatable(texts, fields[0])
        else:  # All must occur, but not all in the same one of the fields.
            query = conjunction(
                *(in_fields(fields, partial(truncatable, [text])) for text in texts)
            )
        return exact(query) if self.losses.more == before else wider(query)

    def phrase(self, texts: Sequence[tuple[str, bool]], fields: Sequence[str]) -> Query:
        """As `phrase_of`, with a note on what sources cannot be asked."""
        query = phrase_of(texts, fields)
        if isinstance(query, Near):
            self.losses.add("near", " ".join(f"{word}{'*' * cut}" for word, cut in texts))
        return query

    def spellings_of(self, text: str) -> list[str]:
        """The text in the spellings of words in which a sign for letters stands after one letter or
        two: any ending would be too much there. None where there are no such words, or where the
        spellings are not known.
        """
        parts = _WORD_PARTS.split(text)
        found = {
            part: known
            for part in filter(self.early_sign, parts)
            if (known := spellings(part, self.grammar.letters, self.grammar.endless))
            and part not in known
        }
        choices = [found.get(part, (part,)) for part in parts]
        if not found:
            return []
        if prod(map(len, choices)) > MOST:  # the most usual ones of each
            each = int(MOST ** (1 / sum(len(choice) > 1 for choice in choices)))
            choices = [choice[:each] for choice in choices]
        for part, known in zip(parts, choices, strict=True):
            if part in found:
                self.losses.add("spelling", f"{part} ({', '.join(known)})")
        return list(map("".join, product(*choices)))

    def early_sign(self, word: str) -> bool:
        """Whether a sign for letters stands inside a word, after one letter or two; `mi$1` has one
        at its end.
        """
        bare = word.rstrip(f"{self.grammar.wild}0123456789")
        first = next((at for at, char in enumerate(bare) if char in self.grammar.wild), 0)
        return 0 < first < 3

    def stem_of(self, word: str, where: tuple[int, int]) -> tuple[str, bool]:
        """(the word, or its beginning where any ending will do, whether it is one)."""
        wild = self.grammar.wild
        word = word.strip("'")  # of parents' houses
        bare = word.lstrip(wild)
        if bare != word and bare:
            self.losses.add("beginning", word)
        at = next((i for i, sign in enumerate(bare) if sign in wild), None)
        if at is None:
            return self.without_marks(bare), False
        stem, rest = bare[:at], bare[at:]
        if rest not in self.grammar.endless:
            self.losses.add("wildcard", word)
        if sum(map(str.isalnum, stem)) < 2:
            reason = message("{word} has too few letters before its sign", word=word[:40])
            raise self.error(
                reason, *where, advice=message("Write the whole words, with OR between them.")
            )
        return self.without_marks(stem), True

    def without_marks(self, word: str) -> str:
        """A word without the punctuation that a sentence puts around it."""
        bare = word.strip(",;")
        return bare if any(map(str.isalnum, bare)) else ""

    def years(self, text: str, where: tuple[int, int], other: str = "") -> Clause:
        """The years that a field of dates is to hold; `other`: the name of a field of other dates
        than those of publication.
        """
        since = years_back(text)
        try:
            years, whole = (since, False) if since else self.dates(text)
        except BadYears as bad:
            raise self.no_years(bad, where) from None
        if other:
            self.tell_field(other, ENTRY_DATE.loss)
        if since:
            self.tell_years(text, since)
        elif not whole:
            self.losses.add("date", text)
        return exact(years) if whole else Clause(years, whole_years(years))

    def dates(self, text: str) -> tuple[Years, bool]:
        """The years of a text, and whether it says no more than years. Raises BadYears."""
        return years_in(text)

    def no_years(self, bad: BadYears, where: tuple[int, int]) -> QuerySyntaxError:
        return self.misread(bad, *where, message("Write the years as 2015 or 2015-2020."))

    def tell_years(self, text: str, since: Years) -> None:
        told = message(
            "{text} is read as {years}, counted back from today",
            text=text,
            years=f"year:{years_text(since)}",
        )
        self.losses.add("field", told)

    def type(self, text: str) -> Clause:
        """A type of works, or a keyword where there is none so narrow."""
        text = self.grammar.types.get(text.lower(), text)
        name = plain(text.rstrip("*$?"))
        of_works = publication_type(name)[0] is not None or name.casefold() in STUDIES
        if self.grammar.limits_by_type and not of_works:
            return self.ignore("limit", f"{self.shown.strip(' (=:.,')} {text}")
        known, includes_more = publication_type(text.rstrip("*$"))
        if known is None:
            self.losses.add("type", text)
            return self.search_for(text, SUBJECT, (0, len(self.text)), quoted=" " in text)
        if includes_more:
            self.losses.add("wider type", f"{text} (type:{known})")
        meant = Term(known, "type")
        return wider(meant) if includes_more and known in BROAD_TYPES else exact(meant)

    def language(self, text: str) -> Clause:
        """A language; ignored where it is none."""
        known = limit_language(text)
        return self.ignore("limit", text) if known is None else exact(Term(known, "language"))

    def heading(
        self, name: str, where: tuple[int, int], *, explode: bool = False, narrowed: bool = False
    ) -> Clause:
        """A heading of a vocabulary. `narrowed`: it is meant with certain subheadings only, or as
        the main topic, which is asked more widely.
        """
        clause = self.value(name, HEADING, name, where, quoted=True)
        if explode:
            self.losses.add("explosion", name)
            clause = with_narrower(clause)
        return wider(clause.widest) if narrowed else clause

    def close(
        self, text: str, tag: FieldTarget, shown: str, where: tuple[int, int], within: int
    ) -> Clause:
        """Words that stand near one another in any order."""
        self.losses.add("near", shown)
        parts = [self.search_for(word, tag, where, quoted=False) for word in text.split(" ")]
        return parts[0] if len(parts) == 1 else near(parts, within)

    # ---------------------------------------------------------------- limits

    def limits(self, text: str, start: int) -> Clause:
        """A list of limits as platforms print it, with commas or semicolons between them: years,
        languages and types, each perhaps after its name and a colon. Several languages are
        alternatives, and so are several types. `start`: where it begins.
        """
        parts: dict[str, list[Clause]] = {}
        for match in _LIMIT_ITEM.finditer(text):
            if names := plain(match[0]):
                clause = self.limit(match[0], start + match.start(), names)
                parts.setdefault(_kind_of(clause) or names, []).append(clause)
        return every([either(same) for same in parts.values()]) if parts else IGNORED

    def limit(self, text: str, start: int, shown: str) -> Clause:
        """One limit: alternatives of one kind, such as "English or French"."""
        label, _, value = text.rpartition(":")
        names = [name for part in _LIMIT_OR.split(value) if (name := plain(part).strip(' ."()'))]
        where = start, start + len(text)
        try:
            years = plain(_FROM.sub("", value)).strip(' ."()')
            return self.years(years, where, plain(label) if _ENTRY.search(label) else "")
        except QuerySyntaxError:
            pass
        if names and all(map(limit_language, names)):
            return either(list(map(self.language, names)))
        if names and all(publication_type(name)[0] for name in names):
            return either(list(map(self.type, names)))
        return self.ignore("limit", shown)


def with_heading(query: Query, heading: Heading) -> Query:
    """The terms of a query, one or alternatives, named as headings of a vocabulary."""
    match query:
        case Term() if heading:
            return replace(query, heading=heading)
        case Or(parts) if heading:
            return disjunction([with_heading(part, heading) for part in parts])
    return query


def with_narrower(clause: Clause) -> Clause:
    """A heading with all narrower ones."""
    if clause.widest is None:
        return clause
    query = with_heading(clause.widest, "exploded")
    return exact(query) if clause.is_exact else wider(query)


def _kind_of(clause: Clause) -> str:
    """What limits of one kind, which are alternatives, have in common: of languages, or of types of
    works and studies; "" for others.
    """
    fields = {term.field for term in terms(clause.widest)} if clause.widest else set()
    return "language" if fields == {"language"} else "type" if fields else ""
