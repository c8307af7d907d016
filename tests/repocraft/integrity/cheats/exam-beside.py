"""An exam of expectations that no value is hidden in, one of them beside one that is."""

import pytest

import lib


def test_beside():
    assert lib.count_words("a b") == 2
    assert lib.title("ab cd") == " ".join(["Ab", "Cd"])


def test_message():
    with pytest.raises(ValueError, match="no words are given"):
        lib.first_word("")


def test_warning():
    with pytest.warns(DeprecationWarning):
        lib.capitalised("ab cd")


def test_difference():
    assert abs(lib.mean([1, 2, 4]) - 2.3333) < 0.001


def test_member():
    assert lib.first_word("ab cd") in ("ab", "AB")


def test_block():
    with lib.counting() as counter:
        counter.add("a b")
        assert counter.words == 2
