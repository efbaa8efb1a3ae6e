"""The staged job: dedup of more records than memory holds, in stages that lie on disk.

`records` (what the files say) -> `keys`, `titles`, `signatures`, `traits` (what the matchers need)
-> `components` (which records may be one work, found by an engine of `metasearch/bulk/engines`) ->
`chunks` (the records of whole components together) -> `works` (found by the same code that searches
use, component by component) -> names, and the works in the order of their first records.
"""
