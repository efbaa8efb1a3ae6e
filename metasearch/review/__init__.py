"""The workspace: projects with their strategies, runs, works and reports, in one SQLite file.

It stands on the engine, which knows nothing of it. A function that takes a `Database` is
synchronous and belongs to the thread of that database; `Workspace` calls it there.
"""
