"""The paper's Table 6: how far what comes out is from pooled scikit-learn."""

from experiments.consistency.drawing import draw
from experiments.consistency.measuring import cells, measure, say
from experiments.consistency.tables import tables
from experiments.experiment import Experiment

EXPERIMENT = Experiment("consistency", cells, measure, tables, draw, say, parallel=True)
