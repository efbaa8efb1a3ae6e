"""Collections: records on this machine, one SQLite file a collection, searched with FTS5 like any
other source. adapters/specs/registry.py lists the collections of a folder.
"""
