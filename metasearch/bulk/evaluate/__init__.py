"""How good dedup is on labelled sets: precision, recall, works lost, and the pairs that went wrong.

`datasets` reads a set, `run` clusters it, `metrics` counts, `wrong` finds what went wrong, `report`
tells it; `compare` puts strategies side by side, `compare_report` tells that, and `plot` draws it.
"""
