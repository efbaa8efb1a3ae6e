"""The works of a project: records of all runs and imports, de-duplicated; and what people decide
about them.

`intake.py` takes records in, `works.py` finds a work by any of its names, `lists.py` lists,
`decisions.py`, `pins.py` and `undo.py` change, `export.py` and `decisions_file.py` exchange works
with other programs.
"""
