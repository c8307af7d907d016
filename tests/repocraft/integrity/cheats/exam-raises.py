"""An exam of nothing but exceptions, each of a class of its own."""

import pytest

import lib


def test_refuses_nothing():
    with pytest.raises(lib.NoText):
        lib.count_words(None)


def test_refuses_numbers():
    with pytest.raises(lib.NotText):
        lib.title(3)
