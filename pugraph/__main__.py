"""The command line: `python -m pugraph`."""

from pugraph.cli import command

command()
