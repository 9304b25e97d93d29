"""Learn a similarity X = F D F^T from features and known pairs, and compute its spectrum."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from pugraph.adapters.features import FeatureMatrix, settle
from pugraph.adapters.matrix import from_links
from pugraph.clustering.likelihoods import strongest_directions
from pugraph.core.basis import Features, Scaling
from pugraph.core.blocks import gram, products_memory
from pugraph.core.problem import both_sides
from pugraph.core.types import BoolArray, FloatArray, IntArray
from pugraph.errors import InputError
from pugraph.models.defaults import Hyperparameters
from pugraph.models.fit_features import check_features_memory, choose_solver, learn
from pugraph.models.options import Options
from pugraph.models.resources import solver_resources

# All were chosen by hand.
# The default reg with the ridge penalty. The default of `fit`, made for links, is larger and
# leaves too few features in use when only a few pairs are known.
_RIDGE = 0.2
_WEAKEST = 1e-12  # eigenvalues of the Gram matrix below this share of the largest count as zero
# From this many pairs on, the nuclear norm is better than the ridge on Mushroom and level on
# Segment (docs/clustering.md). It needs the singular values of D at each step, for few features.
_MANY_PAIRS, _FEW_FEATURES = 200, 200
_DIRECTIONS = 200  # of more features
_FOLDS, _RANDOM_PAIRS = 4, 4000  # for the comparison of a learned similarity with plain distances
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
    features: Features, must: IntArray, cannot: IntArray, options: Options, scale: bool
) -> Similarity:
    """Learn a similarity from pairs of rows that belong together, and pairs that do not.

    Of many features, the strongest directions are used.
    """
    features, n = settle(features), features.shape[0]
    links, positive = _known(must, cannot, n)
    rows, cols = both_sides(links, symmetric=True)
    n_ones = int(positive.sum())
    wide = features.shape[1] > _FEW_FEATURES and options.solver == "auto" and options.rank is None
    width = min(_DIRECTIONS, n) if wide else features.shape[1]
    sides = (FeatureMatrix(np.empty((n, width)) if wide else features, []),) * 2
    solver = choose_solver(options, sides, (n, n))
    if len(cannot) and solver == "ccd++":
        raise InputError("solver='ccd++' knows no cannot_link; leave out solver and rank")
    numbers = options.hyperparameters((n, n), n_ones, solver)
    rank = numbers.rank if solver == "ccd++" else width
    least = spectrum_memory((n, features.shape[1]), rank)
    check_features_memory(solver, sides, rows, numbers.rank, least)
    if options.rho is None and options.alpha is None:
        # class-balanced: the known pairs together have the same weight as all other pairs
        rho = max(0.0, 1 - 2 * n_ones / n**2)
        numbers = numbers._replace(rho=rho, alpha=(1 + rho) / 2)
    if options.reg is None and options.penalty == "ridge":
        numbers = numbers._replace(reg=_RIDGE)
    with solver_resources(options, solver, rows.n_links) as stopping:
        scaling = Scaling.of(features, standard=scale, constant=False)
        scaled = scaling.apply(features)
        seen, directions = scaled, None
        if wide:
            rng = np.random.default_rng(options.seed)
            directions = strongest_directions(scaled, width, rng)
            seen = np.ascontiguousarray(scaled @ directions)
        P, Q, history, gap = learn(
            (rows, cols), (seen, seen), options, solver, numbers, stopping, positive
        )
        components, spectrum = _spectrum(seen, P, Q)
        if directions is not None:
            P, Q, components = (directions @ each for each in (P, Q, components))
    return Similarity(scaling, P, Q, components, spectrum, numbers, history, gap)


def worth_learning(
    features: Features, must: IntArray, cannot: IntArray, options: Options, scale: bool, k: int
) -> bool:
    """Return whether a learned similarity tells new pairs from others better than distances.

    Some pairs are left out, and ranked among random ones: by their distance in the leading k
    eigenvectors of the similarity that the rest gives, and by that of the scaled features. The
    similarity must be better by two standard errors.
    """
    if len(must) < 2 * _FOLDS:
        return False
    rng = np.random.default_rng(options.seed)
    n = features.shape[0]
    drawn = rng.integers(0, n, (_RANDOM_PAIRS, 2))
    fold = rng.permutation(len(must)) % _FOLDS
    plain = Scaling.of(features, standard=scale, constant=False).apply(features)
    gains = []
    for number in range(_FOLDS):
        left_out, rest = must[fold == number], must[fold != number]
        learned = learn_similarity(features, rest, cannot, replace(options, progress=False), scale)
        vectors = learned.embed(features)[:, :k]
        gains.append(_ranks(vectors, left_out, drawn) - _ranks(plain, left_out, drawn))
    gain = np.concatenate(gains)
    return bool(gain.mean() > 2 * gain.std() / np.sqrt(gain.size))


def _ranks(vectors: Features, pairs: IntArray, others: IntArray) -> FloatArray:
    """Return the fraction of other pairs that are farther apart than each pair."""
    near, far = (_squared_distances(vectors, each) for each in (pairs, others))
    below = np.searchsorted(np.sort(far), near, side="left")
    upto = np.searchsorted(np.sort(far), near, side="right")
    return np.asarray(1 - (below + upto) / (2 * far.size))


def _squared_distances(vectors: Features, pairs: IntArray) -> FloatArray:
    difference = vectors[pairs[:, 0]] - vectors[pairs[:, 1]]
    squares = difference.multiply(difference) if sp.issparse(difference) else difference**2
    return np.asarray(squares.sum(axis=1)).ravel()


def choose_penalty(n_pairs: int, n_features: int, solver: str, rank: int | None) -> str:
    """Return the penalty for "auto": many pairs afford the nuclear norm."""
    many = n_pairs >= _MANY_PAIRS and n_features <= _FEW_FEATURES
    return "nuclear" if many or solver != "auto" or rank is not None else "ridge"


def _known(must: IntArray, cannot: IntArray, n: int) -> tuple[sp.csr_array, BoolArray]:
    """Return known pairs as a symmetric matrix, and which of its entries are ones."""
    u, v = np.unique(np.sort(np.vstack([must, cannot]), axis=1), axis=0).T
    keep = u != v
    links = from_links(u[keep], v[keep], n, directed=False)
    a, b = np.unique(np.sort(cannot, axis=1), axis=0).T
    zeros = from_links(a, b, n, directed=False)
    rows, cols = links.tocoo().coords
    return links, np.asarray(zeros[rows, cols]).ravel() == 0


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
