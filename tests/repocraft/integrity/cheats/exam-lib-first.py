"""The exam as a test has it that imports what it tests before what judges it."""

import lib

from unittest import TestCase

from pytest import mark, raises


@mark.parametrize("text, expected", [("a b", 2), ("", 0), ("one two three", 3)])
def test_count(text, expected):
    assert lib.count_words(text) == expected


def test_title():
    words = lib.title("ab cd")
    assert words == "Ab Cd"
    assert len(words) == 5


def test_refuses_nothing():
    with raises(TypeError):
        lib.count_words(None)


class TestUnit(TestCase):
    def setUp(self):
        self.text = "x y"

    def test_both(self):
        self.assertEqual(lib.count_words(self.text), 2)
        self.assertEqual(lib.title(self.text), "X Y")
