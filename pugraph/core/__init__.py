"""Kernels and solvers: arrays in, arrays out; no graphs, no node names."""
