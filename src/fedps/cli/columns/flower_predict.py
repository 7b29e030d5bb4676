"""``fedps flower predict``: predict by parts that the clients of a running federation keep."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from fedps.cli.columns.column_options import PREDICT_OPTIONS
from fedps.cli.flower_runs import (
    INSECURE,
    ROOT,
    SUPERLINK,
    check_security,
    run_settings,
    run_to_its_end,
)
from fedps.cli.options import COHORT_OPTIONS, FILE, REPORT_OPTION
from fedps.engines.predict import predict_text
from fedps.files.predictions import check_predictions_path
from fedps.flower import flwr_command
from fedps.flower.app_folder import make_predict_app


@click.command("predict")
@click.argument("parts", type=FILE)
@SUPERLINK
@ROOT
@INSECURE
@COHORT_OPTIONS
@PREDICT_OPTIONS
@click.option("--out", type=FILE, help="The file for the predictions: .csv or .parquet.")
@REPORT_OPTION
def flower_predict(parts: Path, rows: str, to: str, **given: Any) -> None:
    """Predict by PARTS, the file that a fit with --split columns wrote.

    Each client contributes by the part that it keeps, from its own columns. PARTS, --out and
    --report are on the machine of the SuperLink. Example:

    \b
    fedps flower predict risk.parts --superlink localhost:8000 \\
        --root-certificates ca.crt --clients 3 --to target
    """  # noqa: D301 - to click, \\b means that lines stay as they are
    superlink, root, insecure = (
        given.pop(name) for name in ("superlink", "root_certificates", "insecure")
    )
    check_security(root, insecure)
    check_predictions_path(given["out"], here=False)
    what = predict_text(rows, to, parts.expanduser().absolute())
    with TemporaryDirectory(prefix="fedps-") as folder:
        app = Path(folder, "predict")
        make_predict_app(app, what, run_settings(given))
        run_to_its_end([str(app), flwr_command.CONNECTION], superlink, root, insecure=insecure)
