"""A web server and directories with small files in place of the publishers'."""

from __future__ import annotations

import dataclasses
import functools
import gc
import http.server
import threading
import warnings

import pytest

from pugraph.datasets.catalogue import DATASETS, File


class Place:
    """A web server, a directory for PUGRAPH_DATA, and a cache."""

    def __init__(self, monkeypatch, root, address):
        self.monkeypatch, self.address, self.requests = monkeypatch, address, []
        self.web, self.local, self.cache = (root / name for name in ("web", "local", "cache"))

    def publish(self, name, files, counts, **contents):
        """Give a data set these files and counts, and publish these contents."""
        for published, content in contents.items():
            (self.web / published.replace("_", ".")).write_bytes(content)
        dataset = dataclasses.replace(
            DATASETS[name],
            counts=counts,
            files=tuple(File(p, f"{self.address}/{u}", sha) for p, u, sha in files),
        )
        self.monkeypatch.setitem(DATASETS, name, dataset)


@pytest.fixture
def place(monkeypatch, tmp_path):
    for name in ("web", "local"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("PUGRAPH_DATA", str(tmp_path / "local"))
    monkeypatch.setenv("PUGRAPH_CACHE", str(tmp_path / "cache"))

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *args):
            found.requests.append(self.path)

    handler = functools.partial(Handler, directory=str(tmp_path / "web"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        found = Place(monkeypatch, tmp_path, f"http://127.0.0.1:{server.server_address[1]}")
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield found
        server.shutdown()
        thread.join()
    # requests leaves the socket of an error response to the garbage collector
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
