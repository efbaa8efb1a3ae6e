"""Search strategies: numbered steps in any syntax, which may name one another."""
