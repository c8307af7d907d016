"""Our stand-in for the assertions of the pinned release's `_testing`: they look at values, labels, names, shapes and dtypes
through public attributes, so that a candidate's tables can be compared that are of other classes than the library's.

Tolerances are the originals' (relative 1e-5, absolute 1e-8). A test compares them with the real ones, equal and unequal.
Missing values of any kind are equal to each other, as in the originals. Options about the inner make-up (blocks, flags)
are accepted and say nothing.
"""

import contextlib
import math
import numbers
import re
import warnings

import numpy as np
import pytest

RTOL, ATOL = 1e-5, 1e-8


def assert_frame_equal(
    left, right, check_dtype=True, check_index_type="equiv", check_column_type="equiv", check_frame_type=True,
    check_names=True, by_blocks=False, check_exact=None, check_datetimelike_compat=False, check_categorical=True,
    check_like=False, check_freq=True, check_flags=True, rtol=RTOL, atol=ATOL, obj="DataFrame",
):  # fmt: skip
    check_kind(left, right, "columns", check_frame_type, obj)
    assert left.shape == right.shape, f"{obj} shape differs: {left.shape} and {right.shape}"
    if check_like:
        left = left.reindex(index=right.index, columns=right.columns)
    options = {"check_names": check_names, "check_exact": check_exact, "check_categorical": check_categorical, "rtol": rtol, "atol": atol}
    assert_index_equal(left.index, right.index, exact=check_index_type, obj=f"{obj}.index", **options)
    assert_index_equal(left.columns, right.columns, exact=check_column_type, obj=f"{obj}.columns", **options)
    for place in range(left.shape[1]):
        name = f"{obj}.iloc[:, {place}]"
        values = {"check_dtype": check_dtype, "check_exact": check_exact, "rtol": rtol, "atol": atol}
        check_values(left.iloc[:, place], right.iloc[:, place], name, check_categorical, **values)


def assert_series_equal(
    left, right, check_dtype=True, check_index_type="equiv", check_series_type=True, check_names=True, check_exact=None,
    check_datetimelike_compat=False, check_categorical=True, check_category_order=True, check_freq=True, check_flags=True,
    rtol=RTOL, atol=ATOL, obj="Series", *, check_index=True, check_like=False,
):  # fmt: skip
    check_kind(left, right, "iloc", check_series_type, obj)
    assert len(left) == len(right), f"{obj} length differs: {len(left)} and {len(right)}"
    if check_like:
        left = left.reindex(right.index)
    options = {"check_names": check_names, "check_exact": check_exact, "check_categorical": check_categorical, "rtol": rtol, "atol": atol}
    if check_index:
        assert_index_equal(left.index, right.index, exact=check_index_type, obj=f"{obj}.index", **options)
    values = {"check_dtype": check_dtype, "check_exact": check_exact, "rtol": rtol, "atol": atol}
    check_values(left, right, obj, check_categorical, **values)
    if check_names:
        assert same_label(left.name, right.name), f"{obj} name differs: {left.name!r} and {right.name!r}"


def assert_index_equal(
    left, right, exact="equiv", check_names=True, check_exact=True, check_categorical=True, check_order=True,
    rtol=RTOL, atol=ATOL, obj="Index",
):  # fmt: skip
    check_kind(left, right, "nlevels", False, obj)
    if exact is True:
        assert type(left) is type(right), f"{obj} class differs: {type(left).__name__} and {type(right).__name__}"
    assert left.nlevels == right.nlevels, f"{obj} levels differ: {left.nlevels} and {right.nlevels}"
    assert len(left) == len(right), f"{obj} length differs: {list(left)!r} and {list(right)!r}"
    one, other = list(left), list(right)
    if not check_order:
        one, other = sorted(one), sorted(other)
    check_items(one, other, obj, bool(check_exact), rtol, atol)
    if exact and len(left) + len(right) > 0 or exact is True:
        same = dtype_of(left) == dtype_of(right)
        assert same, f"{obj} dtype differs: {dtype_of(left)} and {dtype_of(right)}"
    if check_names:
        names = list(left.names), list(right.names)
        assert len(names[0]) == len(names[1]) and all(map(same_label, *names)), f"{obj} names differ: {names[0]} and {names[1]}"


def assert_numpy_array_equal(
    left, right, strict_nan=False, check_dtype=True, err_msg=None, check_same=None, obj="numpy array", index_values=None
):
    assert isinstance(left, np.ndarray) and isinstance(right, np.ndarray), f"{obj}: not both are arrays"
    assert left.shape == right.shape, err_msg or f"{obj} shape differs: {left.shape} and {right.shape}"
    check_items(left.ravel().tolist(), right.ravel().tolist(), obj, True, RTOL, ATOL, strict_nan)
    if check_dtype:
        assert left.dtype == right.dtype, f"{obj} dtype differs: {left.dtype} and {right.dtype}"


def assert_extension_array_equal(
    left, right, check_dtype=True, index_values=None, check_exact=None, rtol=RTOL, atol=ATOL, obj="ExtensionArray"
):
    check_kind(left, right, "dtype", False, obj)
    check_values(left, right, obj, True, check_dtype=check_dtype, check_exact=check_exact, rtol=rtol, atol=atol)


def assert_categorical_equal(left, right, check_dtype=True, check_category_order=True, obj="Categorical"):
    one, other = list(left.categories), list(right.categories)
    if not check_category_order:
        one, other = sorted(one), sorted(other)
    check_items(one, other, f"{obj}.categories", True, RTOL, ATOL)
    check_items(list(left), list(right), f"{obj} values", True, RTOL, ATOL)
    assert bool(left.ordered) == bool(right.ordered), f"{obj}: only one is ordered"
    if check_dtype:
        assert str(left.categories.dtype) == str(right.categories.dtype), f"{obj}.categories dtype differs"


def assert_dict_equal(left, right, compare_keys=True):
    assert isinstance(left, dict) and isinstance(right, dict), "not both are dictionaries"
    if compare_keys:
        assert left.keys() == right.keys(), f"keys differ: {sorted(map(str, left))} and {sorted(map(str, right))}"
    for key, value in left.items():
        assert_almost_equal(value, right[key])


def assert_almost_equal(left, right, rtol=RTOL, atol=ATOL, **options):
    if hasattr(left, "columns") or hasattr(right, "columns"):
        return assert_frame_equal(left, right, rtol=rtol, atol=atol, **options)
    if hasattr(left, "iloc") or hasattr(right, "iloc"):
        return assert_series_equal(left, right, rtol=rtol, atol=atol, **options)
    if hasattr(left, "nlevels") or hasattr(right, "nlevels"):
        return assert_index_equal(left, right, check_exact=False, rtol=rtol, atol=atol)
    if options.get("check_dtype", True) and isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        assert left.dtype == right.dtype, f"dtype differs: {left.dtype} and {right.dtype}"
    return check_items([left], [right], "value", False, rtol, atol)


def assert_equal(left, right, **options):
    """By what the left side is."""
    if hasattr(left, "columns"):
        assert_frame_equal(left, right, **options)
    elif hasattr(left, "iloc"):
        assert_series_equal(left, right, **options)
    elif hasattr(left, "nlevels"):
        assert_index_equal(left, right, **options)
    elif isinstance(left, np.ndarray):
        assert_numpy_array_equal(left, right, **options)
    elif hasattr(left, "dtype") and hasattr(left, "__len__"):
        assert_extension_array_equal(left, right, **options)
    elif isinstance(left, str):
        assert left == right
    else:
        assert_almost_equal(left, right, **options)


def assert_contains_all(iterable, container):
    for item in iterable:
        assert item in container, f"{item!r} is missing"


def external_error_raised(expected_exception):
    """Expects an exception whose message is another library's."""
    return pytest.raises(expected_exception, match=None)


@contextlib.contextmanager
def assert_produces_warning(
    expected_warning=Warning, filter_level="always", check_stacklevel=True, raise_on_extra_warnings=True, match=None
):
    """Expects warnings of a category (False or None: none at all). Where they point to is not looked at."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter(filter_level)
        yield seen
    expected = expected_warning if isinstance(expected_warning, tuple) else (expected_warning,) if expected_warning else ()
    wanted = [warning for warning in seen if expected and issubclass(warning.category, expected)]
    assert wanted or not expected, f"no {expected} was given"
    if wanted and match is not None:
        assert any(re.search(match, str(warning.message)) for warning in wanted), f"no warning matches {match!r}"
    if raise_on_extra_warnings:
        extra = [warning for warning in seen if warning not in wanted and not issubclass(warning.category, ResourceWarning)]
        assert not extra, f"other warnings were given: {[str(warning.message) for warning in extra]}"


def getitem(x):
    return x


def setitem(x):
    return x


def loc(x):
    return x.loc


def iloc(x):
    return x.iloc


def at(x):
    return x.at


def iat(x):
    return x.iat


def check_kind(left, right, attribute, same_class, obj):
    """Both are of the kind that has this attribute, and where asked one's class is the other's or below it."""
    for side in (left, right):
        assert hasattr(side, attribute), f"{obj}: {type(side).__name__} has no {attribute}"
    if same_class:
        alike = isinstance(left, type(right)) or isinstance(right, type(left))
        assert alike, f"{obj} class differs: {type(left).__name__} and {type(right).__name__}"


def check_values(left, right, obj, check_categorical, *, check_dtype, check_exact, rtol, atol):
    kinds = dtype_of(left), dtype_of(right)
    if check_dtype:
        assert kinds[0] == kinds[1] or not check_categorical and {*kinds} == {"category"}, f"{obj} dtype differs: {kinds[0]} and {kinds[1]}"
    whole = any(re.match(r"(?i)u?int\d*$|bool", kind) for kind in kinds)
    exact = whole if check_exact is None else bool(check_exact)
    check_items(list(left), list(right), obj, exact, rtol, atol)
    categories = [getattr(getattr(side, "dtype", None), "categories", None) for side in (left, right)]
    if check_categorical and all(part is not None for part in categories):
        check_items(list(categories[0]), list(categories[1]), f"{obj} categories", True, rtol, atol)
        assert bool(left.dtype.ordered) == bool(right.dtype.ordered), f"{obj}: only one is ordered"


def dtype_of(values):
    return str(getattr(values, "dtype", type(values).__name__))


def same_label(left, right):
    return left is right or is_missing(left) and is_missing(right) or left == right


def check_items(left, right, obj, exact, rtol, atol, strict_missing=False):
    assert len(left) == len(right), f"{obj} length differs: {len(left)} and {len(right)}"
    for place, (one, other) in enumerate(zip(left, right)):
        assert alike(one, other, exact, rtol, atol, strict_missing), f"{obj} differs at {place}: {one!r} and {other!r}"


def alike(one, other, exact, rtol, atol, strict_missing=False):
    if one is other:
        return True
    missing = is_missing(one), is_missing(other)
    if any(missing):
        return all(missing) and (not strict_missing or type(one) is type(other))
    if isinstance(one, (str, bytes)) or isinstance(other, (str, bytes)):
        return one == other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(alike(one[key], other[key], exact, rtol, atol) for key in one)
    if isinstance(one, numbers.Number) and isinstance(other, numbers.Number):
        return one == other or not exact and close(one, other, rtol, atol)
    if hasattr(one, "__len__") and hasattr(other, "__len__"):
        pairs = list(one), list(other)
        return len(pairs[0]) == len(pairs[1]) and all(alike(a, b, exact, rtol, atol, strict_missing) for a, b in zip(*pairs))
    return bool(one == other)


def close(one, other, rtol, atol):
    if isinstance(one, complex) or isinstance(other, complex):
        return abs(one - other) <= max(rtol * max(abs(one), abs(other)), atol)
    return math.isclose(one, other, rel_tol=rtol, abs_tol=atol)


def is_missing(value):
    """None, not-a-number, not-a-time and whatever else is not equal to itself or cannot say whether it is."""
    if value is None:
        return True
    if isinstance(value, (str, bytes)) or hasattr(value, "__len__"):
        return False
    try:
        return bool(value != value)
    except (TypeError, ValueError):
        return True
