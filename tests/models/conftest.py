"""Fitted models that several files look at."""

from __future__ import annotations

import pytest

import pugraph


@pytest.fixture(scope="session", params=["bias", "shift"])
def model(request, karate):
    return pugraph.fit(karate, request.param, rank=8)
