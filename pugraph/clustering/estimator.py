"""PUClustering: semi-supervised clustering as a scikit-learn estimator."""

from __future__ import annotations

import contextlib
import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from pugraph.adapters import to_graph_data
from pugraph.clustering.constraints import Constraints, broken, check_pairs
from pugraph.clustering.explanation import ClusterExplanation, explanation_of
from pugraph.clustering.joint import Data, Joint, explained, fit_joint, joint_memory
from pugraph.clustering.likelihoods import FeatureView
from pugraph.clustering.similarity import (
    Similarity,
    choose_penalty,
    count_clusters,
    learn_similarity,
    worth_learning,
)
from pugraph.core.free_memory import check_memory
from pugraph.core.jit import threads
from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError
from pugraph.models.checks import check_whole
from pugraph.models.options import Options, Progress
from pugraph.models.resources import progress_bar

# All chosen by hand.
_STARTS = 10  # of k-means, scikit-learn's n_init: more starts take longer and miss fewer optima
_ROUGH = 1e-3  # relative gap at which the nuclear norm of "auto" ends: labels hardly change then
_MOST_GUESSED = 50  # clusters, if their number is not given; ask for more with n_clusters

# Options of the learned similarity, with their defaults.
_SIMILARITY = {
    "rank": None, "rho": None, "alpha": None, "reg": None, "penalty": "auto", "solver": "auto",
    "max_sweeps": None, "tol": None,
}  # fmt: skip


class PUClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster rows by features, by pairs that are known to belong together, and by links.

    Only positive pairs are needed; all others count as unknown. Without a graph, biased inductive
    matrix completion learns a similarity X = F D F^T from the known pairs, and k-means clusters
    the rows by its leading eigenvectors. With a graph, links, features and pairs are explained by
    clusters together, and how much each of them counts is learned. No n x n matrix is formed.

    Parameters
    ----------
    n_clusters : int, optional
        If None, the number with the most evidence (at most 50). Without a graph, it is chosen at
        the steepest fall in the spectrum of the similarity.
    rank, rho, alpha, reg
        As in `pugraph.fit`, but "auto" is not allowed. If rho and alpha are None, the known
        pairs together have the same weight as all other pairs together. For the similarity, which
        needs features and pairs.
    penalty : {"auto", "ridge", "nuclear"}
        On D. `solver="ccd++"` and `rank` need "nuclear". "auto" is "nuclear" from 200 pairs on
        if there are at most 200 features, and "ridge" otherwise.
    solver
        As in `pugraph.fit`.
    scale : bool
        Standardise the columns of dense features, and scale the rows of sparse features to the
        same length. With a graph, sparse features that are not negative are counted, like words.
    hard : bool
        Whether the two rows of a `must_link` pair always have the same label. If False, the
        pairs are hints.
    max_sweeps, tol, n_jobs, progress
        As in `pugraph.fit`.
    random_state : int, RandomState instance or None
        For the fit and for k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row.
    strengths_ : ndarray of shape (n_samples,)
        How sure each label is: the probability of the cluster, given the model.
    n_clusters_ : int
        The number of clusters, as given or as chosen.
    broken_pairs_ : list of (int, int)
        The pairs of `must_link` in two clusters, and those of `cannot_link` in one.
    link_weight_ : float or None
        With a graph: the log odds that a link adds for two rows to share a cluster. 0 means
        that links say nothing of the clusters.
    spectrum_ : ndarray or None
        The positive eigenvalues of the learned similarity, largest first.
    rho_, alpha_, reg_ : float or None
        The values used for the similarity.
    history_ : list of float
        The objective after each step: of the similarity, which falls, or with a graph a bound of
        the log likelihood, which rises.
    gap_ : float or None
        A bound on how far the final objective of the similarity is above the minimum, relative
        to the minimum.
    n_features_in_ : int
        The number of columns of `X`.

    See Also
    --------
    pugraph.clustering.pu_cluster, pugraph.plotting.plot_clusters

    Examples
    --------
    >>> import numpy as np
    >>> from pugraph.clustering import PUClustering
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((60, 4))
    >>> X[:30, 0] += 4  # two groups that differ in one of four features
    >>> known = [(i, i + 1) for i in (0, 4, 8, 12, 30, 34, 38, 42)]
    >>> model = PUClustering(2).fit(X, must_link=known)
    >>> int((model.labels_[:30] == model.labels_[0]).sum())
    28
    >>> model.predict([[4, 0, 0, 0]]) == model.labels_[:1]
    array([ True])
    """

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        rank: int | None = None,
        rho: float | None = None,
        alpha: float | None = None,
        reg: float | None = None,
        penalty: str = "auto",
        solver: str = "auto",
        scale: bool = True,
        hard: bool = True,
        max_sweeps: int | None = None,
        tol: float | None = None,
        n_jobs: int | None = None,
        progress: Progress = False,
        random_state: Any = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.rank = rank
        self.rho = rho
        self.alpha = alpha
        self.reg = reg
        self.penalty = penalty
        self.solver = solver
        self.scale = scale
        self.hard = hard
        self.max_sweeps = max_sweeps
        self.tol = tol
        self.n_jobs = n_jobs
        self.progress = progress
        self.random_state = random_state

    def fit(
        self,
        X: Any = None,
        y: Any = None,
        *,
        must_link: Any = None,
        cannot_link: Any = None,
        graph: Any = None,
    ) -> PUClustering:
        """Learn the clusters.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_samples, n_features)
            May be None if there is a graph.
        y : object
            Ignored.
        must_link, cannot_link : array_like of shape (n_pairs, 2), optional
            Pairs of row numbers that belong together, and that do not. `must_link` may be omitted
            only with a graph.
        graph : sparse matrix of shape (n_samples, n_samples) or graph, optional
            Links between the rows, in their order. Directions do not matter.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If an item of `must_link` or `cannot_link` is not a pair or is out of range, or if
            they contradict each other; the message names it. If there is nothing to learn from,
            an option is out of range, `X` has NaN in it or only one row, or `n_clusters` is larger
            than the number of rows (if `hard`, than the number of groups of linked rows).
        MemoryError
            If the fit needs more than the free memory.

        Examples
        --------
        >>> from pugraph.clustering import PUClustering
        >>> X = [[0.0], [0.1], [5.0], [5.1]]
        >>> labels = PUClustering(2).fit(X, must_link=[(0, 1), (2, 3)]).labels_.tolist()
        >>> labels in ([0, 0, 1, 1], [1, 1, 0, 0])
        True
        """
        check_whole("n_clusters", self.n_clusters, 1, optional=True)
        adjacency = None if graph is None else _symmetric(graph)
        if X is not None or adjacency is None:
            X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        n = adjacency.shape[0] if adjacency is not None else X.shape[0]
        if X is not None and X.shape[0] != n:
            raise InputError(f"X has {X.shape[0]} rows, and the graph {n} nodes")
        if X is None and adjacency is not None and not adjacency.nnz:
            raise InputError("the graph has no links, and there are no features to cluster by")
        must = check_pairs(must_link, n, "must_link")
        cannot = check_pairs(cannot_link, n, "cannot_link")
        self._check_pairs(must, adjacency is not None)
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        constraints = Constraints.of(n, must, cannot, self.hard)
        self._check_number(constraints.n_groups, n)
        self._rows = X
        self._view: FeatureView | None = None
        different = must[must[:, 0] != must[:, 1]]
        similarity: Similarity | None = None
        if X is not None and len(different) and not (adjacency is not None and _counted(X)):
            options = self._similarity_options(seed, len(different), X.shape[1])
            known = X, different, cannot, options, self.scale
            k = self.n_clusters or _MOST_GUESSED
            if adjacency is None or not adjacency.nnz or worth_learning(*known, k):
                similarity = learn_similarity(*known)
        else:
            self._refuse_options(adjacency, X)
        self._learned = similarity
        self._joint: Joint | None = None
        self.link_weight_: float | None = None
        if adjacency is None or (not adjacency.nnz and similarity is not None):
            assert similarity is not None
            self._fit_rows(X, similarity, constraints, seed)
        else:
            self._fit_graph(adjacency, X, constraints, seed)
        self.broken_pairs_ = broken(must, self.labels_, True) + broken(cannot, self.labels_, False)
        if broken(cannot, self.labels_, False):
            warnings.warn(
                f"not all cannot_link pairs can be kept with {self.n_clusters_} clusters: "
                f"{broken(cannot, self.labels_, False)[0]} share one; broken_pairs_ has all",
                stacklevel=2,
            )
        return self

    def _check_pairs(self, must: IntArray, with_graph: bool) -> None:
        if not with_graph and not len(must):
            raise InputError(
                "must_link is empty; give at least one pair of rows that belong together, or a "
                "graph"
            )
        if len(must) and not with_graph and (must[:, 0] == must[:, 1]).all():
            raise InputError("must_link has no pair of two different rows")

    def _check_number(self, n_groups: int, n: int) -> None:
        if self.n_clusters is not None and self.n_clusters > n_groups:
            raise InputError(
                f"n_clusters={self.n_clusters} is more than the {n_groups} rows"
                + (" or linked groups of rows" if n_groups < n else "")
            )

    def _similarity_options(self, seed: int, n_pairs: int, n_features: int) -> Options:
        penalty, tol = self.penalty, self.tol
        if penalty == "auto":
            penalty = choose_penalty(n_pairs, n_features, self.solver, self.rank)
            if penalty == "nuclear" and self.solver == "auto" and tol is None:
                tol = _ROUGH
        options = Options(
            rank=self.rank,
            rho=self.rho,
            alpha=self.alpha,
            reg=self.reg,
            inductive=True,
            penalty=penalty,
            solver=self.solver,
            max_sweeps=self.max_sweeps,
            tol=tol,
            dtype="float64",
            seed=seed,
            n_jobs=self.n_jobs,
            progress=self.progress,
        )
        if options.selects:
            raise InputError('rho, reg and rank of clusters must be numbers or None, not "auto"')
        return options

    def _refuse_options(self, adjacency: Any, X: Any) -> None:
        """Refuse options of a similarity where none is learned."""
        for name, default in _SIMILARITY.items():
            if getattr(self, name) != default:
                lacks = "features" if X is None else "must_link pairs"
                if X is not None and _counted(X):
                    lacks = "dense features, as sparse ones are counted beside a graph"
                raise InputError(
                    f"{name} is for the similarity, which needs {lacks}; leave it out, or give "
                    "them"
                )

    def _fit_rows(
        self, X: Any, similarity: Similarity, constraints: Constraints, seed: int
    ) -> None:
        """Cluster by the learned similarity alone: the paper's setting."""
        groups, n_groups = constraints.groups, constraints.n_groups
        k = self.n_clusters
        if k is None:
            k = count_clusters(similarity.spectrum, min(_MOST_GUESSED, n_groups))
        self._n_components = max(1, min(k, similarity.spectrum.size))
        vectors = self._embed(X)
        sizes = np.bincount(groups)
        means = np.zeros((n_groups, vectors.shape[1]))
        np.add.at(means, groups, vectors)
        means /= sizes[:, None]
        with threadpool_limits(1):  # more threads would sum in another order, to other bits
            self._kmeans = KMeans(k, n_init=_STARTS, random_state=seed).fit(
                means, sample_weight=sizes
            )
            distances = self._kmeans.transform(means) ** 2
        labels = constraints.assigned(-distances) if len(constraints.apart) else (
            self._kmeans.labels_
        )  # fmt: skip
        self.labels_: IntArray = labels[groups]
        self.n_clusters_ = k
        spread = self._kmeans.inertia_ / max(vectors.size, 1)
        log_odds = -distances / (2 * max(spread, np.finfo(float).tiny))
        self.strengths_ = _softmax(log_odds)[np.arange(n_groups), labels][groups]
        self._describe(similarity)
        self.history_ = similarity.history

    def _fit_graph(
        self, adjacency: sp.csr_array, X: Any, constraints: Constraints, seed: int
    ) -> None:
        """Cluster by links, features and pairs together."""
        rng = np.random.default_rng(seed)
        most = min(_MOST_GUESSED, constraints.n_groups)
        n, k = adjacency.shape[0], self.n_clusters or most
        needed = joint_memory(n, adjacency.nnz, k, X)
        check_memory(needed, f"{k} clusters of {n} nodes", "use fewer clusters or features")
        with threads(self.n_jobs):
            if X is not None and self._learned is None:
                self._view = FeatureView.of(X, self.scale, rng)
            elif self._learned is not None:
                spectrum = self._learned.spectrum
                k = self.n_clusters or count_clusters(spectrum, most)
                self._n_components = max(1, min(k, spectrum.size))
            values = None if X is None else self._seen(X)
            data = Data.of(adjacency, values, self._view, constraints, seed)
            joint, k = fit_joint(data, self.n_clusters, most, seed, self._steps)
        self._joint = joint
        self.labels_, self.strengths_ = joint.labels, joint.strengths
        self.n_clusters_ = k
        links = joint.mixture.links
        self.link_weight_ = 0.0 if links is None else links.weight
        self.history_ = joint.history
        self._describe(self._learned)

    def _describe(self, similarity: Similarity | None) -> None:
        self.spectrum_ = None if similarity is None else similarity.spectrum
        numbers = None if similarity is None else similarity.hyperparameters
        self.rho_ = None if numbers is None else numbers.rho
        self.alpha_ = None if numbers is None else numbers.alpha
        self.reg_ = None if numbers is None else numbers.reg
        self.gap_ = None if similarity is None else similarity.gap

    @contextlib.contextmanager
    def _steps(self, count: int) -> Iterator[Callable[[float], None]]:
        """Give what to call after each of so many steps, at most."""
        if self.progress is True:
            with progress_bar(total=count, desc="clusters", unit="start") as bar:

                def advance(value: float) -> None:
                    bar.set_postfix(objective=f"{value:.6g}", refresh=False)
                    bar.update()

                yield advance
                bar.update(count - bar.n)
        elif self.progress is False:
            yield lambda value: None
        else:
            tell, numbers = self.progress, itertools.count(1)

            def report(value: float) -> None:
                tell(next(numbers), value)

            yield report

    def _embed(self, X: Any) -> FloatArray:
        assert self._learned is not None
        vectors = self._learned.embed(X)[:, : self._n_components]
        return np.ascontiguousarray(vectors if vectors.size else np.zeros((X.shape[0], 1)))

    def _seen(self, X: Any) -> Any:
        """Return features as the model of a graph takes them."""
        return self._embed(X) if self._view is None else self._view.apply(X)

    def predict(self, X: Any = None, *, links: Any = None) -> IntArray:
        """Return the clusters of rows, fitted or new, by their features and links.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_samples, n_features)
            May be None if the model was fitted without features.
        links : sparse matrix of shape (n_samples, n_fitted), optional
            Links of these rows to the fitted ones; for a model with a graph.

        Returns
        -------
        ndarray of shape (n_samples,)

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        ValueError
            If `X` has NaN in it, or another number of columns than in `fit`; if neither
            features nor links are given, or links to a model without a graph.

        Examples
        --------
        >>> from pugraph.clustering import PUClustering
        >>> X = [[0.0], [0.1], [5.0], [5.1]]
        >>> model = PUClustering(2).fit(X, must_link=[(0, 1), (2, 3)])
        >>> model.predict([[0.3], [4.8]]) == model.labels_[[0, 2]]
        array([ True,  True])
        """
        check_is_fitted(self)
        if self._rows is not None or links is None:
            if self._rows is None:
                raise InputError("this model has no features; give links of the new rows")
            X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        elif X is not None:
            raise InputError("this model has no features; give links alone")
        if self._joint is None:
            if links is not None:
                raise InputError("this model has no graph; fit it with graph= to use links")
            with threadpool_limits(1):
                return self._kmeans.predict(self._embed(X))
        n = self.labels_.size
        if links is not None:
            links = sp.csr_array(links, dtype=np.float64)
            if links.shape[1] != n or (X is not None and links.shape[0] != X.shape[0]):
                raise InputError(f"links must have a row per new row and {n} columns, for the "
                                 f"fitted rows, not the shape {links.shape}")  # fmt: skip
        with threads(1):
            seen = None if X is None else self._seen(X)
            return self._joint.scores(seen, links).argmax(axis=1)

    def explain(self, row: int, k: int = 5) -> ClusterExplanation:
        """Return why a fitted row is in its cluster, and not in the next best one.

        Parameters
        ----------
        row : int
            The number of the row.
        k : int
            How many features to name, those that count most.

        Returns
        -------
        ClusterExplanation
            The two clusters, and the log odds between them, by reason. Prints as a table.

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        ValueError
            If there is no such row, there is one cluster, or the model was fitted without a graph.

        Examples
        --------
        >>> import networkx as nx
        >>> from pugraph.clustering import PUClustering
        >>> G = nx.karate_club_graph()
        >>> model = PUClustering(2).fit(graph=G)
        >>> why = model.explain(0)
        >>> max(why.reasons, key=why.reasons.get)
        'links'
        """
        check_is_fitted(self)
        check_whole("row", row, 0)
        check_whole("k", k, 0)
        if row >= self.labels_.size:
            raise InputError(f"there is no row {row}; rows are 0..{self.labels_.size - 1}")
        if self._joint is None:
            raise InputError("explain is for models with a graph; fit with graph=")
        if self.n_clusters_ == 1:
            raise InputError("there is one cluster, and nothing to explain")
        seen = None if self._rows is None else self._seen(self._rows)
        own, other, reasons, shares = explained(self._joint, int(row), seen)
        names = getattr(self, "feature_names_in_", None)
        if shares is not None and self._view is not None and self._view.directions is not None:
            shares = None  # of directions, not of features
        if self._view is None:
            shares = None
        return explanation_of(own, other, reasons, shares, names, k)

    def similarity(self, pairs: Any) -> FloatArray:
        """Return the learned similarity of pairs of the fitted rows.

        With a graph, it is the probability that the two share a cluster.

        Parameters
        ----------
        pairs : array_like of shape (n_pairs, 2)
            Row numbers.

        Returns
        -------
        ndarray of shape (n_pairs,)

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        ValueError
            If an item of `pairs` is not a pair or is out of range; the message names it.

        Examples
        --------
        >>> from pugraph.clustering import PUClustering
        >>> X = [[0.0], [0.1], [5.0], [5.1]]
        >>> model = PUClustering(2).fit(X, must_link=[(0, 1), (2, 3)])
        >>> together, apart = model.similarity([(0, 1), (0, 2)])
        >>> bool(together > apart)
        True
        """
        check_is_fitted(self)
        checked = check_pairs(pairs, self.labels_.size, "pairs")
        if self._joint is not None:
            return self._joint.similarity(checked)
        assert self._learned is not None
        return self._learned.of_pairs(self._rows, checked)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _softmax(scores: FloatArray) -> FloatArray:
    found = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def _counted(X: Any) -> bool:
    """Return whether features beside a graph are counted, like words."""
    return sp.issparse(X) and X.nnz > 0 and X.data.min() >= 0


def _symmetric(graph: Any) -> sp.csr_array:
    """Return the links of a graph both ways, without self-loops."""
    data = to_graph_data(graph, bipartite=False)
    if not data.square:
        raise InputError("clusters need a graph, or a square matrix")
    links = data._loopless.adjacency.astype(np.float64)
    if not data.symmetric:
        links = sp.csr_array(links.maximum(links.T))
    return links
