"""Names that are imported when they are first used."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pugraph.lazy import attach


def test_a_name_comes_from_its_home_and_a_module_is_itself():
    get = attach("xml", {"etree": "xml.etree", "Element": "xml.etree.ElementTree"})
    import xml.etree.ElementTree

    assert get("Element") is xml.etree.ElementTree.Element
    assert get("etree") is xml.etree
    with pytest.raises(AttributeError, match="module 'xml' has no attribute 'sax'"):
        get("sax")


@pytest.mark.parametrize(
    "use", ["", "; pugraph.__version__; dir(pugraph)", "; pugraph.PugraphError"]
)
def test_importing_pugraph_loads_neither_numba_nor_scikit_learn(use):
    code = (
        f"import sys, pugraph{use}; heavy = {{'numba', 'sklearn', 'scipy', 'networkx', 'igraph'}}"
        "; print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
