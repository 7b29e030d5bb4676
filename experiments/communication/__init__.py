"""The paper's Table 5: what a client sends and receives, and the floor of the same statistic."""

from experiments.communication.drawing import draw
from experiments.communication.measuring import cells, measure, say
from experiments.communication.tables import tables
from experiments.experiment import Experiment

EXPERIMENT = Experiment("communication", cells, measure, tables, draw, say, parallel=True)
