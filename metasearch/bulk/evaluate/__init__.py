"""How good dedup is on labelled sets: precision, recall, works lost, and the wrong pairs."""
