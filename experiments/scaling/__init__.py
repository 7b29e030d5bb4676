"""Time and memory as rows, columns and clients grow, beside pooled scikit-learn in the same run."""

from experiments.experiment import Experiment
from experiments.scaling.cells import cells
from experiments.scaling.drawing import draw
from experiments.scaling.measuring import measure, say
from experiments.scaling.tables import tables

EXPERIMENT = Experiment("scaling", cells, measure, tables, draw, say)
