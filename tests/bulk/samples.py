"""Small exports that overlap, and the job on them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from metasearch.bulk.job import JobOutcome, deduplicate, read_all
from metasearch.dedup import DEFAULT
from metasearch.formats.reading.files import gather

#: Three records of two works; the first and the last are one.
SCOPUS = """\
TY  - JOUR
ID  - s1
AU  - Musterfrau, Erika
AU  - Byron, Ada A.
TI  - Sorption of iron in the mud of shallow lakes
T2  - Journal of Mud
PY  - 2019
VL  - 12
IS  - 3
SP  - 101
EP  - 109
DO  - 10.1000/mud.1
DB  - Scopus
ER  -

TY  - BOOK
AU  - Okeke, Chidi
TI  - A field guide to estuaries
PB  - Shore Press
PY  - 2001
DB  - Scopus
ER  -

TY  - JOUR
AU  - Musterfrau, E.
TI  - Sorption of iron in the mud of shallow lakes.
T2  - J Mud
PY  - 2019
VL  - 12
SP  - 101
DO  - 10.1000/mud.1
DB  - Embase
ER  -
"""

#: The first work of `SCOPUS`, and one that nobody else has.
LIBRARY = """\
@article{musterfrau2019,
  author = {Musterfrau, Erika and Byron, Ada A.},
  title = {Sorption of Iron in the Mud of Shallow Lakes},
  journal = {Journal of Mud}, year = {2019}, volume = {12}, number = {3}, pages = {101--109},
  doi = {10.1000/MUD.1}
}

@book{sato1999,
  author = {Sato, Yuki}, title = {Rivers of the north}, publisher = {Shore Press}, year = {1999}
}
"""

#: A preprint and the article that came of it.
VERSIONS = """\
TY  - UNPB
ID  - v1
AU  - Ali, Fatima
AU  - Rossi, Paul
TI  - Deep sounding of tidal channels with cheap sensors
T2  - bioRxiv
PY  - 2020
DO  - 10.1101/2020.01.02.000001
ER  -

TY  - JOUR
ID  - v2
AU  - Ali, Fatima
AU  - Rossi, Paul
TI  - Deep sounding of tidal channels with cheap sensors
T2  - Coastal Letters
PY  - 2021
VL  - 3
SP  - 11
EP  - 19
DO  - 10.1000/cl.3.11
ER  -
"""

#: A row that is no JSON between two records of ours.
BROKEN = """\
{"source": "alpha", "position": 1, "source_id": "1", "title": "Peat bogs in spring", "year": 2011}
{"source": "alpha", "position": 2, "source_id": "2", "title": "Peat
{"source": "alpha", "position": 3, "source_id": "3", "title": "Peat bogs in autumn", "year": 2011}
"""


def write(folder: Path, **files: str | bytes) -> list[Path]:
    """Files of these names ("scopus_ris" is scopus.ris) and contents."""
    paths = []
    for name, content in files.items():
        path = folder / ".".join(name.rsplit("_", 1))
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        paths.append(path)
    return paths


def run(*paths: Path, **options: Any) -> JobOutcome:
    """The whole job, without a command line."""
    return deduplicate(read_all(gather(paths).files), DEFAULT, **options)
