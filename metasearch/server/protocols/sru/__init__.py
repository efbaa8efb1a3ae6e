"""SRU 1.1, 1.2 and 2.0, as library software asks: docs/sru.md.

`handler.py` answers a request; `parameters.py` reads it, `envelope.py` writes what surrounds the
records, and `schemas.py` the records.
"""
