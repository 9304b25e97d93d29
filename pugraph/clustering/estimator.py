"""PUClustering: semi-supervised clustering as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits

from pugraph.clustering.similarity import Similarity, count_clusters, learn_similarity
from pugraph.core.types import FloatArray, IntArray
from pugraph.errors import InputError
from pugraph.models.checks import check_whole
from pugraph.models.options import Options, Progress

# Both chosen by hand.
_STARTS = 10  # of k-means, scikit-learn's n_init: more starts take longer and miss fewer optima
_MOST_GUESSED = 50  # clusters, if their number is not given; ask for more with n_clusters


class PUClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster rows of features, given some pairs that belong together.

    Only such positive pairs are needed; all others count as unknown. Biased inductive matrix
    completion learns a similarity X = F D F^T from the known pairs, and k-means clusters the
    rows by its leading eigenvectors. No n x n matrix is formed.

    Parameters
    ----------
    n_clusters : int, optional
        If None, the number is chosen at the steepest fall in the spectrum of the similarity.
    rank, rho, alpha, reg
        As in `pugraph.fit`, but "auto" is not allowed. If rho and alpha are None, the known
        pairs together have the same weight as all other pairs together.
    penalty : {"ridge", "nuclear"}
        On D. `solver="ccd++"` and `rank` need "nuclear".
    solver
        As in `pugraph.fit`.
    scale : bool
        Standardise the columns of dense features, and scale the rows of sparse features to the
        same length.
    hard : bool
        Whether the two rows of a `must_link` pair always have the same label. If False, the
        pairs only influence the similarity.
    max_sweeps, tol, n_jobs, progress
        As in `pugraph.fit`.
    random_state : int, RandomState instance or None
        For the fit and for k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each row.
    n_clusters_ : int
        The number of clusters, as given or as chosen.
    spectrum_ : ndarray
        The positive eigenvalues of the similarity, largest first.
    rho_, alpha_, reg_ : float
        The values used.
    history_ : list of float
        The objective after each step of the fit.
    gap_ : float or None
        A bound on how far the final objective is above the minimum, relative to the minimum.
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
        penalty: str = "ridge",
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

    def fit(self, X: Any, y: Any = None, *, must_link: Any) -> PUClustering:
        """Learn the similarity and the clusters.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_samples, n_features)
        y : object
            Ignored.
        must_link : array_like of shape (n_pairs, 2)
            Pairs of row numbers of `X` that belong together.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If an item of `must_link` is not a pair or is out of range; the message names it. If
            there is no pair of two different rows, an option is out of range, `X` has NaN in it
            or only one row, or `n_clusters` is larger than the number of rows (if `hard`, than
            the number of groups of linked rows).
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
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, ensure_min_samples=2)
        pairs = check_pairs(must_link, X.shape[0])
        if (pairs[:, 0] == pairs[:, 1]).all():
            raise InputError("must_link has no pair of two different rows")
        seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        options = Options(
            rank=self.rank,
            rho=self.rho,
            alpha=self.alpha,
            reg=self.reg,
            inductive=True,
            penalty=self.penalty,
            solver=self.solver,
            max_sweeps=self.max_sweeps,
            tol=self.tol,
            dtype="float64",
            seed=seed,
            n_jobs=self.n_jobs,
            progress=self.progress,
        )
        if options.selects:
            raise InputError('rho, reg and rank of clusters must be numbers or None, not "auto"')
        similarity = learn_similarity(X, pairs, options, self.scale)
        groups = _groups(X.shape[0], pairs) if self.hard else np.arange(X.shape[0])
        n_groups = int(groups.max()) + 1
        k = self.n_clusters
        if k is None:
            k = count_clusters(similarity.spectrum, min(_MOST_GUESSED, n_groups))
        if k > n_groups:
            raise InputError(
                f"n_clusters={k} is more than the {n_groups} rows"
                + (" or linked groups of rows" if n_groups < X.shape[0] else "")
            )
        self._learned = similarity
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
        self.labels_: IntArray = self._kmeans.labels_[groups]
        self.n_clusters_ = k
        self.spectrum_ = similarity.spectrum
        self.rho_, self.alpha_, self.reg_ = similarity.hyperparameters[1:]
        self.history_, self.gap_ = similarity.history, similarity.gap
        self._rows = X
        return self

    def _embed(self, X: Any) -> FloatArray:
        vectors = self._learned.embed(X)[:, : self._n_components]
        return np.ascontiguousarray(vectors if vectors.size else np.zeros((X.shape[0], 1)))

    def predict(self, X: Any) -> IntArray:
        """Return the clusters of rows, fitted or new, by their features.

        Parameters
        ----------
        X : array_like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)

        Raises
        ------
        sklearn.exceptions.NotFittedError
            Before `fit`.
        ValueError
            If `X` has NaN in it, or another number of columns than in `fit`.

        Examples
        --------
        >>> from pugraph.clustering import PUClustering
        >>> X = [[0.0], [0.1], [5.0], [5.1]]
        >>> model = PUClustering(2).fit(X, must_link=[(0, 1), (2, 3)])
        >>> model.predict([[0.3], [4.8]]) == model.labels_[[0, 2]]
        array([ True,  True])
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        with threadpool_limits(1):
            return self._kmeans.predict(self._embed(X))

    def similarity(self, pairs: Any) -> FloatArray:
        """Return the learned similarity of pairs of the fitted rows.

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
        learned: Similarity = self._learned
        return learned.of_pairs(self._rows, check_pairs(pairs, self._rows.shape[0], "pairs"))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def check_pairs(pairs: Any, n: int, name: str = "must_link") -> IntArray:
    """Validate pairs of row numbers and return them as an array."""
    if sp.issparse(pairs):
        raise InputError(f"{name} must be pairs of rows, not a sparse matrix")
    if isinstance(pairs, Iterable) and not isinstance(pairs, (np.ndarray, str)):
        pairs = list(pairs)
    try:
        array = np.asarray(pairs)
        array = array.reshape(-1, 2) if array.size == 0 else array
    except ValueError:
        array = np.empty(0)
    if array.ndim != 2 or array.shape[1] != 2:
        for place, pair in enumerate(pairs if np.iterable(pairs) else []):
            if not isinstance(pair, (list, tuple, np.ndarray)) or len(pair) != 2:
                raise InputError(f"item {place} of {name} is not a pair of rows: {pair!r}")
        raise InputError(f"{name} must be pairs of rows, not {pairs!r}")
    if array.size == 0 and name == "must_link":
        raise InputError("must_link is empty; give at least one pair of rows that belong together")
    if array.size and array.dtype.kind not in "iu":
        raise InputError(f"{name} must be whole row numbers, not {array.dtype}")
    bad = np.flatnonzero(((array < 0) | (array >= n)).any(axis=1))
    if bad.size:
        raise InputError(
            f"item {bad[0]} of {name} is {tuple(array[bad[0]].tolist())}; rows are 0..{n - 1}"
        )
    return array.astype(np.int64)


def _groups(n: int, pairs: IntArray) -> IntArray:
    """Return the connected component of each row in the graph of the pairs."""
    u, v = pairs.T
    joined = sp.coo_array((np.ones(u.size, np.int8), (u, v)), shape=(n, n))
    return connected_components(joined, directed=False)[1]
