"""`metasearch sources`: lists, shows and checks the sources, and helps to write new ones.

commands.py    the group and all its commands
specs.py       a spec by its name or path, and the problems of specs and configurations
probe.py       what `probe` asks and reports
authoring.py   the specs that `new` writes, and the cases that `record` writes
"""
