"""Types of works: what people call them -> the words of `metasearch.record.TYPES`."""

from __future__ import annotations

from collections.abc import Mapping

#: The type -> other words for it, in small letters, with hyphens for blanks. Plurals in "s" are
#: understood.
TYPE_NAMES: Mapping[str, str] = {
    "article": "journal-article research-article paper journalarticle 期刊论文 期刊文章 论文 文章",
    "preprint": "eprint e-print working-paper posted-content 预印本",
    "conference-paper": "proceedings-article inproceedings conference conferencepaper 会议论文 "
    "会议文献",
    "proceedings": "conference-proceedings 会议录 论文集",
    "book": "monograph 图书 专著",
    "chapter": "book-chapter bookchapter inbook incollection 章节",
    "thesis": "theses dissertation phd-thesis doctoral-thesis master-thesis 学位论文 博士论文 "
    "硕士论文",
    "report": "technical-report techreport 报告 科技报告",
    "dataset": "data data-set 数据集",
    "software": "code program 软件",
    "patent": "专利",
    "standard": "norm 标准",
    "review": "review-article survey systematic-review 综述",
    "editorial": "社论",
    "letter": "comment 快报",
    "erratum": "errata correction corrigendum corrigenda 勘误",
    "retraction": "retraction-notice 撤稿",
    "reference-entry": "encyclopedia-entry dictionary-entry 词条",
    "journal": "periodical serial 期刊",
    "map": "地图",
    "score": "sheet-music notated-music 乐谱",
    "audio": "sound sound-recording music-recording 音频",
    "video": "film movie moving-image 视频",
    "image": "picture photograph 图片",
    "webpage": "web-page website 网页",
    "other": "其他",
}

#: What a type holds beside what is called so: databases call a review an article, or tell the two
#: apart.
NARROWER: Mapping[str, tuple[str, ...]] = {"article": ("review",)}

TYPE_WORDS: Mapping[str, str] = {
    word: name for name, others in TYPE_NAMES.items() for word in (name, *others.split())
}


def type_word(word: str) -> str | None:
    """The type that a word means: "Journal Articles" -> "article"; None where it means none."""
    plain = "-".join(word.casefold().replace("_", " ").replace("-", " ").split())
    return TYPE_WORDS.get(plain) or (TYPE_WORDS.get(plain[:-1]) if plain.endswith("s") else None)
