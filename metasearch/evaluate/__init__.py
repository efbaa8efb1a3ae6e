"""How good dedup is on labelled sets: precision, recall, works lost, and the pairs that went wrong."""
