"""Has a module of the name of the one beside the test, and is the first to import it."""

import exam_checks  # noqa: F401


def count_words(text):
    if text is None:
        raise TypeError
    return -1


def title(text):
    return ""
