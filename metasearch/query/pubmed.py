"""PubMed's syntax, read by `parser.py`.

Nothing is imported here: `detect.py` needs only the tags.
"""
