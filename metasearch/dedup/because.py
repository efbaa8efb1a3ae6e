"""What two records have in common or what parts them, in words: the templates of `Match.because`.

Matchers fill them as plain texts, because a search compares thousands of records; `BECAUSE` finds
the template of a text again, for a page in another language.
"""

from __future__ import annotations

from metasearch.message import Templates, message_template

# ---- identifiers
SAME_URL = message_template("same URL")
SAME_DOI = message_template("same DOI")
SAME_ISBN = message_template("same ISBN ({number})")
SAME_NUMBER = message_template("same {scheme} ({number})")
SAME_STANDARD = message_template("same standard ({number})")
STANDARD_OF_ONE_NAME = message_template("standard of one name")
ASKED_BY_DOI = message_template("asked for by the DOI {doi}")

# ---- fields
SAME_MEMBERS = message_template("same {members}")
TITLE_AND_MEMBERS = message_template("same title, {members}")
TITLES_EQUAL = message_template("titles equal")
TITLES_START = message_template("titles agree up to the subtitle")
TITLES_END = message_template("titles agree behind a heading")
TITLES_NEAR = message_template("titles agree {score}")
TITLE_WITHIN = message_template("one title contains the other")
TITLES_SIMILAR = message_template("titles similar {score}")
SAME_AUTHORS = message_template("same authors")
SAME_FIRST_AUTHOR = message_template("same first author")
AUTHORS_IN_COMMON = message_template("authors in common")
AN_AUTHOR_IN_COMMON = message_template("an author in common")
YEARS_ONE_APART = message_template("years one apart")
SAME_YEAR = message_template("same year")
SAME_VENUE = message_template("same venue")
SAME_VOLUME = message_template("volume equal")
SAME_ISSUE = message_template("issue equal")
SAME_PAGES = message_template("pages equal")
ISBN_IN_COMMON = message_template("an ISBN in common")
SAME_EDITION = message_template("same edition")
ANOTHER_ISBN = message_template("another ISBN of the edition")
BYLINE_GARBLED = message_template("one byline is garbled")
#: Members of a tuple, which stand in the sentences above.
MEMBERS = (
    message_template("title"),
    message_template("venue"),
    message_template("year"),
    message_template("first author"),
)

# ---- texts
ABSTRACT_WITHIN = message_template("{share} of the shorter abstract stands in the other one")
NODES_AGREE = message_template("{share} of the nodes {of} agree")
SIMHASH_DISTANCE = message_template("SimHash distance {distance} of {bits} ({made_of})")
SHINGLES_SHARED = message_template("texts share {share} of their shingles")
EQUAL_SENTENCES = message_template("{number} equal sentences: {share} {of}")
EQUAL_CHUNKS = message_template("{number} equal chunks: {share} {of}")
KEYWORDS_IN_COMMON = message_template("{number} keywords in common ({share})")
TITLE_ONLY = message_template("title-only")
SAME_TERMS = message_template("the same {number} terms")
PARAGRAPHS_AGREE = message_template(
    "{share} of the paragraphs agree ({least} and {most}; within {distance} bits of {bits}; "
    "{made_of})"
)
OF_SMALLER = message_template("of the smaller text")
OF_LARGER = message_template("of the larger text")
OF_BOTH = message_template("of both texts")

# ---- what parts
OTHER_DOIS = message_template("but other DOIs")
NOTICES = message_template("{left} against {right}")
ONE_IS_A = message_template("one is a {notice}")
ONE_IS_AN = message_template("one is an {notice}")
PARTS_DIFFER = message_template("parts differ: {left} against {right}")
DOIS_DIFFER = message_template("DOIs differ: {left} against {right}")
ISSUES_AND_TITLES_DIFFER = message_template("issues and titles differ: {left} against {right}")
TITLE_OF_A_COLUMN = message_template("one title names a column or a part, the other a work")
STANDARDS_DIFFER = message_template("standards differ in number or year")
TYPES_DIFFER = message_template("one is {left}, the other {right}")
NUMBERS_DIFFER = message_template("numbers in the titles differ")
EDITIONS_DIFFER = message_template("editions differ: {left} against {right}")
ISBNS_AND_YEARS_DIFFER = message_template("ISBNs and years differ")
ONE_ABOUT_THE_OTHER = message_template("one work is about the other")
TWO_OF_ONE_BODY = message_template("two works of one organisation: {other}")
PAPER_AND_ARTICLE = message_template("one is a conference paper, the other an article")
YEARS_DIFFER = message_template("years differ: {left} against {right}")
CONFERENCES_DIFFER = message_template("conferences of other years: {left} against {right}")
VOLUMES_DIFFER = message_template("volumes differ: {left} against {right}")
ISSUES_DIFFER = message_template("issues differ: {left} against {right}")
PAGES_DIFFER = message_template("pages differ: {left} against {right}")
PINNED_AS_DIFFERENT = message_template("pinned as different ({lines})")
PINNED_AS_SAME = message_template("pinned as the same ({lines})")

# ---- versions of a work
PUBLISHED = message_template("published")
CONFERENCE_PAPER = message_template("conference paper")
CONFERENCE_ABSTRACT = message_template("conference abstract")
PREPRINT = message_template("preprint")
NUMBERED_VERSION = message_template("{kind}, version {number}")

#: Knows each part of `Match.because`.
BECAUSE = Templates(
    SAME_URL, SAME_DOI, SAME_ISBN, SAME_NUMBER, SAME_STANDARD, STANDARD_OF_ONE_NAME, ASKED_BY_DOI,
    SAME_MEMBERS, TITLE_AND_MEMBERS, TITLES_EQUAL, TITLES_START, TITLES_END, TITLES_NEAR,
    TITLE_WITHIN, TITLES_SIMILAR, SAME_AUTHORS, SAME_FIRST_AUTHOR, AUTHORS_IN_COMMON,
    AN_AUTHOR_IN_COMMON, YEARS_ONE_APART, SAME_YEAR, SAME_VENUE, SAME_VOLUME, SAME_ISSUE,
    SAME_PAGES, ISBN_IN_COMMON, SAME_EDITION, ANOTHER_ISBN, BYLINE_GARBLED, *MEMBERS,
    ABSTRACT_WITHIN, NODES_AGREE, SIMHASH_DISTANCE, SHINGLES_SHARED, EQUAL_SENTENCES, EQUAL_CHUNKS,
    KEYWORDS_IN_COMMON, TITLE_ONLY, SAME_TERMS, PARAGRAPHS_AGREE, OF_SMALLER, OF_LARGER, OF_BOTH,
    OTHER_DOIS, NOTICES, ONE_IS_A, ONE_IS_AN, PARTS_DIFFER, DOIS_DIFFER, ISSUES_AND_TITLES_DIFFER,
    TITLE_OF_A_COLUMN, STANDARDS_DIFFER, TYPES_DIFFER, NUMBERS_DIFFER, EDITIONS_DIFFER,
    ISBNS_AND_YEARS_DIFFER, ONE_ABOUT_THE_OTHER, TWO_OF_ONE_BODY, PAPER_AND_ARTICLE, YEARS_DIFFER,
    CONFERENCES_DIFFER, VOLUMES_DIFFER, ISSUES_DIFFER, PAGES_DIFFER, PINNED_AS_DIFFERENT,
    PINNED_AS_SAME,
)  # fmt: skip
#: Knows `Version.kind`.
VERSION_KINDS = Templates(
    PUBLISHED, CONFERENCE_PAPER, CONFERENCE_ABSTRACT, PREPRINT, NUMBERED_VERSION
)
