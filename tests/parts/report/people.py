"""People at three clients, and reports to show."""

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fedps.report import AskRow, Explanation, Run

NUMBERS = ["age", "chol"]
WORDS = ["city", "sex"]


def people():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.normal(50, 9, 60),
            "chol": rng.normal(200, 30, 60),
            "visits": rng.integers(0, 9, 60),
            "city": rng.choice(["oslo", "bergen", "tromsø"], 60),
            "sex": rng.choice(["f", "m"], 60),
            "label": rng.choice(["yes", "no"], 60),
        }
    )
    frame.loc[::7, "age"] = np.nan
    return frame


def thirds(frame, columns=None):
    kept = frame[columns] if columns else frame
    return {"north": kept[:20], "south": kept[20:45], "west": kept[45:]}


def impute_scale():
    return make_pipeline(SimpleImputer(), StandardScaler())


def a_run(**changes):
    run = Run("StandardScaler", ("oslo", "bergen"), rows=1234, rounds=1, seconds=0.118)
    run.bytes_up = {"oslo": 1234, "bergen": 98}
    run.bytes_down = {"oslo": 40, "bergen": 40}
    shows = "count, sum, sum of squares"
    sizes = {"oslo": 30, "bergen": 41}
    run.asks = [AskRow(1, "Moments", ("age", "chol"), "AGGREGATE", shows, sizes)]
    for name, value in changes.items():
        setattr(run, name, value)
    return run


def explanation():
    ask = AskRow(2, "Extremes", ("age",), "SUMMARY", "count, smallest and largest value")
    return Explanation("MinMaxScaler", ("oslo",), 2, [ask])
