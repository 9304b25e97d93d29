from __future__ import annotations

from pugraph import datasets
from pugraph.datasets.catalogue import DATASETS


def test_every_data_set_is_described():
    found = datasets.list()
    assert [data.name for data in found] == list(DATASETS)
    for data in found:
        assert data.kind in ("network", "directed network", "temporal network", "matrix", "table")
        assert data.about
        assert data.citation
        assert data.notice
        assert all(file.url.startswith("https://") for file in data.files)
        assert all(file.sha256 is None or len(file.sha256) == 64 for file in data.files)
