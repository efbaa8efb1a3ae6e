"""The file of a workspace: its tables, its threads, and what keeps it safe."""
