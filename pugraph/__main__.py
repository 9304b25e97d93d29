"""The command line: `python -m pugraph`."""

import sys

from pugraph.cli import main

sys.exit(main())
