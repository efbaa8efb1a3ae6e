"""Search strategies: numbered steps in any syntax, which may name one another.

`strategies.py` and `steps.py` keep them; `resolve.py` makes one query of a step and of all that it
names.
"""
