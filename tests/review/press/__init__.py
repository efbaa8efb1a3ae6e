"""Reviews of search strategies."""
