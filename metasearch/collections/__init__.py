"""Shelves: records that are kept here, in one SQLite file a shelf, and searched by FTS5 like any
database.

folder.py      which shelves there are, and where their files lie
database.py    the SQLite file of a shelf: its tables, its marks, its lock
store.py       one shelf that is being filled: its transactions, its records, its files
search.py      one shelf that is being asked, read-only
texts.py       what of a record is indexed, and how a query's words are spelt so that they meet it
stored.py      a record as it is kept, and back
"""
