"""Fitted models that several files look at."""

from __future__ import annotations

import networkx as nx
import pytest

import pugraph


@pytest.fixture(scope="session")
def karate():
    return nx.karate_club_graph()


@pytest.fixture(scope="session", params=["bias", "shift"])
def model(request, karate):
    return pugraph.fit(karate, request.param, rank=8)
