"""Scores of all methods on networks that come with networkx, stored in tests/data/golden.json.

    python -m tests.golden

writes them anew, after a change of results that was decided. docs/ and the changelog should say
why.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse as sp

import pugraph
from pugraph.link_prediction.methods import METHODS
from pugraph.models.defaults import SOLVERS

FILE = Path(__file__).parent / "data" / "golden.json"
_PAIRS = 12  # of each network

# How far scores may be from the stored ones. Indices and walks have no start and no tolerance;
# other processors round otherwise. A fit may end a sweep earlier or later: then its scores differ
# by about its tolerance. Of a blend, a rounded score may fall on the other side of a split.
TOLERANCES = {"index": 1e-9, "fit": 2e-3, "blend": 1e-2}


def networks() -> dict[str, Any]:
    """Return the networks: undirected, directed and rectangular."""
    women = nx.davis_southern_women_graph()
    top = [node for node, side in women.nodes(data="bipartite") if side == 0]
    bottom = [node for node in women if node not in set(top)]
    miserables = nx.les_miserables_graph()
    families = nx.DiGraph()
    families.add_nodes_from(sorted(nx.florentine_families_graph()))
    families.add_edges_from(sorted(sorted(edge) for edge in nx.florentine_families_graph().edges))
    return {
        "karate": nx.karate_club_graph(),
        "les_miserables": miserables,
        "florentine, directed": families,
        "southern_women, rectangular": sp.csr_array(
            nx.bipartite.biadjacency_matrix(women, top, bottom)
        ),
    }


def scorers(name: str) -> dict[str, tuple[str, Callable[[Any], Any]]]:
    """Return the kind of tolerance, and the function from graphs to scorers, of each method."""
    kind = name.partition(", ")[2]
    made: dict[str, tuple[str, Callable[[Any], Any]]] = {}
    for method in METHODS.values():
        if method.savable and method.name != "blend":
            continue
        if not kind or getattr(method, kind):
            tolerance = "blend" if method.name == "blend" else "index"
            made[method.name] = tolerance, method.make_scorer
    for solver in SOLVERS:
        if solver.penalty is None:
            made[f"{solver.method}, {solver.name}"] = (
                "fit",
                _fit(solver.method, solver=solver.name),
            )
        elif name == "karate":
            options: dict[str, Any] = {"features": "club", "penalty": solver.penalty}
            if not solver.only_auto:
                options["solver"] = solver.name
            words = f"{solver.method}, {solver.name}, {solver.penalty}, features"
            made[words] = "fit", _fit(solver.method, **options)
    return made


def _fit(method: str, **options: Any) -> Callable[[Any], Any]:
    return lambda G: pugraph.fit(G, method, **options)


def pairs(scorer: Any) -> tuple[Any, Any]:
    """Return some positions: of pairs that are not links, and of two that are."""
    A = scorer.data.adjacency.toarray() != 0
    free = ~A
    if scorer.data.square:
        np.fill_diagonal(free, False)
    rows, cols = np.nonzero(free)
    chosen = np.linspace(0, rows.size - 1, _PAIRS - 2).astype(int)
    linked = [side[[0, -1]] for side in np.nonzero(A)]
    return np.append(rows[chosen], linked[0]), np.append(cols[chosen], linked[1])


def scores(G: Any, make: Callable[[Any], Any]) -> list[float]:
    """Return the scores of some pairs."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scorer = make(G)
    return [float(f"{p:.12g}") for p in scorer.score_pairs(*pairs(scorer))]


def main() -> None:
    """Write the file."""
    found = {
        name: {what: scores(G, make) for what, (_, make) in scorers(name).items()}
        for name, G in networks().items()
    }
    FILE.parent.mkdir(exist_ok=True)
    FILE.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
