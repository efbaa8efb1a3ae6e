"""Collections: records on this machine, one SQLite file a collection, searched with FTS5 like any
other source.

store.py       the file of a collection, the text that is indexed, and writing to it
indexing.py    fills a collection with the records of files, or of an OAI-PMH repository, which
               oai.py asks
search.py      searches a collection, read-only, and answers requests to `collection:NAME`

adapters/specs/registry.py lists the collections of a folder; bib/record_json.py stores a record.
"""
