"""Clusters from features and a few pairs that belong together: the paper's figure 2.

The pairs are drawn at random, without replacement, from the pairs of distinct rows of the same
class; a smaller set of pairs is a prefix of a larger one. All methods are given the number k of
classes. The error is the fraction of wrong entries in the n x n matrix of same or different class.

- BiasMC-inductive is PUClustering(k), with the ridge penalty and with the nuclear norm.
- MC-inductive treats every other pair as a true zero: alpha = 0.5. Its reg is that of BiasMC, or
  the one of seven with the best mean ARI in hindsight.
- "X > q" forms no clusters: two rows count as the same class if their similarity is above q. The
  paper evaluates MC-inductive in this way, with q = 0.5; for BiasMC the theory gives another q.
  The best q in hindsight is chosen for each run.
- Spectral clustering uses only the graph of the pairs. Its normalised Laplacian has an eigenvalue
  0 for every component. The eigenvectors of the k largest components, with rows of length 1 or 0,
  go to k-means. So no eigensolver is needed, and all rows without a pair have the same vector.
- k-means uses standardised features and no pairs.
- PCKMeans, COPKMeans and MPCKMeans of active-semi-supervised-clustering use standardised features
  and must-links. They are slow, so a second comparison has 500 rows, drawn anew for each seed, and
  pairs among them; it includes all other methods except "X > q". If a method raises an error, it
  is started again with another seed, at most ten times. The number of errors is reported; means
  are over the runs that returned labels.

Prints Markdown. Unless --only is given, writes docs/data/clustering-*.csv and draws
docs/img/clustering.png, for all rows. Takes about half an hour on one core; --save keeps the
numbers of every run, and --load prints them again.

    python -m pip install -e ".[bench]"
    PUGRAPH_DATA=... python benchmarks/clustering.py [--data segment] [--only bias] [--save FILE]
    python benchmarks/clustering.py --load FILE
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from common import machine, table, write_csv
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from pugraph import datasets
from pugraph.clustering import PUClustering

DATA = ("mushrooms", "segment")  # the paper's data sets
PAIRS = (25, 50, 100, 200, 400, 800, 1600)
FEW_ROWS = 500  # of the second comparison: the rivals are slow
STARTS = 10  # of k-means, and at most of a rival
REGS = (0.2, 20.0, 2e3, 6e3, 2e4, 6e4, 2e5)  # from the default of PUClustering upwards
BLOCK = 512  # rows scored at a time; affects memory only
BINS = 4096  # of the grid on which the best threshold is searched
IMAGE = Path(__file__).parents[1] / "docs" / "img" / "clustering.png"

BIAS, NUCLEAR = "BiasMC-inductive", "BiasMC-inductive, nuclear norm"
MC, MC_BEST = "MC-inductive", "MC-inductive, best reg in hindsight"
SPECTRAL, KMEANS = "spectral clustering, no features", "k-means, no pairs"
MC_HALF = "MC-inductive, X > 0.5"
RIVALS = ("PCKMeans", "COPKMeans", "MPCKMeans")
LABELLED = (BIAS, NUCLEAR, MC, MC_BEST, SPECTRAL, KMEANS, *RIVALS)
CUT = (
    f"{BIAS}, X > the theory's q",
    f"{BIAS}, X > the best q in hindsight",
    MC_HALF,
    f"{MC}, X > the best q in hindsight",
    f"{MC}, X > the best q, best reg in hindsight",
)
KEYS = ("bias", "nuclear", "mc", "threshold", "spectral", "kmeans", *map(str.lower, RIVALS))

Record = dict[str, Any]


def draw_pairs(labels: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return random pairs of distinct rows with the same label, without repeated pairs."""
    n, found = labels.size, np.empty((0, 2), np.int64)
    while len(found) < count:
        drawn = np.sort(rng.integers(0, n, (20 * count, 2)), axis=1)
        u, v = drawn.T
        found = np.vstack([found, drawn[(u != v) & (labels[u] == labels[v])]])
        found = found[np.sort(np.unique(found, axis=0, return_index=True)[1])]
    return found[:count]


def measures(truth: np.ndarray, labels: np.ndarray) -> Record:
    both = contingency_matrix(truth, labels).astype(np.float64)
    wrong = (both.sum(axis=1) ** 2).sum() + (both.sum(axis=0) ** 2).sum() - 2 * (both**2).sum()
    return {
        "error": wrong / truth.size**2,
        "ari": adjusted_rand_score(truth, labels),
        "nmi": normalized_mutual_info_score(truth, labels),
    }


def cut_errors(model: PUClustering, F: np.ndarray, truth: np.ndarray, q: float) -> list[float]:
    """Return the errors of X > q and of X > the best threshold, computed block by block.

    The best threshold is searched on a fine grid between the 0.1 % and 99.9 % quantiles of X.
    """
    found = model._learned
    scaled = found.scaling.apply(F)
    left, right = (np.float32(scaled @ factor) for factor in (found.P, found.Q))
    n = truth.size
    u, v = np.random.default_rng(0).integers(0, n, (2, 200_000))
    low, high = np.quantile((left[u] * right[v]).sum(axis=1), [0.001, 0.999])
    scale = np.float32(BINS / max(high - low, 1e-30))
    wrong, counts = 0, np.zeros((2, BINS), np.int64)
    for start in range(0, n, BLOCK):
        scores = left[start : start + BLOCK] @ right.T
        same = truth[start : start + BLOCK, None] == truth
        wrong += np.count_nonzero((scores > q) != same)
        scores -= np.float32(low)
        scores *= scale
        bins = np.clip(scores, 0, BINS - 1, out=scores).astype(np.int64)
        bins += BINS * same
        counts += np.bincount(bins.ravel(), minlength=2 * BINS).reshape(2, BINS)
    apart, together = np.cumsum(counts, axis=1)
    # pairs of the same class below the threshold are wrong, and so are other pairs above it
    errors = together + (apart[-1] - apart)
    best = min(int(errors.min()), int(apart[-1]), int(together[-1]))
    return [wrong / n**2, best / n**2]


def theory(rho: float) -> float:
    """Return the q of LinkModel.threshold."""
    ratio = math.sqrt(1 + 2 * rho)
    return (1 + rho) / (1 + 2 * rho) * ratio / (1 + ratio)


def spectral(F: np.ndarray, pairs: np.ndarray, k: int, seed: int) -> np.ndarray:
    n = len(F)
    joined = sp.coo_array((np.ones(len(pairs)), tuple(pairs.T)), shape=(n, n))
    component = connected_components(joined, directed=False)[1]
    sizes = np.bincount(component)
    largest = np.argsort(-sizes, kind="stable")[:k]
    vectors = (component[:, None] == largest[sizes[largest] > 1]).astype(np.float64)
    found = min(k, 1 + vectors.shape[1])
    return KMeans(found, n_init=STARTS, random_state=seed).fit_predict(vectors)


def rival(name: str, F: np.ndarray, pairs: np.ndarray, k: int, seed: int) -> Record:
    """Run a rival until it returns labels; it draws from NumPy's global random state."""
    before = np.geterr()
    from active_semi_clustering.semi_supervised import pairwise_constraints

    np.seterr(**before)  # the import turns floating-point underflow into errors globally
    F = StandardScaler().fit_transform(F)
    links = [tuple(pair) for pair in pairs.tolist()]
    raised: list[str] = []
    while len(raised) < STARTS:
        np.random.seed(STARTS * seed + len(raised))  # noqa: NPY002
        try:
            with np.errstate(all="raise"):  # as the package sets it
                fitted = getattr(pairwise_constraints, name)(k).fit(F, ml=links)
            return {"labels": fitted.labels_, "raised": raised}
        except Exception as error:
            raised.append(type(error).__name__)
    return {"labels": None, "raised": raised}


def runs(
    F: np.ndarray, truth: np.ndarray, pairs: np.ndarray, seed: int, wanted: set[str], few: bool
) -> Iterator[Record]:
    """Run the methods on one set of pairs; yield a record for each."""
    k = int(truth.max()) + 1

    def ours(method: str, **options: Any) -> tuple[PUClustering, Record]:
        start = time.perf_counter()
        model = PUClustering(k, n_jobs=1, **options).fit(F, must_link=pairs)
        took = time.perf_counter() - start
        return model, {"method": method, "seconds": took, **measures(truth, model.labels_)}

    def timed(method: str, call: Callable[..., np.ndarray], *args: Any) -> Record:
        start = time.perf_counter()
        labels = call(*args)
        took = time.perf_counter() - start
        return {"method": method, "seconds": took, **measures(truth, labels)}

    cut = "threshold" in wanted and not few
    model, record = ours(BIAS, penalty="ridge")
    if "bias" in wanted:
        yield record
    if cut:
        errors = cut_errors(model, F, truth, theory(model.rho_))
        for method, error in zip(CUT[:2], errors, strict=True):
            yield {"method": method, "error": error}
    if "nuclear" in wanted:
        yield ours(NUCLEAR, penalty="nuclear")[1]
    for reg in REGS if wanted & {"mc", "threshold"} else ():
        plain, record = ours(MC, alpha=0.5, reg=reg, penalty="ridge")
        if "mc" in wanted:
            yield {**record, "method": MC_BEST, "reg": reg}
            if reg == model.reg_:
                yield record
        if cut:
            half, best = cut_errors(plain, F, truth, 0.5)
            yield {"method": CUT[4], "error": best, "reg": reg}
            if reg == model.reg_:
                yield {"method": CUT[2], "error": half}
                yield {"method": CUT[3], "error": best}
    if "spectral" in wanted:
        yield timed(SPECTRAL, spectral, F, pairs, k, seed)
    if "kmeans" in wanted:
        means = KMeans(k, n_init=STARTS, random_state=seed)
        yield timed(KMEANS, means.fit_predict, StandardScaler().fit_transform(F))
    for name in RIVALS if few else ():
        if name.lower() in wanted:
            start = time.perf_counter()
            record = rival(name, F, pairs, k, seed)
            labels = record.pop("labels")
            found = {} if labels is None else measures(truth, labels)
            yield {"method": name, "seconds": time.perf_counter() - start, **record, **found}


def measure(options: argparse.Namespace) -> list[Record]:
    records: list[Record] = []
    wanted = set(options.only or KEYS)
    start = time.perf_counter()
    for name in options.data:
        loaded = datasets.load(name)
        for few in (False, True):
            for seed in range(options.seeds):
                rng = np.random.default_rng(seed)
                n = loaded.labels.size
                rows = np.sort(rng.permutation(n)[:FEW_ROWS]) if few else np.arange(n)
                F, truth = loaded.features[rows], loaded.labels[rows]
                F = F[:, F.std(axis=0) > 0]
                pairs = draw_pairs(truth, max(options.pairs), rng)
                for count in options.pairs:
                    what = {"data": name, "rows": rows.size, "seed": seed, "pairs": count}
                    found = runs(F, truth, pairs[:count], seed, wanted, few)
                    records += [{**what, **record} for record in found]
                    elapsed = f"{time.perf_counter() - start:.0f} s"
                    print(f"{elapsed} {name} {rows.size} rows seed {seed}, {count} pairs",
                          file=sys.stderr, flush=True)  # fmt: skip
                if options.save:
                    options.save.write_text(json.dumps(records))
    return records


def pick(records: list[Record], method: str, count: int) -> list[Record]:
    """Return a method's runs with `count` pairs, and with the best reg if there are several."""
    found = [r for r in records if r["method"] == method and r["pairs"] == count]
    regs = {r["reg"] for r in found if "reg" in r}
    if not regs:
        return found
    measured, sign = ("ari", 1) if "ari" in found[0] else ("error", -1)

    def mean(reg: float) -> float:
        return sign * float(np.mean([r[measured] for r in found if r["reg"] == reg]))

    best = max(sorted(regs), key=mean)
    return [r for r in found if r["reg"] == best]


def summary(found: list[Record], measured: str) -> tuple[float, float]:
    values = [r[measured] for r in found if measured in r]
    return (float(np.mean(values)), float(np.std(values))) if values else (np.nan, np.nan)


def cell(found: list[Record], measured: str) -> str:
    mean, spread = summary(found, measured)
    if math.isnan(mean):
        return f"failed, 0 of {len(found)}" if found else "-"
    text = f"{round(mean, 3) + 0.0:.3f} ± {spread:.3f}"  # not -0.000
    if measured == "error":
        text = f"{100 * mean:.1f} ± {100 * spread:.1f}"
    done = sum(measured in r for r in found)
    return text if done == len(found) else f"{text} ({done} of {len(found)})"


def print_tables(records: list[Record], write: bool) -> None:
    chosen, failed = [], []
    for name, n in dict.fromkeys((r["data"], r["rows"]) for r in records):
        here = [r for r in records if (r["data"], r["rows"]) == (name, n)]
        counts = sorted({r["pairs"] for r in here})
        seeds = len({r["seed"] for r in here})
        for measured, title in (("error", "error, %"), ("ari", "ARI"), ("nmi", "NMI")):
            print(f"\n**{name}**, {n:,} rows, {seeds} seeds: {title}, by the number of pairs\n")
            lines = []
            for method in (*LABELLED, *(CUT if measured == "error" else ())):
                found = [pick(here, method, count) for count in counts]
                if any(found):
                    lines.append([method, *(cell(runs, measured) for runs in found)])
                    if measured == "error":
                        took = [r["seconds"] for runs in found for r in runs if "seconds" in r]
                        lines[-1].append(f"{np.median(took):.2f}" if took else "-")
            head = ["method", *map(str, counts), *["s"] * (measured == "error")]
            print(table(head, lines))
            if write:
                write_csv(f"clustering-{name}-{n}-{measured}", head, lines)
        chosen += [[name, n, *line] for line in choices(here, counts)]
        failed += [[name, n, *line] for line in failures(here, counts)]
    head = ["data", "rows", "method", *map(str, sorted({r["pairs"] for r in records}))]
    print("\nThe reg chosen:\n\n" + table(head, chosen))
    print("\nStarts that raised:\n\n" + table([*head, "errors"], failed))
    if write:
        write_csv("clustering-reg", head, chosen)
        write_csv("clustering-failures", [*head, "errors"], failed)


def choices(here: list[Record], counts: list[int]) -> list[list[str]]:
    """Return the best reg, by method and number of pairs."""
    lines = []
    for method in (MC_BEST, CUT[4]):
        found = [pick(here, method, count) for count in counts]
        if any(found):
            lines.append([method, *(f"{runs[0]['reg']:g}" if runs else "-" for runs in found)])
    return lines


def failures(here: list[Record], counts: list[int]) -> list[list[str]]:
    """Return how many starts raised an error, and which errors."""
    lines = []
    for name in RIVALS:
        found = [pick(here, name, count) for count in counts]
        if any(found):
            kinds = Counter(kind for runs in found for r in runs for kind in r["raised"])
            cells = []
            for runs in found:
                raised = sum(len(r["raised"]) for r in runs)
                cells.append(f"{raised} of {raised + sum('ari' in r for r in runs)}")
            lines.append([name, *cells, ", ".join(f"{v} {k}" for k, v in kinds.items()) or "-"])
    return lines


def draw(records: list[Record]) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    # the colour-blind safe palette of Okabe and Ito
    looks = {
        BIAS: ("#0072B2", "o", "-", 6),
        NUCLEAR: ("#56B4E9", "s", "-", 6),
        MC: ("#D55E00", "^", "-", 6),
        MC_BEST: ("#E69F00", "v", "--", 6),
        MC_HALF: ("#CC79A7", "X", ":", 10),
        SPECTRAL: ("#009E73", "D", "-.", 6),
        KMEANS: ("#555555", "P", ":", 6),
    }
    names = list(dict.fromkeys(r["data"] for r in records))
    figure, panels = plt.subplots(
        2, len(names), figsize=(4.9 * len(names), 7.6), sharex=True, squeeze=False,
        layout="constrained",
    )  # fmt: skip
    for name, column in zip(names, panels.T, strict=True):
        n = max(r["rows"] for r in records if r["data"] == name)
        here = [r for r in records if (r["data"], r["rows"]) == (name, n)]
        counts = sorted({r["pairs"] for r in here})
        for axes, measured, unit in zip(column, ("error", "ari"), (100, 1), strict=True):
            for method, (color, marker, line, size) in looks.items():
                found = [summary(pick(here, method, count), measured) for count in counts]
                mean, spread = unit * np.array(found).T
                if np.isnan(mean).all():
                    continue
                ours = method == BIAS
                axes.plot(
                    counts, mean, color=color, marker=marker, linestyle=line, label=method,
                    markersize=size, linewidth=2.4 if ours else 1.5, zorder=4 if ours else 3,
                )  # fmt: skip
                low = np.maximum(mean - spread, 0.01 if measured == "error" else -1)
                axes.fill_between(counts, low, mean + spread, color=color, alpha=0.18, linewidth=0)
            axes.set(xscale="log")
            axes.set_xticks(counts, [f"{count:,}" for count in counts])
            axes.minorticks_off()
            axes.grid(alpha=0.25)
        column[0].axhline(10, color="black", linestyle="--", linewidth=1)
        ticks = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100]
        least = min(line.get_ydata()[-1] for line in column[0].get_lines())
        ticks = [tick for tick in ticks if tick >= least / 2.2]
        column[0].set(title=f"{name}, {n:,} rows", yscale="log", ylim=(ticks[0], 110))
        column[0].set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        column[0].minorticks_off()
        column[1].set(xlabel="known pairs", ylim=(-0.05, 1.05))
    panels[0, 0].set_ylabel("error over all pairs, %")
    panels[1, 0].set_ylabel("adjusted Rand index")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=2, frameon=False)
    IMAGE.parent.mkdir(exist_ok=True)
    figure.savefig(IMAGE, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="+", choices=DATA, default=DATA)
    parser.add_argument("--pairs", nargs="+", type=int, default=PAIRS, help="numbers of pairs")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=KEYS)
    parser.add_argument("--save", type=Path, help="where to keep the numbers of every run")
    parser.add_argument("--load", type=Path, help="show numbers that --save kept; run nothing")
    options = parser.parse_args()
    if options.load:
        records = json.loads(options.load.read_text())
    else:
        with threadpool_limits(1):
            records = measure(options)
        print(machine("pugraph", "scikit-learn", "active-semi-supervised-clustering"))
    print("Mean ± standard deviation over the seeds; s is the median time of a fit on one core.")
    complete = bool(options.load) or not options.only
    print_tables(records, complete)
    if complete:
        draw(records)


if __name__ == "__main__":
    main()
