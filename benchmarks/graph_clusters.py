"""Clusters of graphs by links, features and pairs, beside other methods with the same input.

Networks with known classes: football (conferences), polblogs (leaning; largest component),
email-Eu-core (departments), Cora (words and subjects), and attributed block models of 600 nodes in
four classes, whose links ("mixing" is the fraction that ignores the classes) and features
("distance" of the class centres from the mean, in standard deviations) say much, little or
nothing. 0 to 400 random pairs of the same class are known. All methods that take it are given the
number of classes.

- pu_cluster: links, features and pairs.
- Leiden, Louvain (igraph): links alone, modularity.
- label propagation (igraph): links; the largest groups of known pairs are the seeds, one per
  class, and stay as they are. Without pairs there are no seeds.
- LabelSpreading (scikit-learn): the same seeds; on the links if there are no features, otherwise
  on the nearest neighbours by features. Needs pairs.
- spectral clustering (scikit-learn): links alone.
- k-means: standardised features (of words: 64 directions of a singular value decomposition).
- PCKMeans, COPKMeans (active-semi-supervised-clustering): these features and the pairs. A start
  that fails is repeated twice. They are slow: for at most 1,000 rows, and one seed. MPCKMeans,
  which takes 25 s for 600 rows, is left out.

Prints Markdown and writes docs/data/graph-clusters.csv, mean ARI and NMI over the seeds, and
docs/img/graph-clusters.png. With `--only`, rows of other networks stay; with `--ours`, columns of
other methods do. `--times` measures pu_cluster on growing graphs, and `--number` how many clusters
it finds if it is not told.

    python -m pip install -e ".[bench]"
    PUGRAPH_DATA=... python benchmarks/graph_clusters.py [--seeds 5] [--only cora] [--ours]
    python benchmarks/graph_clusters.py --times
    PUGRAPH_DATA=... python benchmarks/graph_clusters.py --number
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import igraph as ig
import networkx as nx
import numpy as np
import scipy.sparse as sp
from common import DATA, alone, forget_peak, machine, resident, table, write_csv
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.decomposition import TruncatedSVD
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading

from pugraph import datasets
from pugraph.clustering import PUClustering
from pugraph.clustering.joint import joint_memory

PAIRS = (0, 10, 50, 100, 400)
IMAGE = Path(__file__).parents[1] / "docs" / "img" / "graph-clusters.png"
FEW_ROWS, FEW_SEEDS = 1000, 1  # for the constrained k-means, which are slow
BLOCKS = [(0.3, 1.5), (0.5, 1.5), (0.7, 1.5), (0.7, 2.5), (0.7, 0.0), (1.0, 2.5), (1.0, 0.0)]
RIVALS = ("PCKMeans", "COPKMeans")
OURS = "pu_cluster"
METHODS = (
    OURS, "Leiden", "Louvain", "label propagation", "spectral clustering", "k-means",
    "LabelSpreading", *RIVALS,
)  # fmt: skip

Network = tuple[sp.csr_array, Any, np.ndarray]  # links, features or None, classes


def of_networkx(G: nx.Graph, classes: list[Any], features: Any = None) -> Network:
    A = nx.to_scipy_sparse_array(G.to_undirected(), weight=None, dtype=np.int8, format="csr")
    A.setdiag(0)
    A.eliminate_zeros()
    return sp.csr_array(A), features, np.unique(classes, return_inverse=True)[1]


def football() -> Network:
    G = datasets.load("football")
    return of_networkx(G, [value for _, value in G.nodes(data="value")])


def polblogs() -> Network:
    G = datasets.load("polblogs").to_undirected()
    G = G.subgraph(max(nx.connected_components(G), key=len))
    return of_networkx(G, [value for _, value in G.nodes(data="value")])


def email() -> Network:
    G = datasets.load("email-Eu-core")
    folder = Path(os.environ["PUGRAPH_DATA"]) / "email-Eu-core"
    rows = np.loadtxt(folder / "email-Eu-core-department-labels.txt", dtype=int)
    department = dict(rows.tolist())
    return of_networkx(G, [department[node] for node in G])


def cora() -> Network:
    G = datasets.load("cora")
    words = sp.csr_array(np.array([row for _, row in G.nodes(data="words")], float))
    return of_networkx(G, [subject for _, subject in G.nodes(data="subject")], words)


def blocks(mixing: float, distance: float, seed: int = 0, n: int = 600, k: int = 4) -> Network:
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, n)
    chance = 12 / n * (mixing + (1 - mixing) * k * (labels[:, None] == labels))
    upper = np.triu(rng.random((n, n)) < chance, 1)
    centres = rng.standard_normal((k, 10))
    centres *= distance / np.linalg.norm(centres, axis=1, keepdims=True)
    X = centres[labels] + rng.standard_normal((n, 10))
    return sp.csr_array((upper | upper.T).astype(np.int8)), X, labels


NETWORKS: dict[str, Callable[[int], Network]] = {
    "football": lambda seed: football(),
    "polblogs": lambda seed: polblogs(),
    "email-Eu-core": lambda seed: email(),
    "cora": lambda seed: cora(),
} | {
    f"blocks, mixing {mixing}, distance {distance}": (
        lambda seed, mixing=mixing, distance=distance: blocks(mixing, distance, seed)
    )
    for mixing, distance in BLOCKS
}


def draw_pairs(labels: np.ndarray, count: int, seed: int) -> np.ndarray:
    """Return random pairs of the same class; fewer of them are a prefix."""
    rng = np.random.default_rng(seed)
    found = np.empty((0, 2), np.int64)
    while len(found) < count:
        u, v = rng.integers(0, labels.size, (2, 1000))
        found = np.vstack([found, np.column_stack([u, v])[(labels[u] == labels[v]) & (u != v)]])
    return found[:count]


def seeds_of(pairs: np.ndarray, n: int, k: int) -> np.ndarray:
    """Return a label for the rows of the k largest groups of pairs, and -1 for the others."""
    joined = sp.coo_array((np.ones(len(pairs)), tuple(pairs.T)), shape=(n, n))
    groups = connected_components(joined, directed=False)[1]
    sizes = np.bincount(groups)
    largest = [g for g in np.argsort(-sizes, kind="stable")[:k] if sizes[g] > 1]
    return sum(((groups == g) * (i + 1) for i, g in enumerate(largest)), np.zeros(n, int)) - 1


def dense_features(X: Any, seed: int) -> np.ndarray:
    if sp.issparse(X):
        return TruncatedSVD(64, random_state=seed).fit_transform(X)
    return StandardScaler().fit_transform(X)


def without_pairs(network: Network, graph: ig.Graph, seed: int) -> Iterator[tuple[str, Any]]:
    """Yield the methods that use no pairs, with their labels."""
    A, X, truth = network
    k = int(truth.max()) + 1
    random.seed(seed)
    leiden = graph.community_leiden(objective_function="modularity", n_iterations=10)
    yield "Leiden", leiden.membership
    yield "Louvain", graph.community_multilevel().membership
    spectral = SpectralClustering(k, affinity="precomputed", random_state=seed)
    yield "spectral clustering", spectral.fit_predict(A.toarray().astype(float))
    if X is not None:
        means = KMeans(k, n_init=10, random_state=seed)
        yield "k-means", means.fit_predict(dense_features(X, seed))


def with_pairs(
    network: Network, graph: ig.Graph, pairs: np.ndarray, seed: int
) -> Iterator[tuple[str, Any]]:
    """Yield the methods that use pairs, with their labels; None where one failed."""
    A, X, truth = network
    n, k = truth.size, int(truth.max()) + 1
    yield OURS, PUClustering(k, random_state=seed).fit(X, graph=A, must_link=pairs).labels_
    start = seeds_of(pairs, n, k)
    some = len(pairs) > 0
    random.seed(seed)
    spread = graph.community_label_propagation(
        initial=start.tolist() if some else None, fixed=(start >= 0).tolist() if some else None
    )
    yield "label propagation", spread.membership
    if not some:
        return
    rows = None if X is None else dense_features(X, seed)
    if rows is None:
        numbers = np.arange(n)[:, None].astype(float)
        spreading = LabelSpreading(kernel=lambda *_: A.toarray().astype(float))
        yield "LabelSpreading", spreading.fit(numbers, start).transduction_
        return
    spreading = LabelSpreading(kernel="knn", n_neighbors=10)
    yield "LabelSpreading", spreading.fit(rows, start).transduction_
    if n <= FEW_ROWS and seed < FEW_SEEDS:
        for name in RIVALS:
            yield name, rival(name, rows, pairs, k, seed)


def rival(name: str, X: np.ndarray, pairs: np.ndarray, k: int, seed: int) -> np.ndarray | None:
    before = np.geterr()
    from active_semi_clustering.semi_supervised import pairwise_constraints

    np.seterr(**before)  # the import turns floating-point underflow into errors
    for number in range(3):
        np.random.seed(3 * seed + number)  # noqa: NPY002
        try:
            with np.errstate(all="raise"):
                found = getattr(pairwise_constraints, name)(k).fit(X, ml=list(map(tuple, pairs)))
            return found.labels_
        except Exception:
            continue
    return None


def compare(options: argparse.Namespace) -> None:
    found: dict[tuple[str, int, str], list[tuple[float, float]]] = {}
    for name, make in NETWORKS.items():
        if options.only and options.only not in name:
            continue
        for seed in range(options.seeds):
            network = make(seed)
            ends = np.column_stack(sp.triu(network[0]).tocoo().coords)
            graph = ig.Graph(network[2].size, ends)
            plain = [] if options.ours else list(without_pairs(network, graph, seed))
            for count in PAIRS:
                pairs = draw_pairs(network[2], count, 1000 + seed)
                tried = with_pairs(network, graph, pairs, seed)
                for method, labels in [next(tried)] if options.ours else [*tried, *plain]:
                    if labels is None:
                        continue
                    ari = adjusted_rand_score(network[2], labels)
                    nmi = normalized_mutual_info_score(network[2], labels)
                    found.setdefault((name, count, method), []).append((ari, nmi))
            print(f"{name}, seed {seed}", flush=True)
    rows = []
    for name, count in dict.fromkeys((name, count) for name, count, _ in found):
        cells = []
        for method in METHODS:
            runs = found.get((name, count, method))
            cells.append("" if not runs else " / ".join(f"{x:.3f}" for x in np.mean(runs, axis=0)))
        rows.append([name, str(count), *cells])
    head = ["network", "pairs", *METHODS]
    path, done = DATA / "graph-clusters.csv", {row[0] for row in rows}
    kept = list(csv.reader(path.open(encoding="utf-8")))[1:] if path.exists() else []
    if options.ours:
        others = {tuple(row[:2]): row[3:] for row in kept}
        rows = [[*row[:3], *others.get(tuple(row[:2]), row[3:])] for row in rows]
    rows += [row for row in kept if row[0] not in done]
    rows.sort(key=lambda row: list(NETWORKS).index(row[0]))
    print(f"{machine('igraph', 'scikit-learn')}\n\n{table(head, rows)}")
    write_csv("graph-clusters", head, rows)
    draw(rows)


def draw(rows: list[list[str]]) -> None:
    """Draw the ARI by the number of pairs: ours, and the best of the others each time."""
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(
        3, 4, figsize=(11, 7.6), sharex=True, sharey=True, layout="constrained"
    )
    for panel, name in zip(panels.flat, NETWORKS, strict=False):
        own = [row for row in rows if row[0] == name]
        values = np.array(
            [[float(cell.split()[0]) if cell else np.nan for cell in row[2:]] for row in own]
        )
        places = np.arange(len(own))
        # the colour-blind safe palette of Okabe and Ito
        best = np.nanmax(values[:, 1:], axis=1)
        panel.plot(places, best, "s--", color="#D55E00", label="best of the others")
        leiden = values[:, METHODS.index("Leiden")]
        panel.plot(places, leiden, ":", color="#555555", label="Leiden (links alone)")
        panel.plot(places, values[:, 0], "o-", color="#0072B2", linewidth=2.4, label=OURS)
        panel.set_title(name.replace("blocks, ", ""), fontsize=10)
        panel.set_xticks(places, [row[1] for row in own])
        panel.set_ylim(-0.03, 1.03)
    for panel in panels.flat[len(NETWORKS) :]:
        panel.axis("off")
    figure.legend(*panels.flat[0].get_legend_handles_labels(), loc="lower right", fontsize=11)
    figure.supxlabel("known pairs")
    figure.supylabel("adjusted Rand index")
    figure.savefig(IMAGE, dpi=110)


def number() -> None:
    """Print how many clusters are found without their number, beside the true number."""
    rows = []
    for name in ("football", "polblogs", "email-Eu-core", "cora"):
        A, X, truth = NETWORKS[name](0)
        model = PUClustering().fit(X, graph=A)
        rows.append([name, truth.max() + 1, model.n_clusters_])
    for k in (2, 3, 5, 8, 10, 12, 15, 18, 20):
        across = 0.03 if k < 10 else 0.015
        graphs = [nx.planted_partition_graph(k, 30, 0.35, across, seed=seed) for seed in range(3)]
        matrices = [nx.to_scipy_sparse_array(G, format="csr") for G in graphs]
        found = [PUClustering().fit(graph=A).n_clusters_ for A in matrices]
        rows.append([f"{k} planted groups of 30, three seeds", k, ", ".join(map(str, found))])
    X, classes = datasets.load("segment")
    labels = np.unique(classes, return_inverse=True)[1]
    for count in (25, 100, 400, 1600):
        pairs = [draw_pairs(labels, count, 50 + seed) for seed in range(3)]
        found = [PUClustering().fit(X, must_link=some).n_clusters_ for some in pairs]
        text = f"segment, no graph, {count} pairs, three seeds"
        rows.append([text, labels.max() + 1, ", ".join(map(str, found))])
    print(f"{machine('scikit-learn')}\n\n{table(['', 'true', 'found'], rows)}")


def growing(n: int, links: int, words: int, pairs: int) -> list[Any]:
    """Measure one fit; called in a process."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 10, n)
    order = np.argsort(labels, kind="stable")
    bounds = np.searchsorted(labels[order], np.arange(11))
    us = rng.integers(0, n, links)
    near = order[(bounds[labels[us]] + rng.random(links)
                  * (bounds[labels[us] + 1] - bounds[labels[us]])).astype(int)]  # fmt: skip
    vs = np.where(rng.random(links) < 0.6, near, rng.integers(0, n, links))
    A = sp.coo_array((np.ones(links, np.int8), (us, vs)), shape=(n, n)).tocsr()
    A = sp.csr_array(A.maximum(A.T))
    A.data[:] = 1
    X = None
    if words:
        columns = np.where(
            rng.random((n, 20)) < 0.3,
            (labels[:, None] * (words // 10) + rng.integers(0, words // 10, (n, 20))),
            rng.integers(0, words, (n, 20)),
        )
        rows = np.repeat(np.arange(n), 20)
        X = sp.coo_array((np.ones(rows.size), (rows, columns.ravel())), shape=(n, words)).tocsr()
        X.data[:] = 1
    PUClustering(2).fit(graph=A[:200][:, :200] + sp.eye_array(200, k=1, dtype=np.int8).tocsr())
    known = draw_pairs(labels, pairs, 0)
    forget_peak()
    before, start = resident(), time.perf_counter()
    model = PUClustering(10).fit(X, graph=A, must_link=known)
    took = time.perf_counter() - start
    ari = adjusted_rand_score(labels, model.labels_)
    return [
        n,
        links,
        words,
        pairs,
        f"{took:.1f}",
        f"{resident(peak=True) - before:.2f}",
        f"{joint_memory(n, A.nnz, 10, X) / 2**30:.2f}",
        f"{ari:.3f}",
    ]


def times() -> None:
    rows = []
    for n, links, words, pairs in [
        (3_000, 30_000, 3_000, 0), (10_000, 100_000, 0, 0), (10_000, 100_000, 3_000, 0),
        (10_000, 100_000, 3_000, 1_000), (30_000, 300_000, 3_000, 100),
        (100_000, 1_000_000, 0, 100), (100_000, 1_000_000, 3_000, 100),
        (300_000, 3_000_000, 0, 0), (100_000, 3_000_000, 0, 0),
    ]:  # fmt: skip
        rows.append(alone(growing, n, links, words, pairs))
        print(rows[-1], flush=True)
    head = ["nodes", "links", "words", "pairs", "s", "GiB", "estimated GiB", "ARI"]
    print(f"{machine('numba', 'scikit-learn')}\n\n{table(head, rows)}")
    write_csv("graph-clusters-times", head, rows)


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", help="part of the name of a network")
    parser.add_argument("--times", action="store_true", help="measure growing graphs instead")
    parser.add_argument("--ours", action="store_true", help="run pu_cluster alone")
    parser.add_argument(
        "--number", action="store_true", help="find the number of clusters instead"
    )
    options = parser.parse_args()
    if options.times:
        times()
    elif options.number:
        number()
    else:
        compare(options)


if __name__ == "__main__":
    main()
