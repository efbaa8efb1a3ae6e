"""Other protocols over the same list: each reads its own parameters into `SearchOptions` and writes
the same answer.
"""
