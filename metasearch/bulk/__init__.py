"""Whole files at once: dedup of exports, with the numbers that a systematic review reports."""
