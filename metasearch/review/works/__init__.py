"""The works of a project: records of all runs and imports, de-duplicated; and what people decide
about them.
"""
