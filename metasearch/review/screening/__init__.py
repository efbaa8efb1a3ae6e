"""Screening in teams: several people decide on each work, each for themselves.

A vote is a row of `decision` with the uid of a screener; the row with "" is what the project has
decided.
"""
