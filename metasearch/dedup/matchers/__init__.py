"""Matchers of the default chain, which dedup/strategies.py lists."""
