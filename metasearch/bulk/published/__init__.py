"""All strategies of de-duplication by name, and what a user should know before choosing one; the
files of this package are the algorithms of papers.
"""

from __future__ import annotations

from collections.abc import Mapping

from metasearch.bulk.published import words
from metasearch.bulk.published.equality import EqualUrl, IMatch, PublishedFourTuple
from metasearch.bulk.published.paragraphs import Drpkp, KeywordTree
from metasearch.bulk.published.sets import BlockHash, KeywordOverlap, Shingling
from metasearch.bulk.published.simhash import BigramSimHash, SimHash, WeightedSimHash
from metasearch.dedup.matchers import Chain, Text
from metasearch.dedup.strategies import DEFAULT, DEFAULT_STRATEGY, DedupStrategy

# All strategies of de-duplication by name, and what a user should know before choosing one.
# `default` is the chain that searches use; the others are published algorithms, each as its authors
# describe it and without the vetoes of the default chain, so that they can be compared with it and
# with one another.

_TEXT = DedupStrategy(
    name="text",
    does="the fallback on text of the default chain, alone, under its vetoes",
    source="this project; Charikar (STOC 2002) for the signatures, Broder (1997) for the "
    "containment",
    needs="an abstract of forty letters (twenty characters of Chinese)",
    cost="a signature of the text, and a scan of those that are there",
    order="does not matter",
    when="to see what the fallback does; as a strategy, for texts of which nothing is known but "
    "the title",
    chain=Chain((Text(),), DEFAULT.vetoes),
    threshold="shared",
    sweep=(0.95, 0.9, 0.8, 0.7, 0.6, 0.55, 0.5, 0.4, 0.3, 0.2),
)

#: The published ones that compare what catalogues say of a work.
_OF_METADATA: tuple[DedupStrategy, ...] = (
    DedupStrategy(
        name="url",
        does="equal address, once scheme, www, tracking and final slash are gone",
        source="SearXNG; an older way that Zhang and Guo (2014) name",
        needs="a URL that is no DOI resolver's; of a record without one it says nothing",
        cost="one look-up",
        order="does not matter",
        when="as a base line: copies in two databases have two addresses",
        chain=Chain((EqualUrl(),)),
    ),
    DedupStrategy(
        name="four-tuple",
        does="equal DOI, or equal SHA-1 of title, journal, year and first author as they stand",
        source="Hao Hui, cross-database de-duplication for sci-tech novelty retrieval (CNKI and "
        "Wanfang), as measured",
        needs="a DOI, or a title and two of journal, year and first author",
        cost="two hashes and look-ups",
        order="does not matter",
        when="where a wrong merge costs most: a dash or bracket written otherwise is enough to "
        "keep copies apart",
        chain=Chain((PublishedFourTuple(),)),
    ),
    DedupStrategy(
        name="four-tuple-stripped",
        does="equal DOI, or equal SHA-1 of the four-tuple without symbols, widths and case",
        source="Hao Hui, cross-database de-duplication for sci-tech novelty retrieval, as its "
        "section 3.3 proposes",
        needs="a DOI, or a title and two of journal, year and first author",
        cost="two hashes and look-ups",
        order="does not matter",
        when="where databases differ in punctuation; a missing subtitle or date still keeps "
        "copies apart",
        chain=Chain((PublishedFourTuple(stripped=True),)),
    ),
)

#: Those that compare sets taken from the text: keywords, shingles, chunks.
_OF_SETS: tuple[DedupStrategy, ...] = (
    DedupStrategy(
        name="keyword-overlap",
        does="title words, and words of the abstract that stand near them; enough of them in "
        "common",
        source="Zhang Hongxia and Guo Xiaofen, web page de-duplication by keyword extraction "
        "(2014)",
        needs="five keywords; a title alone is compared by its words, and the verdict says so",
        cost="segmentation, windows over the abstract, and a look-up for each of some forty "
        "keywords",
        order="does not matter",
        when="texts that were edited, cut or padded but speak of the same things; it also joins "
        "parts of a series",
        chain=Chain((KeywordOverlap(),)),
        threshold="threshold",
        sweep=(1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.5),
        loads=(words.load_segmenter,),
    ),
    DedupStrategy(
        name="i-match",
        does="one hash of the terms of title and abstract that are neither common nor rare",
        source="Chowdhury, Frieder, Grossman and McCabe, Collection statistics for fast duplicate "
        "document detection "
        "(ACM TOIS 20:2, 2002)",
        needs="five such terms; a title alone may have them, and is then only found in another "
        "title alone",
        cost="segmentation, one hash and look-up",
        order="does not matter",
        when="very many texts that are copied word for word: one changed term is enough to keep "
        "copies apart",
        chain=Chain((IMatch(),)),
        loads=(words.load_segmenter, words.load_frequencies),
    ),
    DedupStrategy(
        name="shingling",
        does="the share of runs of ten words that two texts have in common, from a sample",
        source="Broder, Glassman, Manasse and Zweig, Syntactic clustering of the Web (WWW6, 1997)",
        needs="an abstract: nineteen words in all; of a title alone it says nothing",
        cost="segmentation, a hash a word and some fifty look-ups",
        order="does not matter, unless more than 200 records share a shingle",
        when="whole passages that were copied, in any order",
        chain=Chain((Shingling(),)),
        threshold="threshold",
        sweep=(0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1),
        loads=(words.load_segmenter,),
    ),
    DedupStrategy(
        name="block-hash",
        does="the share of sentences that two texts have in common, as they stand",
        source="Forman, Eshghi and Chiocchetti, Finding similar files in large document "
        "repositories (KDD 2005), by "
        "sentences as in Zhang and Guo (2014)",
        needs="an abstract: two sentences with the title; of a title alone it says nothing",
        cost="a hash and a look-up for each sentence; no segmentation",
        order="does not matter, unless more than 200 records share a sentence",
        when="texts that were copied unchanged, in part or in another order",
        chain=Chain((BlockHash(),)),
        threshold="threshold",
        sweep=(1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2),
    ),
    DedupStrategy(
        name="keyword-tree",
        does="the share of document, paragraphs and sentences whose five heaviest words are the "
        "same",
        source="Iyer and Singh, Document similarity analysis for a plagiarism detection system "
        "(IICAI 2005), as "
        "measured in Zhang and Guo (2014)",
        needs="an abstract: three sentences with the title; of a title alone it says nothing",
        cost="segmentation, and a hash and a look-up for each sentence, paragraph and document",
        order="does not matter, unless more than 200 records share a sentence's words",
        when="texts that were copied with small changes within some sentences",
        chain=Chain((KeywordTree(),)),
        threshold="threshold",
        sweep=(1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2),
        loads=(words.load_segmenter, words.load_frequencies),
    ),
)

#: Bits of 64 that may differ: up to 3 are found by blocks, more by a scan; unrelated texts of a
#: field differ in 30.
_DISTANCES = (0, 1, 2, 3, 4, 6, 8, 10, 12, 14, 16)

#: Those that compare 64-bit signatures of the text.
_OF_SIGNATURES: tuple[DedupStrategy, ...] = (
    DedupStrategy(
        name="simhash",
        does="64-bit SimHash of the words of title and abstract, of which 3 bits may differ",
        source="Charikar, Similarity estimation techniques from rounding algorithms (STOC 2002); "
        "Manku, Jain and Das "
        "Sarma, Detecting near-duplicates for web crawling (WWW 2007)",
        needs="five words that are no stop words; a title alone may have them, and is then only "
        "found near another one",
        cost="segmentation, a hash a word, and four look-ups; a scan of all signatures where 4 "
        "bits or more may differ",
        order="does not matter, unless more than 200 records share a block of 16 bits",
        when="whole texts with very small changes; an abstract with some edits needs 8 to 14 bits "
        "instead of 3",
        chain=Chain((SimHash(),)),
        threshold="max_distance",
        sweep=_DISTANCES,
        loads=(words.load_segmenter,),
    ),
    DedupStrategy(
        name="bigram-simhash",
        does="64-bit SimHash of every two consecutive words of title and abstract, of which 3 "
        "bits may differ",
        source="patent CN102831198A, filed 2012-08-07 (People Search; Wen Yun, Yang Qing)",
        needs="five pairs of words; a title alone may have them, and is then only found near "
        "another one",
        cost="segmentation, a hash a pair of words, and four look-ups; a scan of all signatures "
        "where 4 bits or more "
        "may differ",
        order="does not matter, unless more than 200 records share a block of 16 bits; in the "
        "patent it does: there a "
        "text takes the number of the first one found near it, here all that are near are joined, "
        "chains of them too",
        when="as simhash, where the order of words should count; it is the strictest of the three",
        chain=Chain((BigramSimHash(),)),
        threshold="max_distance",
        sweep=_DISTANCES,
        loads=(words.load_segmenter,),
    ),
    DedupStrategy(
        name="weighted-simhash",
        does="64-bit SimHash of words that weigh by rarity, part of speech, length, marked "
        "sentences and the title",
        source="an improved SimHash, Computer Science and Application (Hans) 2020, no. 2, pp. "
        "371-378",
        needs="five words that are no stop words; a title alone may have them, and is then only "
        "found near another one",
        cost="segmentation with parts of speech (Chinese only), a hash a word, and four look-ups; "
        "a scan of all "
        "signatures where 4 bits or more may differ",
        order="does not matter, unless more than 200 records share a block of 16 bits",
        when="abstracts that were edited or cut under one title, whose words weigh five times, so "
        "that parts of a "
        "series come near one another; the paper finds texts of a theme with it",
        chain=Chain((WeightedSimHash(),)),
        threshold="max_distance",
        sweep=_DISTANCES,
        loads=(words.load_segmenter, words.load_frequencies),
    ),
    DedupStrategy(
        name="drpkp",
        does="64-bit SimHash of the ten topic words of each paragraph; half of one record's "
        "paragraphs in the other",
        source="Yu Feng and Wang Yinna, DRPKP, 1007-757X(2014)01-0058-03 (2014)",
        needs="an abstract with five nouns or verbs in some paragraph; of a title alone it says "
        "nothing",
        cost="segmentation with parts of speech (Chinese only), and four look-ups for each of "
        "some five paragraphs",
        order="does not matter, unless more than 200 records share a block of 16 bits",
        when="texts that were cut, padded or put in another order by whole passages; a text that "
        "holds half of another "
        "is taken for it",
        chain=Chain((Drpkp(),)),
        threshold="share",
        # Not max_distance: what is wrongly joined shares passages word for word, so that a stricter
        # distance leaves it joined, and only a larger share parts it.
        sweep=(0.8, 0.7, 0.6, 0.5, 0.4, 0.3),
        loads=(words.load_segmenter,),
    ),
)

#: All of them by name, the default one first.
STRATEGIES: Mapping[str, DedupStrategy] = {
    strategy.name: strategy
    for strategy in (DEFAULT_STRATEGY, _TEXT, *_OF_METADATA, *_OF_SETS, *_OF_SIGNATURES)
}
