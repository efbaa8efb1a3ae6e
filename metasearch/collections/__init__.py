"""Collections: records on this machine, one SQLite file a collection, searched with FTS5 like any
other source.

database.py    the SQLite file of a collection: its tables, marks and lock
store.py       a collection open for writing: transactions, records, files
indexing.py    fills a collection with the records of files
harvest/       fills a collection with the records of an OAI-PMH repository
search.py      searches a collection, read-only
transport.py   answers requests to `collection:NAME`
texts.py       the text of a record that is indexed, and the same spelling for a query's words

adapters/specs/collections.py lists the collections of a folder; bib/record_json.py stores a record.
"""
