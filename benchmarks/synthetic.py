"""Recovery of a known truth, and how its error falls with n: section 6.1 of the paper.

M = U U^T, with U an orthonormal basis of ten Gaussian columns.

Non-deterministic: M is scaled to [0, 1], links are drawn with these probabilities, a fraction
1 - rho of them is seen, and ShiftMC recovers M. The error is the mean of (X - M)^2. Compared with:
the same without the shift (target 1), its scores divided by 1 - rho, and a constant for all pairs.

Deterministic: Y = 1 where M is above its median, a fraction 1 - rho of its ones is seen, and
BiasMC with a threshold recovers Y. The error is the fraction of wrong entries, for several alpha
and three thresholds: 0.5 as in the paper, `LinkModel.threshold`, and the best one in hindsight.

Pairs of a node with itself do not count: pugraph ignores self-loops. Errors are over the first
2,000 rows (nodes are exchangeable) and all columns. For each curve and n, lambda is the one of a
grid with the least true error on a separate seed. Prints Markdown, writes
docs/data/synthetic-*.csv and draws docs/img/synthetic.png (not with --quick).

    python benchmarks/synthetic.py [--quick] [--save runs.json | --load runs.json]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from common import machine, table, write_csv

import pugraph
from pugraph.models.options import Options

IMAGE = Path(__file__).parents[1] / "docs" / "img" / "synthetic.png"
RANK = 10  # of M, and RHO: as in the paper
RHO = 0.9
SIZES = (500, 1000, 2000, 4000, 8000)
# the largest n for slow solvers
LARGEST = {"exact": 4000, "ball": 4000, "proximal": 2000}
ROWS = 2000  # on which errors are measured
LATE = 2000  # slopes are also given from this n on
ALPHAS = (0.5, 0.7, 0.8, 0.9, 0.95, 0.96, 0.97, 0.98, 0.99)
TUNING_SEED = 1000  # differs from all seeds on which errors are measured
# lambda, in multiples of the default
BIAS_REGS = (0.0, 0.25, 0.5, 0.71, 1.0, 1.41, 2.0, 2.83, 4.0)
PROXIMAL_REGS = BIAS_REGS[4:]  # smaller values take minutes
SHIFT_REGS = (0.0, 0.25, 0.5, 1.0, 1.41, 2.0, 2.83)
EXACT_REGS = (1.7, 1.8, 1.9, 2.0, 2.1, 2.2, 2.4)

RELAX, EXACT, BALL = "ShiftMC, relax", "ShiftMC, exact", "ShiftMC, ball"
UNSHIFTED, SCALED, CONSTANT = "no shift", "no shift, scaled", "one number"
PRINTED, LIBRARY, HINDSIGHT = "0.5", "threshold()", "hindsight"
FILES = {PRINTED: "q-0.5", LIBRARY: "q-library", HINDSIGHT: "q-hindsight"}

Record = dict[str, Any]
Errors = dict[str, float]


class Problem(NamedTuple):
    """The seen links, and the first rows of the truth."""

    seen: sp.csr_array
    truth: np.ndarray
    rho: float


class Trial(NamedTuple):
    """A fit from which one or more errors are read, and the lambdas to try."""

    errors: Callable[[Problem, float], Errors]
    regs: Sequence[float]
    largest: int


def gram(n: int, rng: np.random.Generator) -> np.ndarray:
    U = np.linalg.qr(rng.standard_normal((n, RANK)))[0].astype(np.float32)
    return U @ U.T


def probable(n: int, rho: float, seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    M = gram(n, rng)
    M -= M.min()
    M /= M.max()
    seen = rng.random((n, n), np.float32) < (1 - rho) * M
    return Problem(sp.csr_array(seen), without_diagonal(M[:ROWS].copy()), rho)


def certain(n: int, rho: float, seed: int) -> Problem:
    rng = np.random.default_rng(seed)
    M = gram(n, rng)
    Y = np.median(M) < M
    seen = Y & (rng.random((n, n), np.float32) >= rho)
    return Problem(sp.csr_array(seen), without_diagonal(Y[:ROWS].copy()), rho)


def without_diagonal(rows: np.ndarray) -> np.ndarray:
    np.fill_diagonal(rows, 0)
    return rows


def fitted(
    problem: Problem, share: float, *, method: str, **options: Any
) -> tuple[pugraph.LinkModel, np.ndarray]:
    """Return a model and its scores for the rows of the truth."""
    weights = {name: options[name] for name in ("rho", "alpha") if name in options}
    rule = (
        Options(method=method, **weights).hyperparameters(problem.seen.shape, problem.seen.nnz).reg
    )
    model = pugraph.fit(problem.seen, method, reg=share * rule, n_jobs=1, **options)
    W, H = model.factors
    return model, without_diagonal(W[: len(problem.truth)] @ H.T)


def mean_over_pairs(values: np.ndarray) -> float:
    """Return the mean over rows without their diagonal, where values are zero."""
    return float(values.sum(dtype=np.float64)) / (values.size - len(values))


def squared(X: np.ndarray, truth: np.ndarray) -> float:
    return mean_over_pairs((X - truth) ** 2)


def shift_errors(problem: Problem, share: float, name: str, **options: Any) -> Errors:
    _, X = fitted(problem, share, method="shift", rho=problem.rho, **options)
    return {name: squared(X, problem.truth)}


def unshifted_errors(problem: Problem, share: float, **options: Any) -> Errors:
    _, X = fitted(problem, share, method="shift", rho=0.0, **options)
    scaled = (X / (1 - problem.rho)).clip(0, 1)
    return {UNSHIFTED: squared(X, problem.truth), SCALED: squared(scaled, problem.truth)}


def constant_errors(problem: Problem, _: float) -> Errors:
    n = problem.seen.shape[0]
    number = problem.seen.nnz / n**2 / (1 - problem.rho)
    X = without_diagonal(np.full(problem.truth.shape, number, np.float32))
    return {CONSTANT: squared(X, problem.truth)}


def bias_errors(problem: Problem, share: float, alpha: float, **options: Any) -> Errors:
    model, X = fitted(problem, share, method="bias", alpha=alpha, **options)
    Y = problem.truth
    wrong = {q: mean_over_pairs((q < X) != Y) for q in (0.5, model.threshold())}
    best = (wrong[0.5], wrong[model.threshold()], best_threshold(X, Y))
    return dict(zip((PRINTED, LIBRARY, HINDSIGHT), best, strict=True))


def best_threshold(X: np.ndarray, Y: np.ndarray) -> float:
    """Return the least error of any threshold on a grid of 0.005."""
    bins = ((X + 1) * 200).clip(0, 599).astype(np.int16)
    ones, zeros = (np.bincount(bins[side], minlength=600) for side in (Y, ~Y))
    # the threshold is the lower edge of a bin; the diagonal is a zero with score 0
    wrong = np.cumsum(ones) - ones + zeros.sum() - (np.cumsum(zeros) - zeros)
    return float(wrong[201:].min()) / (X.size - len(X))


def shift_trials() -> list[Trial]:
    relax: dict[str, Any] = {"solver": "relax", "rank": 100}
    exact = partial(shift_errors, name=EXACT, solver="exact", tol=1e-4)
    ball = partial(shift_errors, name=BALL, solver="ball", rank=100)
    return [
        Trial(partial(shift_errors, name=RELAX, **relax), SHIFT_REGS, max(SIZES)),
        Trial(exact, EXACT_REGS, LARGEST["exact"]),
        Trial(ball, SHIFT_REGS, LARGEST["ball"]),
        Trial(partial(unshifted_errors, **relax), SHIFT_REGS, max(SIZES)),
        Trial(constant_errors, (0.0,), max(SIZES)),
    ]


def bias_trials() -> dict[str, Trial]:
    trials = {}
    for alpha in ALPHAS:
        errors = partial(bias_errors, alpha=alpha, rank=30, tol=1e-4)
        trials[str(alpha)] = Trial(errors, BIAS_REGS, max(SIZES))
    best = (1 + RHO) / 2
    errors = partial(bias_errors, alpha=best, solver="proximal")
    trials[f"{best}, proximal"] = Trial(errors, PROXIMAL_REGS, LARGEST["proximal"])
    return trials


def tuned(trial: Trial, tuning: Problem) -> dict[str, float]:
    """Return the best lambda for each kind of error."""
    found = {share: trial.errors(tuning, share) for share in trial.regs}
    names = found[trial.regs[0]]
    return {name: min(found, key=lambda share: found[share][name]) for name in names}


def measured(
    draw: Callable[[int, float, int], Problem],
    trials: dict[str, Trial],
    rho: float,
    sizes: Iterable[int],
    seeds: int,
) -> list[Record]:
    records = []
    for n in sizes:
        start = time.perf_counter()
        tuning = draw(n, rho, TUNING_SEED)
        small_enough = {name: trial for name, trial in trials.items() if n <= trial.largest}
        chosen = {name: tuned(trial, tuning) for name, trial in small_enough.items()}
        for seed in range(seeds):
            problem = draw(n, rho, seed)
            for name, trial in small_enough.items():
                shares = set(chosen[name].values())
                found = {share: trial.errors(problem, share) for share in shares}
                for curve, share in chosen[name].items():
                    record = {"setting": draw.__name__, "rho": rho, "of": name, "curve": curve}
                    record |= {"n": n, "seed": seed, "reg": share, "error": found[share][curve]}
                    records.append(record)
        took = time.perf_counter() - start
        print(f"{draw.__name__}, rho {rho}, n {n}: {took:.0f} s", file=sys.stderr)
    return records


def contrast(n: int, rho: float, seed: int) -> float:
    """Return the scaled M's singular values after the first, relative to the noise of the links.

    Below 1, the singular vectors of a large random matrix with this mean do not reveal those of M.
    """
    M = gram(n, np.random.default_rng(seed))
    width = float(M.max() - M.min())
    density = (1 - rho) * float(M.mean() - M.min()) / width
    return (1 - rho) / width / float(np.sqrt(n * density * (1 - density)))


def pick(records: list[Record], **wanted: Any) -> list[Record]:
    return [r for r in records if all(r[key] == value for key, value in wanted.items())]


def slope(records: list[Record], least: int = 0) -> str:
    """Return the slope of log error over log n: the mean over seeds and its standard error."""
    slopes = []
    for seed in sorted({r["seed"] for r in records}):
        here = [r for r in records if r["seed"] == seed and r["n"] >= least]
        if len(here) > 1:
            logs = np.log([[r["n"], r["error"]] for r in here])
            slopes.append(np.polyfit(logs[:, 0], logs[:, 1], 1)[0])
    if len(slopes) < 2:
        return "-"
    return f"{np.mean(slopes):+.2f} ± {np.std(slopes, ddof=1) / np.sqrt(len(slopes)):.2f}"


def cell(records: list[Record], digits: int) -> str:
    if not records:
        return "-"
    errors = [r["error"] for r in records]
    return f"{np.mean(errors):.{digits}f} ± {np.std(errors):.{digits}f}"


def error_table(
    curves: dict[str, list[Record]], digits: int, label: str
) -> tuple[list[str], list[list[str]]]:
    """Return the head, and a row per curve: a column per n, and the slopes."""
    sizes = sorted({r["n"] for runs in curves.values() for r in runs})
    lines = [
        [name, *(cell(pick(runs, n=n), digits) for n in sizes), slope(runs), slope(runs, LATE)]
        for name, runs in curves.items()
    ]
    return [label, *(f"n = {n:,}" for n in sizes), "slope", f"slope from n = {LATE:,}"], lines


def reg_table(curves: dict[str, list[Record]]) -> str:
    sizes = sorted({r["n"] for runs in curves.values() for r in runs})
    lines = []
    for name, runs in curves.items():
        regs = [next((f"{r['reg']:g}" for r in pick(runs, n=n)), "-") for n in sizes]
        lines.append([name, *regs])
    return table(["", *(f"n = {n:,}" for n in sizes)], lines)


def report(records: list[Record], write: bool) -> None:
    show = partial(output, write=write)
    probable_runs, certain_runs = (pick(records, setting=s) for s in ("probable", "certain"))
    for rho in sorted({r["rho"] for r in probable_runs}, reverse=True):
        here = pick(probable_runs, rho=rho)
        curves = {name: pick(here, curve=name) for name in by_first(here, "curve")}
        print(f"\nNon-deterministic, rho = {rho}: mean squared error.\n")
        show(f"synthetic-shift-rho-{rho}", *error_table(curves, 4, "method"))
        print("\nLambda, times the default rule's:\n\n" + reg_table(curves))
        sizes, seeds = by_first(here, "n"), by_first(here, "seed")
        ratios = [np.mean([contrast(n, rho, seed) for seed in seeds]) for n in sizes]
        print("\nSingular values of M, over the noise:\n")
        print(table([f"n = {n:,}" for n in sizes], [[f"{ratio:.2f}" for ratio in ratios]]))
    for threshold in (PRINTED, LIBRARY, HINDSIGHT):
        here = pick(certain_runs, curve=threshold)
        curves = {alpha: pick(here, of=alpha) for alpha in by_first(here, "of")}
        print(f"\nDeterministic, rho = {RHO}, threshold {threshold}: fraction wrong.\n")
        show(f"synthetic-bias-{FILES[threshold]}", *error_table(curves, 3, "alpha"))
        print("\nLambda, times the default rule's:\n\n" + reg_table(curves))


def output(name: str, head: list[str], rows: list[list[str]], write: bool) -> None:
    print(table(head, rows))
    if write:
        write_csv(name, head, rows)


def by_first(records: list[Record], key: str) -> list[Any]:
    return list(dict.fromkeys(r[key] for r in records))


def draw(records: list[Record]) -> None:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9.2, 5.6), layout="constrained")
    # the colour-blind safe palette of Okabe and Ito
    shift_looks = {
        UNSHIFTED: ("#000000", "x", "-"),
        SCALED: ("#D55E00", "v", "-"),
        BALL: ("#CC79A7", "D", "-"),
        EXACT: ("#56B4E9", "s", "-"),
        RELAX: ("#0072B2", "o", "-"),
        CONSTANT: ("#009E73", "", "--"),
    }
    here = pick(records, setting="probable", rho=RHO)
    for name, look in shift_looks.items():
        plot(left, pick(here, curve=name), name, look)
    bias_looks = {
        ("0.5", PRINTED): ("#000000", "x", "-"),
        ("0.9", PRINTED): ("#E69F00", "v", "-"),
        ("0.99", PRINTED): ("#CC79A7", "D", "-"),
        ("0.95", PRINTED): ("#0072B2", "o", "-"),
        ("0.97", PRINTED): ("#D55E00", "^", "-"),
        ("0.5", HINDSIGHT): ("#000000", "x", ":"),
        ("0.95", LIBRARY): ("#0072B2", "o", "--"),
        ("0.95", HINDSIGHT): ("#0072B2", "o", ":"),
    }
    here = pick(records, setting="certain")
    for (alpha, threshold), look in bias_looks.items():
        label = rf"$\alpha$ = {alpha}, q {'=' if threshold == PRINTED else 'by'} {threshold}"
        plot(right, pick(here, of=alpha, curve=threshold), label, look)
    left.set(title=f"Non-deterministic: M by ShiftMC, rho = {RHO}", ylabel="mean squared error")
    right.set(title=f"Deterministic: Y by BiasMC, rho = {RHO}", ylabel="fraction of entries wrong")
    for axes, ticks in (
        (left, (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2)),
        (right, (0.03, 0.05, 0.1, 0.2, 0.3, 0.5)),
    ):
        sizes = by_first(here, "n")
        least, most = ticks[0], ticks[-1]
        slanted = most * sizes[0] / np.array([sizes[0], sizes[-1]])
        axes.plot(
            [sizes[0], sizes[-1]], slanted, color="#999999", lw=1, label="slope -1", zorder=1
        )
        axes.set(xscale="log", yscale="log", xlabel="n, nodes", ylim=(least, 1.2 * most))
        axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.minorticks_off()
        axes.grid(alpha=0.25)
        axes.legend(
            loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2, frameon=False, fontsize=9
        )
    IMAGE.parent.mkdir(exist_ok=True)
    figure.savefig(IMAGE, dpi=110)


def plot(axes: Any, runs: list[Record], label: str, look: tuple[str, str, str]) -> None:
    color, marker, line = look
    sizes = by_first(runs, "n")
    means = [np.mean([r["error"] for r in pick(runs, n=n)]) for n in sizes]
    axes.plot(sizes, means, color=color, marker=marker, linestyle=line, label=label, markersize=5)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="small n, two seeds, no files")
    parser.add_argument("--save", type=Path, help="where to keep the numbers of every run")
    parser.add_argument("--load", type=Path, help="show numbers that --save kept; run nothing")
    options = parser.parse_args()
    sizes, seeds = ((200, 400), 2) if options.quick else (SIZES, 5)
    if options.load:
        records = json.loads(options.load.read_text())
    else:
        shift = {str(i): trial for i, trial in enumerate(shift_trials())}
        records = measured(certain, bias_trials(), RHO, sizes, seeds)
        for rho in (RHO, 0.5):
            records += measured(probable, shift, rho, sizes, seeds)
    if options.save:
        options.save.write_text(json.dumps(records))
    print(f"{machine('pugraph')} {len(by_first(records, 'seed'))} seeds, mean ± deviation.")
    report(records, not options.quick)
    if not options.quick:
        draw(records)


if __name__ == "__main__":
    main()
