"""`metasearch sources`: lists, shows and checks the sources, and helps to write new ones.

commands.py      the group, and `list`, `show` and `check`
specs.py         a spec by its name or path
check.py         the problems of specs and configurations
probe.py         `probe`; probe_run.py sends the queries, probe_report.py writes the report
authoring.py     `new`, `record` and `schema`; templates.py holds the specs that `new` writes,
                 cases.py the cases that `record` writes
"""
