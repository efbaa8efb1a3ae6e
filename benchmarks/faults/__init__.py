"""Faults of simulated databases: alone, in pairs and at random, with what came of it.

`expected.py` says what must be told of each fault; `cases.py` is which searches are made;
`searched.py` makes one and looks at what came of it; `table.py` prints it. What one page can do to
the others is the matter of `benchmarks.pages`; `python3 tasks.py bench faults` runs both.
"""
