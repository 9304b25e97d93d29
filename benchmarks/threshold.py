"""The theory's threshold compared with 0.5, where the truth is known.

The paper's deterministic setting (section 6.1): M = U U^T with U an orthonormal basis of ten
Gaussian columns, Y = 1 where M is above its median, and a fraction 1 - rho of Y's ones is seen.
BiasMC is given rho. The error is the fraction of all entries that are wrong, including seen ones.
Prints Markdown; docs/data/threshold.csv has the rows for the default reg and for twice that.

    python benchmarks/threshold.py [--seeds 5]
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import scipy.sparse as sp
from common import machine, table, write_csv

import pugraph
from pugraph.models.options import Options

RANK = 10  # of M, as in the paper
SIZES = (500, 1000, 2000)
RHOS = (0.5, 0.8, 0.9)
REGS = (0.5, 1.0, 2.0, 4.0)  # in multiples of the default reg


def observed(n: int, rho: float, seed: int) -> tuple[sp.csr_array, np.ndarray]:
    rng = np.random.default_rng(seed)
    U = np.linalg.qr(rng.standard_normal((n, RANK)))[0]
    M = U @ U.T
    Y = np.median(M) < M
    return sp.csr_array(Y & (rng.random((n, n)) >= rho)), Y


def errors(n: int, rho: float, share: float, seed: int) -> tuple[float, ...]:
    A, Y = observed(n, rho, seed)
    rule = Options(rho=rho).hyperparameters(A.shape, A.nnz).reg
    model = pugraph.fit(A, "bias", rho=rho, reg=share * rule, rank=100, dtype="float64")
    W, H = model.factors
    X = W @ H.T
    grid = np.linspace(0.05, 0.95, 91)
    best = min((float(np.mean((q < X) != Y)), q) for q in grid)
    middle = float(np.median(X[Y]))
    fixed = [float(np.mean((q < X) != Y)) for q in (0.5, model.threshold())]
    return *fixed, *best, middle, model.threshold()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    seeds = parser.parse_args().seeds
    lines = []
    for rho in RHOS:
        for n in SIZES:
            for share in REGS:
                found = [errors(n, rho, share, seed) for seed in range(seeds)]
                half, theory, best, at, middle, q = np.mean(found, axis=0)
                sd = np.std(found, axis=0)
                lines.append(
                    [rho, n, share, f"{q:.3f}", f"{half:.3f}", f"{sd[0]:.3f}", f"{theory:.3f}",
                     f"{sd[1]:.3f}", f"{best:.3f}", f"{at:.2f}", f"{middle:.2f}"]
                )  # fmt: skip
                print(*lines[-1], file=sys.stderr)
    print(f"{machine('pugraph')} {seeds} seeds.\n")
    head = ["rho", "n", "reg", "q", "error at 0.5", "error at 0.5 ±", "error at q", "error at q ±"]
    head += ["least error", "at threshold", "median score of a true one"]
    print(table(head, lines))
    write_csv("threshold", head, [line for line in lines if line[2] in (1.0, 2.0)])


if __name__ == "__main__":
    main()
