"""What all tests share: real data, and a smaller selection without compilation."""

from __future__ import annotations

import os
from pathlib import Path

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


def pytest_collection_modifyitems(items):
    skip = pytest.mark.skip(reason="needs compiled kernels; NUMBA_DISABLE_JIT is set")
    for item in items:
        if not JIT and "compiled" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def real_data():
    directory = Path(os.environ["PUGRAPH_DATA"])
    if not directory.is_dir():
        pytest.skip(f"no real data: {directory} does not exist; set PUGRAPH_DATA")
    return directory
