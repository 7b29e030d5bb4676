"""Linear algebra of clients in threads does not fight for the processor."""

import threading

import numpy as np
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_info

import fedps
from fedps.transports.local import one_blas_thread


def threads():
    return {
        library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"
    }


def test_the_number_of_threads_is_put_back_by_the_last():
    before = threads()
    first, second = one_blas_thread(), one_blas_thread()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    assert threads() == {1}
    second.__exit__(None, None, None)
    assert threads() == before


def test_federations_in_threads_leave_it_as_it_was():
    before = threads()
    tables = [np.ones((50, 3)), np.zeros((50, 3))]
    jobs = [threading.Thread(target=lambda: fedps.fit(StandardScaler(), tables)) for _ in range(8)]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert threads() == before
