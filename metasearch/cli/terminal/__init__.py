"""What the commands share: the terminal, the output, and the child process of a command.

console.py             what the terminal can do, messages on stderr, tables, and the exit codes
output.py              where results are written: standard output or a file
progress.py            the progress of a command on stderr, and log messages of the library
watchdog.py            runs a command in a child process, which Ctrl-C and deadlines can end
watchdog_messages.py   what the child sends to its parent
"""
