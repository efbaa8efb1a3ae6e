"""Bibliographic files -> records: format and encoding are detected, what is broken is reported with its line."""
