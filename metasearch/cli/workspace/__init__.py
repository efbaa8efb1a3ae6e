"""The workspace by command line: `metasearch workspace`, `project`, `strategy`, `works`, `report`,
`user`.

Each group is a file of its name, longer ones with the rest in NAME_*.py. All commands import the
workspace when they run, not before.

call.py        what every command gets: console, file, project, and how its answer is written
options.py     options that several commands share
remembered.py  the project that was used last
"""
