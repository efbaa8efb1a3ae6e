"""Matchers of the default chain, which dedup/default.py lists."""
