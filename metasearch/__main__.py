"""`python -m metasearch` is the command line."""

from __future__ import annotations

import sys

from metasearch.cli import main

if __name__ == "__main__":
    sys.exit(main())
