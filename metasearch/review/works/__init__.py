"""The works of a project: records of all runs and imports, de-duplicated; and what people decide
about them.

`adding.py` takes records in, `works.py` finds a work by any of its names, `listing.py` lists,
`decisions.py`, `pins.py` and `undo.py` change, `exporting.py` and `importing.py` exchange works
with other programs.
"""
