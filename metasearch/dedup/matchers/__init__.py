"""One file an algorithm; each defines one `Matcher`. dedup/__init__.py names the chains."""
