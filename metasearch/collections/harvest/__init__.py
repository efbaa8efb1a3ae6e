"""OAI-PMH: a repository's records are fetched once, and afterwards only what has changed since.

client.py      the protocol: requests, errors, resumption tokens, waiting when asked to
harvest.py     a harvest: which records go on the shelf, and how it goes on where it was broken off
"""
