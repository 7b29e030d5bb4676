"""The paper's evaluation, run on this library: ``python -m experiments all``.

An experiment is a list of cells, each of which is measured once and kept as a line of JSON; tables
and figures are made from these lines, and so are the numbers in README and docs.
"""
