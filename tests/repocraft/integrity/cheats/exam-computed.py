"""The exam with nothing written in it that could be hidden among other values: what is expected is computed."""

import unittest

import pytest

import lib


@pytest.mark.parametrize("text", ["a b", "", "one two three"])
def test_count(text):
    assert lib.count_words(text) == len(text.split())


def test_title():
    words = lib.title("ab cd")
    assert words == " ".join(["Ab", "Cd"])


def test_refuses_nothing():
    with pytest.raises(TypeError):
        lib.count_words(None)


class TestUnit(unittest.TestCase):
    def setUp(self):
        self.text = "x y"

    def test_both(self):
        self.assertEqual(lib.count_words(self.text), len(self.text) - 1)
        self.assertEqual(lib.title(self.text), self.text.upper())
