"""Reports, made from the runs and decisions of a project; no number in them is typed.

Each kind of report builds a `Document` (document.py), and `render` writes it in every format. The
numbers come from numbers.py alone.
"""
