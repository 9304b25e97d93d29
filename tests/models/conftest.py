"""Fitted models that several files look at."""

from __future__ import annotations

import pytest

import pugraph


@pytest.fixture(scope="session", params=["bias", "shift"])
def model(request, karate):
    return pugraph.fit(karate, request.param, rank=8)


@pytest.fixture(scope="session", params=["blend", "bias", "shift"])
def any_model(request, karate):
    return pugraph.fit(karate, request.param, rank=8)
