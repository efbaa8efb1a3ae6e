"""Runs: what the sources answered to the steps of a strategy, when, and to which request."""
