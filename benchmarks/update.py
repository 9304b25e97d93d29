"""Updates of fitted models, compared with new fits.

Of each network, some links are left out of the old graph and as many others out of the new one;
both together are the stated fraction of all links. Times are CPU seconds of both threads, the best
of several interleaved runs. The objective is compared with that of a refit, and so is that of a
refit from another seed. Average precision is that of a tenth of the links, which is in neither
graph.

With --drift: twenty updates in a row, each of which exchanges one link in twenty. Prints Markdown
and writes docs/data/update.csv, or docs/data/update-drift.csv.

    PUGRAPH_DATA=... python benchmarks/update.py [--repeats 3] [--models blend ...]
    PUGRAPH_DATA=... python benchmarks/update.py --drift
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from typing import Any

import networkx as nx
import numpy as np
from common import machine, table, write_csv
from sklearn.exceptions import ConvergenceWarning

import pugraph
from pugraph import datasets
from pugraph.adapters import GraphData, to_graph_data
from pugraph.adapters.changes import without_links
from pugraph.core.types import IntArray
from pugraph.evaluation import evaluate

NETWORKS = ("ca-AstroPh", "sx-mathoverflow")
DRIFTING = ("ca-GrQc",)
SAMPLED = {"ca-AstroPh": 1_000_000, "sx-mathoverflow": 1_000_000}  # non-links; otherwise all
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "bias, als": ("bias", {}),
    "bias, ccd++": ("bias", {"solver": "ccd++"}),
    "shift, ball": ("shift", {}),
    "blend": ("blend", {}),
}
CHANGED = (0.001, 0.01, 0.1)
EACH_TIME = 0.05  # of twenty updates
SHOWN = (1, 5, 10, 20)  # updates, after which the model is compared


class Network:
    """A network, a tenth of whose links is hidden."""

    def __init__(self, name: str, seed: int = 0) -> None:
        G = datasets.load(name)
        self.name = name
        self.data = to_graph_data(nx.Graph(G))._loopless
        self.rng = np.random.default_rng(seed)
        self.links = self.data.links()
        order = self.rng.permutation(self.links[0].size)
        self.hidden, self.order = np.split(order, [order.size // 10])

    def without(self, some: IntArray) -> GraphData:
        gone = np.append(self.hidden, some)
        return without_links(self.data, self.links[0][gone], self.links[1][gone])

    def precision(self, model: Any, train: GraphData) -> float:
        nodes = self.data.nodes
        us, vs = (ends[self.hidden] for ends in self.links)
        pairs = [(nodes[u], nodes[v]) for u, v in zip(us, vs, strict=True)]
        found = evaluate(model, train, pairs, sample=SAMPLED.get(self.name))
        return found.connected.estimated_average_precision


def cpu_seconds(call: Any) -> tuple[float, Any]:
    start = time.process_time()
    found = call()
    return time.process_time() - start, found


def compare(network: Network, label: str, changed: float, repeats: int) -> list[Any]:
    method, options = MODELS[label]
    size = int(network.order.size * changed / 2)
    old = network.without(network.order[:size])
    new = network.without(network.order[size : 2 * size])
    model = pugraph.fit(old, method, **options)
    calls = {
        "update": lambda: model.update(new),
        "refit": lambda: pugraph.fit(new, method, **options),
    }
    took, found = dict.fromkeys(calls, np.inf), {}
    for _ in range(repeats):
        for name, call in calls.items():
            seconds, found[name] = cpu_seconds(call)
            took[name] = min(took[name], seconds)
    differences = ["-", "-"]
    if method != "blend":
        seed = pugraph.fit(new, method, seed=1, **options)
        least = found["refit"].history[-1]
        values = (found["update"].history[-1], seed.history[-1])
        differences = [f"{value / least - 1:+.1e}" for value in values]
    precisions = [network.precision(found[name], new) for name in calls]
    times = [f"{took['update']:.2f}", f"{took['refit']:.2f}"]
    times.append(f"{took['refit'] / took['update']:.1f}")
    return [*times, *differences, *(f"{value:.4f}" for value in precisions)]


def drift(name: str, label: str) -> Iterator[list[Any]]:
    network = Network(name)
    method, options = MODELS[label]
    size = int(network.order.size * EACH_TIME / 2)
    order = network.order
    model = pugraph.fit(network.without(order[:size]), method, **options)
    for count in range(1, SHOWN[-1] + 1):  # those that were left out come back, and others go
        out, rest = order[:size], network.rng.permutation(order[size:])
        order = np.concatenate([rest, out])
        now = network.without(order[:size])
        model = model.update(now)
        if count in SHOWN:
            refits = (pugraph.fit(now, method, seed=seed, **options) for seed in (0, 1))
            yield [
                name,
                label,
                count,
                *(f"{network.precision(each, now):.4f}" for each in (model, *refits)),
            ]


def updates(
    networks: list[str], labels: list[str], shares: list[float], repeats: int
) -> tuple[str, list[str], Iterator[list[Any]]]:
    head = ["network", "model", "changed links, %", "update, s", "refit, s", "times faster"]
    head += ["objective", "objective, another seed", "AP", "AP of the refit"]
    rows = (
        [network.name, label, f"{100 * changed:g}", *compare(network, label, changed, repeats)]
        for network in map(Network, networks)
        for label in labels
        for changed in shares
    )
    return "update", head, rows


def drifts(labels: list[str]) -> tuple[str, list[str], Iterator[list[Any]]]:
    head = ["network", "model", "updates", "AP", "AP of a refit", "AP, another seed"]
    rows = (row for name in DRIFTING for label in labels for row in drift(name, label))
    return "update-drift", head, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--models", nargs="*", default=[*MODELS])
    parser.add_argument("--networks", nargs="*", default=NETWORKS)
    parser.add_argument("--changed", nargs="*", type=float, default=CHANGED)
    parser.add_argument("--drift", action="store_true")
    args = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)
    pugraph.fit(nx.karate_club_graph()).update(added=[(0, 9)])  # compile
    if args.drift:
        name, head, found = drifts(args.models)
    else:
        name, head, found = updates(args.networks, args.models, args.changed, args.repeats)
    rows = []
    for row in found:
        print(*row, file=sys.stderr, flush=True)
        rows.append(row)
        write_csv(name, head, rows)
    print(f"{machine('pugraph')}\n\n{table(head, rows)}")


if __name__ == "__main__":
    main()
