"""The exam with what compares in a module that lies beside it; the candidate is imported first."""

# isort: skip_file
import pytest

import lib
import exam_checks
from exam_checks import assert_words


def test_count():
    exam_checks.assert_same(lib.count_words("a b"), 2)
    exam_checks.assert_same(lib.count_words(""), 0)


def test_title():
    assert_words(lib.title("ab cd"), ["Ab", "Cd"])


def test_refuses_nothing():
    with pytest.raises(TypeError):
        lib.count_words(None)


class TestUnit:
    def test_both(self):
        exam_checks.assert_same(lib.count_words("x y"), 2)
        assert_words(lib.title("x y"), ["X", "Y"])
