"""The pages of the workspace: projects, strategies, works, reports and the log.

Each module reads the parameters and forms of one page, calls the workspace, and hands what it
returns to the module of the same name in `metasearch.server.pages.projects`.
"""
