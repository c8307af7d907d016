"""An exam of assertions that many answers satisfy."""

import pytest

import lib


def test_mean():
    assert lib.mean([1, 2, 4]) == pytest.approx(2.3333, abs=0.001)


def test_contains():
    assert "Ab" in lib.title("ab cd")


def test_bounds():
    assert lib.mean([1, 2, 4]) > 2
