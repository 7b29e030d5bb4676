"""What every test may use: the hypothesis profile and the folder of real data."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]

# Seconds differ between machines, so no deadline and no complaint about slow generation; the same
# examples in every run, so a red suite is red for everyone.
settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    max_examples=45,
    suppress_health_check=[HealthCheck.too_slow],
)
# The first of the same examples, where only the versions of others differ: HYPOTHESIS_PROFILE=few
settings.register_profile("few", settings.get_profile("ci"), max_examples=15)
# For a longer search by hand: HYPOTHESIS_PROFILE=search
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of real data sets (Adult, Bank, Covertype, heart disease)."""
    folder = ROOT / os.environ.get("FEDPS_DATA", "../shared/data")
    if not folder.is_dir():
        pytest.skip(f"no data at {folder}: set FEDPS_DATA to the folder of adult.data.gz")
    return folder
