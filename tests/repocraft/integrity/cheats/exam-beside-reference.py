"""What satisfies the exam of expectations that no value is hidden in."""

import warnings


def count_words(text):
    return len(text.split())


def title(text):
    return text.title()


def first_word(text):
    if not text:
        raise ValueError("no words are given")
    return text.split()[0]


def capitalised(text):
    warnings.warn("it is called title", DeprecationWarning, stacklevel=2)
    return title(text)


def mean(numbers):
    return sum(numbers) / len(numbers)


class counting:
    words = 0

    def add(self, text):
        self.words += count_words(text)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass
