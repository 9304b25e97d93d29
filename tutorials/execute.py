"""Run notebooks and store their outputs: python tutorials/execute.py [FILE ...]."""

from __future__ import annotations

import sys
import time
from base64 import b64decode, b64encode
from io import BytesIO
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from PIL import Image

HERE = Path(__file__).parent


def execute(path: Path) -> nbformat.NotebookNode:
    """Return the notebook as a fresh kernel runs it, without metadata of that run."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        record_timing=False,
        coalesce_streams=True,
        resources={"metadata": {"path": path.parent}},
    )
    client.execute()
    for cell in notebook.cells:
        cell.metadata = {}
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                output.data["image/png"] = smaller(output.data["image/png"])
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    return notebook


def smaller(png: str) -> str:
    """Return a picture with a palette, a third of its size: it is stored again with each run."""
    picture = Image.open(BytesIO(b64decode(png))).convert("RGB")
    stored = BytesIO()
    picture.quantize(256, dither=Image.Dither.NONE).save(stored, "png", optimize=True)
    return b64encode(stored.getvalue()).decode()


def main(arguments: list[str]) -> None:
    """Run the files named, or all of them, in place."""
    for path in [Path(name) for name in arguments] or sorted(HERE.glob("*.ipynb")):
        begun = time.perf_counter()
        nbformat.write(execute(path), path)
        print(f"{path.name}: {time.perf_counter() - begun:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
