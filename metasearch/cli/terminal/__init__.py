"""What the commands share: the terminal, the results' way out, and the process of a command.

console.py     what the terminal can do, and the one function that writes to stderr
output.py      where results are written: standard output or a file
progress.py    the block of lines that shows the state of a search
live.py        one line that shows the progress of a long job
columns.py     a table with aligned columns
logs.py        log messages of the library on stderr
exits.py       the exit codes
keeper.py      a command in a process of its own, which Ctrl-C and deadlines can end
"""
