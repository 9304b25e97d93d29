"""Run the demonstration: `python -m pugraph`."""

from pugraph.cli import main

main()
