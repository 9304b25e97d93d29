"""A networkx backend: networkx's own link prediction, computed by pugraph.

Import nothing here: `import networkx` imports this package, for `info`.
"""

__version__ = "0.1.0"
