"""Learn a similarity X = F D F^T from features and known pairs, and compute its spectrum."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from pugraph.adapters.features import FeatureMatrix, settle
from pugraph.adapters.matrix import from_links
from pugraph.core.basis import Features, Scaling
from pugraph.core.blocks import gram, products_memory
from pugraph.core.problem import both_sides
from pugraph.core.types import FloatArray, IntArray
from pugraph.models.defaults import Hyperparameters
from pugraph.models.fit_features import check_features_memory, choose_solver, learn
from pugraph.models.options import Options
from pugraph.models.resources import solver_resources

# All three were chosen by hand.
# The default reg with the ridge penalty. The default of `fit`, made for links, is larger and
# leaves too few features in use when only a few pairs are known.
_RIDGE = 0.2
_WEAKEST = 1e-12  # eigenvalues of the Gram matrix below this share of the largest count as zero
_NOISE = 0.05  # eigenvalues below this share of the largest do not affect the number of clusters


class Similarity(NamedTuple):
    """A learned similarity X = F D F^T with D = P Q^T.

    The scaled features times `components` give a vector per row. The inner products of these
    vectors are the positive semidefinite part of X: the leading eigenvectors with the positive
    eigenvalues, `spectrum`.
    """

    scaling: Scaling
    P: FloatArray
    Q: FloatArray
    components: FloatArray
    spectrum: FloatArray
    hyperparameters: Hyperparameters
    history: list[float]
    gap: float | None

    def embed(self, features: Features) -> FloatArray:
        """Return the vectors of rows of features."""
        return np.asarray(self.scaling.apply(features) @ self.components)

    def of_pairs(self, features: Features, pairs: IntArray) -> FloatArray:
        """Return the similarity of pairs of rows of features."""
        scaled = self.scaling.apply(features)
        left, right = scaled @ self.P, scaled @ self.Q
        u, v = pairs.T
        both = (left[u] * right[v]).sum(axis=1) + (left[v] * right[u]).sum(axis=1)
        return both / 2


def learn_similarity(
    features: Features, pairs: IntArray, options: Options, scale: bool
) -> Similarity:
    """Learn a similarity from pairs of rows that belong together."""
    features, n = settle(features), features.shape[0]
    u, v = np.unique(np.sort(pairs, axis=1), axis=0).T
    keep = u != v
    links = from_links(u[keep], v[keep], n, directed=False)
    rows, cols = both_sides(links, symmetric=True)
    sides = (FeatureMatrix(features, []),) * 2
    solver = choose_solver(options, sides, (n, n))
    numbers = options.hyperparameters((n, n), rows.n_links, solver)
    width = numbers.rank if solver == "ccd++" else features.shape[1]
    least = spectrum_memory(features.shape, width)
    check_features_memory(solver, sides, rows, numbers.rank, least)
    if options.rho is None and options.alpha is None:
        # class-balanced: the known pairs together have the same weight as all other pairs
        rho = max(0.0, 1 - 2 * rows.n_links / n**2)
        numbers = numbers._replace(rho=rho, alpha=(1 + rho) / 2)
    if options.reg is None and options.penalty == "ridge":
        numbers = numbers._replace(reg=_RIDGE)
    with solver_resources(options, solver, rows.n_links) as stopping:
        scaling = Scaling.of(features, standard=scale, constant=False)
        scaled = scaling.apply(features)
        P, Q, history, gap = learn(
            (rows, cols), (scaled, scaled), options, solver, numbers, stopping
        )
        components, spectrum = _spectrum(scaled, P, Q)
    return Similarity(scaling, P, Q, components, spectrum, numbers, history, gap)


def spectrum_memory(shape: tuple[int, int], rank: int) -> int:
    """Return how many bytes `_spectrum` takes: scaled features, both vectors, their products."""
    n, d = shape
    return 8 * n * (d + 2 * rank) + products_memory(n, 2 * rank, 8)


def _spectrum(scaled: Features, P: FloatArray, Q: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return components and positive eigenvalues of (W H^T + H W^T) / 2, W = F P and H = F Q.

    The scaled features times the components are the eigenvectors, times the square roots of
    the eigenvalues. In an orthonormal basis of the columns of W and H, the eigenproblem is only
    as large as the number of these columns.
    """
    both = np.hstack([P, Q])
    vectors = np.ascontiguousarray(scaled @ both)
    squares, rotation = np.linalg.eigh(gram(vectors))
    kept = squares > _WEAKEST * max(squares[-1], 0)
    root, rotation = np.sqrt(squares[kept]), rotation[:, kept]
    k = P.shape[1]
    small = (rotation[:k].T @ rotation[k:] + rotation[k:].T @ rotation[:k]) / 2
    values, vectors = np.linalg.eigh(small * np.outer(root, root))
    order = np.argsort(-values, kind="stable")
    order = order[values[order] > 0]
    values, vectors = values[order], vectors[:, order]
    components = both @ (rotation / root) @ (vectors * np.sqrt(values))
    # eigenvectors are unique only up to sign: make the largest entry positive
    signs = np.sign(components[np.abs(components).argmax(axis=0), np.arange(values.size)])
    return components * signs, values


def count_clusters(spectrum: FloatArray, most: int) -> int:
    """Return the number of clusters that the spectrum suggests.

    Centred features of c clusters vary along c - 1 directions. Their number is taken to be
    that of the eigenvalues before the steepest fall; small eigenvalues are ignored.
    """
    if spectrum.size == 0 or most < 2:
        return 1
    # the end of the spectrum is weak evidence of a fall: count it as a fall by half
    share = np.append(spectrum, spectrum[-1] / 2) / spectrum[0]
    falls = share[:-1] / np.maximum(share[1:], _NOISE)
    falls[share[:-1] < 2 * _NOISE] = 0
    return min(int(np.argmax(falls[: most - 1])) + 2, most)
