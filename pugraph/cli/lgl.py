"""Read LGL files: "# node", and a line for each of its neighbours."""

from __future__ import annotations

import numpy as np

from pugraph.cli.files import FileError, Links, lines_of


def parse_lgl(data: bytes, path: str) -> Links:
    """Return the links of an LGL file, which are undirected; weights are ignored."""
    numbers: dict[bytes, int] = {}
    us, vs = [], []
    node = None
    for line, text in lines_of(data):
        named = text.startswith(b"#")
        fields = text[named:].split()
        if not named and node is None:
            raise FileError(path, 'a neighbour before the first node, which "# node" begins', line)
        if not 1 <= len(fields) <= 2 - named:
            expected = "# node" if named else "a neighbour and, if any, a weight"
            raise FileError(path, f"{len(fields)} columns instead of {expected}", line)
        place = numbers.setdefault(fields[0], len(numbers))
        if named:
            node = place
        else:
            us.append(node)
            vs.append(place)
    names = [name.decode() for name in numbers]
    return Links(np.array(us, np.int32), np.array(vs, np.int32), names, False)
