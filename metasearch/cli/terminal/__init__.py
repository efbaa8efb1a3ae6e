"""What the commands share: the terminal, the output, and the child process of a command.

console.py             what the terminal can do, and the function that writes to stderr
output.py              where results are written: standard output or a file
progress_block.py      the block of lines that shows the state of a search
progress_line.py       one line that shows the progress of a long command
columns.py             a table with aligned columns
logs.py                log messages of the library on stderr
exits.py               the exit codes
watchdog.py            runs a command in a child process, which Ctrl-C and deadlines can end
watchdog_messages.py   what the child sends to its parent
"""
