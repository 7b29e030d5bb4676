"""Twins go through clients that trust no server, with an open policy: as over an engine.

In process a client knows that the server is its own user, and sets no limits to its work. Here it does
not know, so that no honest fit may be refused. Only functions without a name need the trust.
"""

import numpy as np
import pytest

from fedps.federation.in_process import InProcess
from fedps.statistics.products import missing_patterns as patterns


@pytest.fixture(scope="module", autouse=True)  # other tests may follow in the same process
def _clients_that_trust_nobody():
    trusting = InProcess.trust

    def trust(self, estimator):
        names = trusting(self, estimator)
        values = estimator.get_params(deep=True).values() if names else ()
        functions = [v for v in values if id(v) in names]
        if all(isinstance(function, np.ufunc) for function in functions):
            for responder in self._responders.values():
                responder.functions = None
            return {}
        return names

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(InProcess, "trust", trust)
        yield


@pytest.fixture
def no_patterns(monkeypatch):
    """Let clients tell of no patterns, as if these needed too many bytes."""
    monkeypatch.setattr(patterns, "MOST_PATTERN_NUMBERS", 0)
