from __future__ import annotations

import shutil

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

mpl.use("Agg")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = [  # a browser that does nothing of its own
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-quic",
]  # fmt: skip


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


@pytest.fixture
def ax():
    return plt.subplots()[1]


@pytest.fixture(scope="session")
def browser():
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip(f"no browser: none of {', '.join(BROWSERS)} is installed")
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=found, args=QUIET)
        yield running
        running.close()
