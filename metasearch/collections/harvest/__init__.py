"""OAI-PMH: the first harvest fetches all records of a repository, later ones only the changes.

client.py      the protocol: requests, errors, resumption tokens, waiting as the repository asks
harvest.py     a harvest: stores each page in the collection, and resumes an interrupted one
"""
