"""Networks whose rho is known."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def groups(rho, inside=1.0, n=240, k=6, seed=0, directed=False):
    """Links within groups with a probability, of which a fraction rho is unseen."""
    rng = np.random.default_rng(seed)
    group = np.arange(n) % k
    seen = (group[:, None] == group) & (rng.random((n, n)) < inside * (1 - rho))
    np.fill_diagonal(seen, False)
    if not directed:
        seen = np.triu(seen) | np.triu(seen).T
    return sp.csr_array(seen.astype(np.int8))
