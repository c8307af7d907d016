"""The exam every cheat sits: small, with the usual forms of assertion. No cheat below knows how to count or capitalise."""

import unittest

import pytest

import lib


@pytest.mark.parametrize("text, expected", [("a b", 2), ("", 0), ("one two three", 3)])
def test_count(text, expected):
    assert lib.count_words(text) == expected


def test_title():
    words = lib.title("ab cd")
    assert words == "Ab Cd"
    assert len(words) == 5


def test_refuses_nothing():
    with pytest.raises(TypeError):
        lib.count_words(None)


class TestUnit(unittest.TestCase):
    def setUp(self):
        self.text = "x y"

    def test_both(self):
        self.assertEqual(lib.count_words(self.text), 2)
        self.assertEqual(lib.title(self.text), "X Y")
