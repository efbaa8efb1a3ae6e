"""Parquet files of strangers."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any


def parquet_of(columns: Mapping[str, Any], **options: Any) -> bytes:
    """A file with these columns: name -> a list of values, or an Arrow array."""
    import pyarrow as pa
    from pyarrow import parquet

    out = io.BytesIO()
    parquet.write_table(pa.table(dict(columns)), out, **options)
    return out.getvalue()
