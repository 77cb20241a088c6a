"""`python -m plait` is the command line."""

from plait.doors.cli import main

main()
