"""Saved searches: they are run by a schedule, and tell what is new since the run before."""
