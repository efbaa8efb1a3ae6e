"""SRU 1.1, 1.2 and 2.0, as library software asks: docs/sru.md."""
