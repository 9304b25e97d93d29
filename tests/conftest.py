"""What all tests share: real data, a graph, and a smaller selection without compilation."""

from __future__ import annotations

import os
from pathlib import Path

# scikit-learn's threads wait for each other busily, which takes minutes where two processes
# share two cores; tests of threads ask for them by n_jobs
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import networkx as nx
import numba
import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("PUGRAPH_DATA", str(Path(__file__).parents[2] / "shared" / "data"))
JIT = not numba.config.DISABLE_JIT

settings.register_profile(
    "all",
    max_examples=60 if JIT else 8,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("all")

collect_ignore = ["user_script.py"]  # which only mypy reads


# the longest tests begin first, so that both processes end at about the same time
LONGEST = ["test_cluster_fit.py", "test_tutorials.py", "test_laws.py", "test_pages.py"]
# these need no compiled kernels, or few
LIGHT = ["test_typing.py", "adapters", "datasets", "plotting"]


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.name not in LONGEST)
    # the first process begins with the first half of the tests, and compiles the kernels that
    # most of them need; meanwhile the second one, which would compile the same, does without
    light = [item for item in items if {item.path.name, item.path.parent.name} & set(LIGHT)]
    others = [item for item in items if item not in set(light)]
    half = len(items) // 2
    items[:] = others[:half] + light + others[half:]
    skip = pytest.mark.skip(reason="needs compiled kernels; NUMBA_DISABLE_JIT is set")
    for item in items:
        # real networks are large, whatever is done with them
        large = "real_data" in getattr(item, "fixturenames", ())
        if not JIT and ("compiled" in item.keywords or large):
            item.add_marker(skip)


@pytest.fixture(scope="session", autouse=not JIT)
def _small_blends():
    """Where kernels are not compiled, a blend learns little: a fit would take half a minute."""
    from pugraph.link_prediction import blending
    from pugraph.models import evidence, odds

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blending, "_MOST_TIMES", 2)
        patch.setattr(blending, "_FEW_LINKS", 0)
        for name in ("_SWEEPS", "_MORE_SWEEPS"):
            patch.setattr(evidence, name, dict.fromkeys(getattr(evidence, name), 2))
        patch.setattr(evidence, "_BIAS_RANK", 6)
        patch.setattr(evidence, "_SHIFT_RANK", 6)
        for name in ("_NEAR_SHAPE", "_FAR_SHAPE"):
            patch.setattr(odds, name, getattr(odds, name)._replace(rounds=4))
        yield


@pytest.fixture(scope="session")
def karate():
    return nx.freeze(nx.karate_club_graph())


@pytest.fixture(scope="session")
def real_data():
    directory = Path(os.environ["PUGRAPH_DATA"])
    if not directory.is_dir():
        pytest.skip(f"no real data: {directory} does not exist; set PUGRAPH_DATA")
    return directory
