"""Why a hit stands where it stands, in words: the templates of `Reason.text`.

`rank.py` fills them as plain texts, because each hit has several; `REASONS` finds the template of a
text again, for a page in another language.
"""

from __future__ import annotations

from metasearch.message import Templates, message_template

RANKS = message_template("{source} ranks it {position}")
AGREE = message_template("{number} sources agree")
NEAREST = message_template("its meaning is near the query, nearest of all")
NEAR = message_template("its meaning is near the query ({share} of the nearest)")
FITS_BEST = message_template("its words fit the query best")
FITS = message_template("its words fit the query {share} as well as the best hit's")
ONE_PAIR = message_template("two words of the query stand together")
PAIRS = message_template("{number} pairs of words of the query stand together")
THE_WORD_IN_TITLE = message_template("the word in the title")
ALL_WORDS_IN_TITLE = message_template("all words in the title")
WORDS_IN_TITLE = message_template("{held} of {wanted} words in the title")
THE_FIELD_AGREES = message_template("the field agrees")
ALL_WORDS_AND_FIELDS_AGREE = message_template("all words and fields agree")
ALL_FIELDS_AGREE = message_template("all fields agree")
WORDS_AND_FIELDS_AGREE = message_template("{held} of {wanted} words and fields agree")
FIELDS_AGREE = message_template("{held} of {wanted} fields agree")

#: Knows each text.
REASONS = Templates(
    RANKS, AGREE, NEAREST, NEAR, FITS_BEST, FITS, ONE_PAIR, PAIRS, THE_WORD_IN_TITLE,
    ALL_WORDS_IN_TITLE, WORDS_IN_TITLE, THE_FIELD_AGREES, ALL_WORDS_AND_FIELDS_AGREE,
    ALL_FIELDS_AGREE, WORDS_AND_FIELDS_AGREE, FIELDS_AGREE,
)  # fmt: skip
