"""CQL 1.2: read by `parser.py`, written by `printer.py`.

Nothing is imported here: who needs only the printer does not load the parser.
"""
