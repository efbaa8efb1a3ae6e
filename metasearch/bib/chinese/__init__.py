"""What must be known about Chinese text (and, where it falls out, Japanese and Korean) to compare
records.

Pure functions; each module is imported where it is needed, because nothing of this is for text
without such characters.

- `characters`: forms of one character made equal (`simplified`, `plain`).
- `names`: a person in characters and in Latin letters (`same_person`, `authors_agree`), on
  `syllables` and `surnames`; `authors`: strings that name several people (`authors_in`).
- `titles`: two languages in one title, column heads, where a subtitle begins (`split_titles`,
  `without_sections`, `marked`); `parts`: numbers of parts, editions and years; `notices`: errata,
  replies, reviews, generic titles.
- `venues`: journals with editions (`journal`), theses with degrees (`thesis_container`).
"""
