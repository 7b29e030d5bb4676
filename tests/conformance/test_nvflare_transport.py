"""What the NVFLARE transport makes of what sites do, on stand-ins for NVFLARE's proxies."""

import threading
import time
from types import SimpleNamespace

import pytest

pytest.importorskip("nvflare", reason="needs NVFLARE")

from nvflare.collab import CollabCallError

from fedps.errors import TransportError, UsageError
from fedps.transports import nvflare
from fedps.transports.base import Lost
from tests.conformance.scenario import SECRET


class Proxy:
    """A site that answers by a function."""

    def __init__(self, name, answer):
        self.name = name
        self.answer = answer

    def __call__(self, timeout):
        self.timeout = timeout
        return SimpleNamespace(fedps_answer=self.answer)


@pytest.fixture
def engine(monkeypatch):
    """NVFLARE, as far as the transport looks at it."""
    found = SimpleNamespace(aborted=False, clients=[])
    found.context = SimpleNamespace(is_aborted=lambda: found.aborted)
    monkeypatch.setattr(nvflare, "collab", found)
    return found


def transport(engine, timeout=5.0, quorum=None, **answers):
    engine.clients = [Proxy(name, answer) for name, answer in answers.items()]
    return nvflare.NVFlareTransport(len(answers), timeout, quorum)


def raising(error):
    def answer(message):
        raise error

    return answer


def failed(cause, **more):
    return raising(CollabCallError("oslo", "fedps_answer", cause, **more))


def test_each_site_gets_its_own_message(engine):
    carried = transport(engine, oslo=lambda m: b"oslo " + m, bergen=lambda m: b"bergen " + m)
    assert carried.clients() == ("bergen", "oslo")
    replies = dict(carried.exchange({"oslo": b"1", "bergen": b"2"}))
    assert replies == {"oslo": b"oslo 1", "bergen": b"bergen 2"}


def test_replies_come_as_they_arrive(engine):
    let_go = threading.Event()

    def slow(message):
        let_go.wait(60)
        return b"slow"

    carried = transport(engine, bergen=slow, oslo=lambda message: b"quick")
    replies = carried.exchange({"bergen": b"", "oslo": b""})
    assert next(replies) == ("oslo", b"quick")
    let_go.set()
    assert list(replies) == [("bergen", b"slow")]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (failed(TimeoutError("x")), "did not answer within 5 seconds"),
        (
            failed(SECRET, cause_type="ValueError", remote_traceback=SECRET),
            "has a fedps_answer that failed: the log at the site says why",
        ),
        (
            failed(RuntimeError("target oslo does not have method 'fedps_answer'")),
            "does not publish a function fedps_answer: is it the client of fedps.nvflare?",
        ),
        (
            failed("remote call returned rc='comm error'"),
            "could not be reached: its job process or its connection is gone",
        ),
        (raising(OSError(SECRET)), "could not be called: the server's log says why"),
        (
            lambda message: "text",
            "has a fedps_answer that does not return what fedps.nvflare.answer gives",
        ),
        (lambda message: b"", "could not read the message: do the versions of fedps differ?"),
    ],
)
def test_losses(engine, answer, reason):
    carried = transport(engine, oslo=answer, bergen=lambda message: b"fine")
    replies = dict(carried.exchange({"bergen": b"", "oslo": b""}))
    assert replies == {"bergen": b"fine", "oslo": Lost(reason)}


def test_a_site_for_which_nvflare_waits_for_ever(engine, monkeypatch):
    monkeypatch.setattr(nvflare, "_GRACE", 0.1)
    never = threading.Event()
    carried = transport(engine, timeout=0.1, oslo=lambda message: never.wait(60))
    started = time.monotonic()
    assert list(carried.exchange({"oslo": b""})) == [
        ("oslo", Lost("did not answer within 0.1 seconds"))
    ]
    assert time.monotonic() - started < 30
    never.set()


def test_a_job_that_nvflare_ends(engine):
    def aborted(message):
        engine.aborted = True
        raise CollabCallError("oslo", "fedps_answer", TimeoutError("aborted"))

    carried = transport(engine, oslo=aborted)
    with pytest.raises(
        TransportError, match="NVFLARE ended the job before 'oslo' answered"
    ) as found:
        list(carried.exchange({"oslo": b""}))
    assert found.value.clients == ()  # no quorum can go on in a job that has ended


def test_too_many_and_too_few(engine):
    engine.clients = [Proxy(name, None) for name in ("bergen", "oslo")]
    with pytest.raises(UsageError, match=r"2 sites are part of the job \(bergen, oslo\), and"):
        nvflare.NVFlareTransport(1, 5.0)
    with pytest.raises(TransportError, match="and 3 were to take part"):
        nvflare.NVFlareTransport(3, 5.0)
    with pytest.raises(TransportError, match="and 4, or at least 3, were to take part"):
        nvflare.NVFlareTransport(4, 5.0, 3)
    assert nvflare.NVFlareTransport(3, 5.0, 2).clients() == ("bergen", "oslo")


def test_a_named_site_that_is_not_there(engine):
    engine.clients = [Proxy("oslo", lambda message: b"fine")]
    carried = nvflare.NVFlareTransport(["oslo", "bergen"], 5.0)
    replies = dict(carried.exchange({"oslo": b"", "bergen": b""}))
    assert replies["oslo"] == b"fine"
    assert replies["bergen"].reason.startswith("is not part of the job")
