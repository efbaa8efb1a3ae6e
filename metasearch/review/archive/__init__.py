"""A project as one file, written and read into any workspace: docs/project-archive.md."""
