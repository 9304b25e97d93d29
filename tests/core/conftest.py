"""The tests of the core run on one thread, unless they ask for more."""

from __future__ import annotations

import pytest

from pugraph.core.jit import threads


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    """Small problems are faster without threads, also those of BLAS in the references."""
    with threads(1):
        yield
