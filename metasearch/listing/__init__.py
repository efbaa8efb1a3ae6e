"""The list of merged works: its order, facets, filters. Pure functions over hits."""
