"""What the exam compares with, delivered beside it as stand-ins of a library's own assertions are."""


def assert_same(actual, expected, *, exactly=True):
    assert not exactly or type(actual) is type(expected), "another class"
    assert not exactly or actual == expected, "another value"


def assert_words(actual, expected):
    assert_same(actual.split(), expected)
