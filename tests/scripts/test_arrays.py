"""Arrays as bytes: every form is reached, and all are lossless to the bit."""

from __future__ import annotations

from datetime import UTC, time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedps.protocol.limits import MAX_DIMENSIONS, MAX_MESSAGE, OBJECT_COST
from fedps.protocol.packing.arrays import DTYPES, Budget, Form, pack, unpack
from fedps.protocol.packing.varints import (
    read_varints,
    unzigzag,
    varint_size,
    write_varints,
    zigzag,
)

PLAIN = [dtype for dtype in DTYPES if dtype.kind not in "mMO"]
TIMES = [dtype for dtype in DTYPES if dtype.kind in "mM"]
NAN = float("nan")
SPECIAL = [0.0, -0.0, NAN, np.inf, -np.inf, 5e-324, -5e-324, 1e308, 2.0**53, 2.0**53 - 1, 0.1]
HEADER = 2 + 1 + 5 * MAX_DIMENSIONS


def through(array):
    back = unpack(pack(array), Budget())
    assert back.dtype == array.dtype.newbyteorder("<")
    assert back.shape == array.shape
    assert back.flags.carray  # aligned, writeable, contiguous
    return back


def same_bits(array):
    little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
    assert through(array).tobytes() == little.tobytes()


@pytest.mark.parametrize("dtype", TIMES, ids=str)
def test_times(dtype):
    cells = np.array([-(2**40), 0, 1, 86_400_000_000], dtype=np.int64).view(dtype)
    same_bits(cells)
    same_bits(np.append(cells, np.array("NaT", dtype)).reshape(5, 1))
    same_bits(cells[:0])


def form_of(array):
    return Form(pack(np.asarray(array))[0])


# Every form -----------------------------------------------------------------------------------

random = np.random.default_rng(0)
FORMS = [
    (Form.RAW, random.normal(size=40)),
    (Form.RAW, random.integers(-(2**63), 2**63 - 1, size=40)),
    (Form.RAW, np.empty(0)),
    (Form.RAW, np.array([True, False, True])),
    (Form.RAW, np.array([2**64 - 1, 1, 0], dtype=np.uint64)),
    (Form.RAW, random.normal(size=40).astype(np.float32)),
    (Form.SAME, np.full(40, 0.1)),
    (Form.SAME, np.full((4, 10), NAN)),
    (Form.SAME, np.full(40, -0.0)),
    (Form.SAME, np.full(300, 2**64 - 1, dtype=np.uint64)),
    (Form.SAME, np.zeros(40, dtype=bool)),
    (Form.WHOLE, np.array([7.0, 100.0, 3.0])),
    (Form.WHOLE, np.array([7, -100, 3])),
    (Form.WHOLE, np.array(5.0)),
    (Form.WHOLE, np.array([3.0, 2.0], dtype=np.float16).astype(np.float32)),
    (Form.STEPS, np.arange(1000, 1100) * 1000),
    (Form.STEPS, np.arange(1000.0, 1100.0)),
    (Form.MIXED, np.array([1.0, 2.0, 3.0, 0.1, NAN, 5.0])),
    (Form.MIXED, np.array([1.0, 2.0, 3.0, -0.0, 5.0, 9.0])),
    (Form.NARROW, random.normal(size=40).astype(np.float32).astype(np.float64)),
    (Form.SCALARS, np.array(["a", None, 2.5, 3, True], dtype=object)),
]


@pytest.mark.parametrize(("form", "array"), FORMS, ids=[f.name for f, _ in FORMS])
def test_forms(form, array):
    assert form_of(array) == form
    if form == Form.SCALARS:
        assert through(array).tolist() == array.tolist()
    else:
        same_bits(array)


def test_every_form_has_an_example():
    assert {form for form, _ in FORMS} == set(Form)


# Lossless -------------------------------------------------------------------------------------


def shapes():
    return st.sampled_from([(), (0,), (1,), (7,), (40,), (0, 3), (3, 0), (2, 5), (2, 1, 3)])


@given(st.data())
@pytest.mark.parametrize("dtype", PLAIN, ids=str)
def test_any_bits(dtype, data):
    """Whatever the bits: payloads of NaN, signs of zero, the ends of the integers."""
    shape = data.draw(shapes())
    size = int(np.prod(shape)) * dtype.itemsize
    buffer = data.draw(st.binary(min_size=size, max_size=size))
    array = np.frombuffer(buffer, dtype=np.uint8)
    array = (array & 1).view(dtype) if dtype.kind == "b" else array.view(dtype)
    same_bits(array.reshape(shape))


def numbers(dtype):
    if dtype.kind == "b":
        return st.booleans()
    if dtype.kind in "iu":
        ends = np.iinfo(dtype)
        near = st.integers(max(ends.min, -300), min(ends.max, 300))
        return near | st.sampled_from([ends.min, ends.max]) | st.integers(ends.min, ends.max)
    whole = st.integers(-2000, 2000).map(float)
    return whole | st.sampled_from(SPECIAL) | st.floats(width=8 * dtype.itemsize)


@given(st.data())
@pytest.mark.parametrize("dtype", PLAIN, ids=str)
def test_any_numbers(dtype, data):
    """Numbers as they come in practice, so that all forms are met; never larger than RAW."""
    cells = data.draw(st.lists(numbers(dtype), max_size=40))
    repeat = data.draw(st.sampled_from([1, 1, 5]))
    with np.errstate(over="ignore"):
        wide = np.array(cells, dtype=np.float64 if dtype.kind == "f" else dtype)
        array = np.repeat(wide.astype(dtype), repeat)
    if data.draw(st.booleans()):
        array = np.sort(array)
    same_bits(array)
    assert len(pack(array)) <= array.nbytes + HEADER


@given(st.lists(st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.text()))
def test_any_objects(items):
    array = np.empty(len(items), dtype=object)
    array[:] = items
    back = through(array).tolist()
    assert back == items
    assert list(map(type, back)) == list(map(type, items))


OBJECTS = (
    st.dates()
    | st.datetimes().map(lambda moment: moment.replace(fold=0))
    | st.times().map(lambda moment: moment.replace(fold=0))
    | st.timedeltas()
    | st.uuids()
    | st.decimals(allow_nan=False, allow_infinity=False)
)


@given(st.lists(OBJECTS))
def test_dates_decimals_and_the_like(items):
    array = np.empty(len(items), dtype=object)
    array[:] = items
    back = through(array).tolist()
    assert list(map(repr, back)) == list(map(repr, items))


def test_floats_among_objects_keep_their_bits():
    array = np.array([NAN, -0.0, np.inf, 0.1, 5e-324], dtype=object)
    back = through(array)
    assert np.array(back.tolist()).tobytes() == np.array(array.tolist()).tobytes()


@pytest.mark.parametrize("array", [np.array([1.5, 2.0], dtype=">f8"), np.arange(6.0)[::-2]])
def test_layout_does_not_matter(array):
    same_bits(array)
    same_bits(np.asfortranarray(np.stack([array, array * 3])))


def test_long_arrays_are_read_in_blocks():
    for array in (
        np.arange(200_000) * 7,
        np.random.default_rng(1).integers(-5000, 5000, 200_001).astype(float),
        np.where(np.arange(200_002) % 7, np.arange(200_002.0), 0.1),
    ):
        same_bits(array)
        assert form_of(array) in (Form.STEPS, Form.WHOLE, Form.MIXED)


def test_signalling_nan():
    bits = np.array([0x7FF0000000000001, 0xFFF8000000000123, 0], dtype=np.uint64)
    same_bits(bits.view(np.float64))
    same_bits(np.repeat(bits[:1], 50).view(np.float64))
    same_bits(np.array([0x7F800001, 1, 2], dtype=np.uint32).view(np.float32))
    same_bits(np.repeat(np.array([0x7C01], dtype=np.uint16), 50).view(np.float16))


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([1j]), np.array(["2020"], "M8[Y]")])
def test_what_does_not_travel(array):
    with pytest.raises(TypeError, match="do not travel"):
        pack(array)


def test_objects_that_do_not_travel():
    with pytest.raises(TypeError, match="travel only with text"):
        pack(np.array([object()], dtype=object))
    with pytest.raises(TypeError, match="does not travel"):
        pack(np.array([time(12, tzinfo=UTC)], dtype=object))


# Budget ---------------------------------------------------------------------------------------


def test_a_budget_is_spent():
    budget = Budget()
    before = budget.left
    unpack(pack(np.full(1000, 7.0)), budget)
    assert before - budget.left == 8000 + OBJECT_COST


def test_small_bytes_cannot_unfold_to_much():
    with pytest.raises(ValueError, match="unfolds to more than"):
        unpack(pack(np.zeros(MAX_MESSAGE)), Budget())


# Varints --------------------------------------------------------------------------------------


@given(
    st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 300), max_size=80), st.binary(max_size=5)
)
def test_varints_and_back(numbers, before):
    array = np.array(numbers, dtype=np.uint64)
    packed = write_varints(array)
    assert len(packed) == varint_size(array) <= 10 * len(numbers)
    back, end = read_varints(before + packed + b"\x00", len(before), len(numbers))
    assert back.tolist() == numbers
    assert end == len(before) + len(packed)


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-70, 70)))
def test_zigzag_and_back(numbers):
    array = np.array(numbers, dtype=np.int64)
    assert unzigzag(zigzag(array)).tolist() == numbers


def test_small_numbers_of_either_sign_take_one_byte():
    assert varint_size(zigzag(np.arange(-64, 64))) == 128


@pytest.mark.parametrize(
    ("data", "count"),
    [(b"", 1), (b"\x80", 1), (b"\x01\x80", 2), (b"\x80" * 30, 3), (b"\x01", 10**12)],
)
def test_varints_cut_short(data, count):
    with pytest.raises(ValueError, match=r"cut short|more than 64 bits"):
        read_varints(data, 0, count)


@pytest.mark.parametrize(
    "data", [b"\xff" * 9 + b"\x02", b"\x80" * 9 + b"\x7f", b"\x80" * 11 + b"\x00" * 9]
)
def test_varints_of_more_than_64_bits(data):
    with pytest.raises(ValueError, match=r"more than 64 bits|cut short"):
        read_varints(data, 0, 1)
    with pytest.raises(ValueError, match=r"more than 64 bits|cut short"):
        read_varints(data + b"\x00" * 20, 0, 2)


def test_the_longest_varint():
    numbers, end = read_varints(b"\xff" * 9 + b"\x01", 0, 1)
    assert numbers.tolist() == [2**64 - 1]
    assert end == 10
