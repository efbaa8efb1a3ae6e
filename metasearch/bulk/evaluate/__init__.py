"""How good dedup is on labelled sets: precision, recall, works lost, and the pairs that went wrong.

`datasets` reads a set, `run` clusters it and counts, `report` tells it with what went wrong;
`compare` puts strategies side by side, and `output` writes either, as a picture, too.
"""
