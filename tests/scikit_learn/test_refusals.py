"""The table of refusals is about tests that there are, and the page for users has every reason."""

from pathlib import Path

import pytest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import fedps
from tests.scikit_learn import refusals
from tests.scikit_learn.shim import Defect

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "limits.md"


def entries():
    for module, expected in refusals.REFUSED.items():
        for entry in expected:
            yield pytest.param(module, entry, id=f"{module}-{entry.tests}")


@pytest.mark.parametrize(("module", "entry"), entries())
def test_every_reason_is_on_the_page(module, entry):
    assert f"## {entry.heading}\n" in PAGE.read_text("utf-8")


@pytest.mark.parametrize("module", refusals.REFUSED)
def test_every_module_is_run(module):
    assert (HERE / f"{module}.py").exists()


def test_fits_are_federated(shim):
    make_pipeline(SimpleImputer(), StandardScaler()).fit([[1.0], [2.0], [3.0], [4.0]])
    assert shim.fits == 1  # and those inside of it are not


def test_the_federation_is_asked(shim, monkeypatch):
    monkeypatch.setattr(fedps.Federation, "fit", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        StandardScaler().fit([[1.0], [2.0]])


def test_what_pooled_refuses_is_an_error_of_the_test(shim):
    with pytest.raises(ValueError, match="infinity"):
        StandardScaler().fit([[1.0], [float("inf")]])


def test_a_refusal_that_is_not_expected_is_a_defect(shim):
    with pytest.raises(Defect, match="at one place"):
        SimpleImputer(strategy=len).fit([[1.0], [2.0]])
