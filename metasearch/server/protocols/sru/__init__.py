"""SRU 1.1, 1.2 and 2.0, as library software asks: docs/sru.md.

`handler.py` answers a request; `parameters.py` reads it, `responses.py` writes what is answered, in
the words of `vocabulary.py`.
"""
