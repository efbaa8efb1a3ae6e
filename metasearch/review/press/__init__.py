"""Peer review of search strategies (PRESS), by rule."""
