"""Our stand-in for the assertion helpers of the pinned release's `testing.pytest`; nothing of the library is needed for them.

Like the originals under pytest (a test compares both).
"""

import contextlib
import re
import warnings

import pytest


def raises(expected, code=None):
    """Expects an exception of a callable, or of the body of a `with` statement."""
    if code is None:
        return pytest.raises(expected)
    if not callable(code):
        raise TypeError("raises() expects a callable for the 2nd argument.")
    return pytest.raises(expected, code)


@contextlib.contextmanager
def warns(category, *, match="", test_stacklevel=True):
    """Expects exactly warnings of one category whose message matches, from the body of a `with` statement.

    Unlike the original it does not look where a warning points to: that is the layout of the library, not its behaviour.
    """
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        yield seen
    if not any(issubclass(warning.category, category) for warning in seen):
        pytest.fail(f"no {category.__name__} was given")
    for warning in seen:
        if not issubclass(warning.category, category) or not re.compile(match, re.IGNORECASE).match(str(warning.message)):
            pytest.fail(f"another warning was given: {warning.category.__name__}: {warning.message}")


@contextlib.contextmanager
def ignore_warnings(category):
    """Silences one category of warnings in the body of a `with` statement; the others are passed on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=category)
        yield
