"""Lists of references: read, looked up in databases, and checked against what these say."""
