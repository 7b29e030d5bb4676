"""The paper's Table 4 and Figures 3 to 8: what preprocessing does to a model trained by FedAvg."""

from experiments.accuracy.curves import draw
from experiments.accuracy.grid import cells
from experiments.accuracy.measuring import measure, say
from experiments.accuracy.tables import tables
from experiments.experiment import Experiment

EXPERIMENT = Experiment("accuracy", cells, measure, tables, draw, say, parallel=True)
