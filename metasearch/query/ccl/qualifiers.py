"""The qualifiers of CCL: what stands before "=" and names the field of a term.

pazpar2's own settings declare `term`, `au`, `ti`, `su`, `isbn`, `issn` and `date`
(https://github.com/indexdata/pazpar2/blob/master/etc/settings/defaults.xml); the others are those
that services add, and our own names of fields.
"""

from __future__ import annotations

from collections.abc import Mapping

#: Field of `metasearch.query.ast.FIELDS`, or "year" -> its qualifiers, in small letters.
_OF_FIELDS = {
    "any": ("term", "any", "wrd", "kw"),
    "title": ("ti", "title"),
    "author": ("au", "author"),
    "subject": ("su", "subject"),
    "venue": ("jt", "journal-title", "venue"),
    "abstract": ("ab", "abstract"),
    "doi": ("doi",),
    "isbn": ("isbn", "isb"),
    "issn": ("issn", "iss"),
    "type": ("medium", "type"),
    "language": ("la", "language"),
    "year": ("date", "year", "yr"),
}
#: Qualifier -> field.
QUALIFIERS: Mapping[str, str] = {
    qualifier: field for field, qualifiers in _OF_FIELDS.items() for qualifier in qualifiers
}
