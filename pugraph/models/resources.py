"""The resources of a fit: threads and the progress bar."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

from pugraph.core.descent import Progress, Stopping
from pugraph.core.jit import threads
from pugraph.models.options import Options

# below, starting threads takes longer than they save; chosen by hand, affects speed only
_FEW_LINKS = 10_000


@contextlib.contextmanager
def solver_resources(options: Options, solver: str, n_links: int) -> Iterator[Stopping]:
    """Set the number of threads, and yield when to stop and what to call after each sweep."""
    max_sweeps, tol = options.stopping_rule(solver)
    n_jobs = 1 if n_links < _FEW_LINKS else options.n_jobs
    with threads(n_jobs), _reporter(options, max_sweeps) as progress:
        yield Stopping(max_sweeps, tol, progress)


@contextlib.contextmanager
def _reporter(options: Options, max_sweeps: int) -> Iterator[Progress | None]:
    """Return the function that the option `progress` asks to call after each sweep."""
    if options.progress is False:
        yield None
    elif options.progress is not True:
        yield options.progress
    else:
        with progress_bar(total=max_sweeps, desc=f"pu_{options.method}", unit="sweep") as bar:

            def report(sweep: int, objective: float) -> None:
                bar.set_postfix(objective=f"{objective:.6g}", refresh=False)
                bar.update(sweep - bar.n)

            yield report


def progress_bar(**options: Any) -> Any:
    """Return tqdm's progress bar: a widget where a notebook has widgets, text elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about missing notebook widgets
        if options.get("disable"):
            from tqdm.std import tqdm  # tqdm.auto imports asyncio
        else:
            from tqdm.auto import tqdm
    return tqdm(**options)
