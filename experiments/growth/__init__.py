"""How what a client sends grows with rows, columns, categories and clients, beside the paper's Table 2."""

from experiments.experiment import Experiment
from experiments.growth.drawing import draw
from experiments.growth.measuring import cells, measure, say
from experiments.growth.tables import tables

EXPERIMENT = Experiment("growth", cells, measure, tables, draw, say, parallel=True)
