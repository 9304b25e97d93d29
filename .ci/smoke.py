"""Use an installed pugraph as a user would, from outside of the repository.

First, make sure that nothing can be written beside it.
"""

import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import igraph as ig
import networkx as nx

import pugraph
from pugraph.cli import main

home = Path(pugraph.__file__).parent
assert "site-packages" in home.parts, f"this is not an installed copy: {home}"
assert (home / "py.typed").exists()
assert pugraph.__version__ == version("pugraph")

for place in (home / "core", Path.home()):
    try:
        (place / "written").touch()
    except OSError:
        continue
    sys.exit(f"{place} can be written to")

begun = time.perf_counter()
G = nx.karate_club_graph()
best = pugraph.top_links(G, 3)
print(f"{best[0]} after {time.perf_counter() - begun:.1f} s")
assert len(best) == 3
assert not any(G.has_edge(u, v) for u, v, _ in best)

g = ig.Graph.Famous("Zachary")
assert [(u, v) for u, v, _ in pugraph.pu_shift(g, [(0, 33), (14, 20)])] == [(0, 33), (14, 20)]
assert len(list(pugraph.pu_blend(G, [(0, 33)]))) == 1

for method in ("blend", "bias"):
    model = pugraph.fit(G, method, features="club")
    with tempfile.TemporaryDirectory() as place:
        model.save(Path(place) / "model")
        again = pugraph.LinkModel.load(Path(place) / "model")
    assert list(again.predict([(0, 33)])) == list(model.predict([(0, 33)]))

assert main(["predict", "--top", "3", "--quiet"]) == 0
print(f"pugraph {pugraph.__version__} works, after {time.perf_counter() - begun:.1f} s")
