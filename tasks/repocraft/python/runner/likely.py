"""
How likely a value looks to who knows the test around it and Python's own library: by the runs of characters in the one and the
words and numbers in both. Wrong values are drawn by it (choices.py), so that the right one does not stand out.
"""

import math
import re
from collections import Counter, defaultdict
from functools import cache

from common import NUMBERS, WORDS

PIECE = re.compile(r"[A-Za-z]+|[0-9]+")
WORD = re.compile(r"[A-Za-z]+")
TEXT = re.compile(r"[\"'](\w{1,12})[\"']")
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")
# Of the runs of characters: how long they are at most, and what one in the test counts, where one in the library counts 1.
LENGTH = 5
IN_TEST = 300
KINDS_OF_CHARACTERS = 100
# What shorter runs count against longer ones.
UNKNOWN = 5
# Words and numbers in a piece of a test, and characters around a value that are looked at with it.
MOST_IN_PIECE = 5
AROUND = 10
# Words of one length that are taken for others, the most frequent first.
MOST_WORDS = 120


@cache
def in_library():
    """Runs of characters up to `LENGTH` in the library's words, each as often as it stands there, and the words by their length."""
    runs, words = Counter(), defaultdict(list)
    for word, count in WORDS.items():
        words[len(word)].append(word)
        for run in runs_of(f" {word} "):
            runs[run] += count
    return runs, words, sum(count for run, count in runs.items() if len(run) == 1)


def runs_of(text):
    return (text[begin : begin + length] for length in range(1, LENGTH + 1) for begin in range(len(text) + 1 - length))


class Likely:
    """`text`: the test without its hidden values."""

    def __init__(self, text):
        text = text.lower()
        self._library, self._library_words, self._library_total = in_library()
        self._text, self._runs, self._total, self._pieces = text, Counter(runs_of(text)), len(text), None
        self._words = defaultdict(list)
        for word, _ in Counter(WORD.findall(text)).most_common():
            self._words[len(word)].append(word)
        self._numbers = Counter(NUMBER.findall(text))
        self.texts = sorted(set(TEXT.findall(text)))

    def words(self, length):
        """Words of so many letters in lower case, of the test first."""
        return list(dict.fromkeys(self._words[length] + self._library_words[length]))[:MOST_WORDS]

    def numbers(self, length):
        """Numbers of so many digits that stand in the test or the library."""
        return [number for number in {**self._numbers, **NUMBERS} if len(number) == length]

    def of_number(self, digits):
        """A weight: how often a whole number stands there, and a little for those that never do."""
        return self._numbers[digits] * IN_TEST + NUMBERS.get(digits, 0) + 1

    def pieces(self, length):
        """Of the test, so many characters long, from the beginning of a word or number to the end of one."""
        if self._pieces is None:
            self._pieces = defaultdict(dict)
            spans = [found.span() for found in PIECE.finditer(self._text)]
            for first, (begin, _) in enumerate(spans):
                for _, end in spans[first : first + MOST_IN_PIECE]:
                    if "\n" not in self._text[begin:end]:
                        self._pieces[end - begin][self._text[begin:end]] = None
        return list(self._pieces.get(length, ()))

    def of_text(self, text, begin, end):
        """
        How likely `text[begin:end]` is where it stands, with what follows on it, to who knows test and library; to who knows the
        test only; and how long a piece of what is around it there is in the test.
        """
        text, last = text.lower(), min(len(text), end + LENGTH - 1)
        runs = [text[max(0, place + 1 - LENGTH) : place + 1] for place in range(begin, last)]
        around = text[max(0, begin - AROUND) : end + AROUND]
        known = [sum(math.log(self._after(run, library)) for run in runs) for library in (1, 0)]
        return *known, self._longest(around, begin - max(0, begin - AROUND), len(around) - (len(text[end : end + AROUND])))

    def _longest(self, text, begin, end):
        """Characters of the longest piece that stands in the test and reaches into `text[begin:end]`."""
        found = 0
        for start in range(end):
            while start + found < len(text) and text[start : start + found + 1] in self._text:
                found += 1
        return found

    def _after(self, run, library):
        """Probability of a run's last character after the others: of long runs as far as they are known, and of shorter ones."""
        probability = 1 / KINDS_OF_CHARACTERS
        for begin in range(len(run) - 1, -1, -1):
            rest = run[begin:-1]
            before = self._count(rest, library) if rest else self._total * IN_TEST + library * self._library_total
            if before == 0:
                break
            probability = (self._count(run[begin:], library) + UNKNOWN * probability) / (before + UNKNOWN)
        return probability

    def _count(self, run, library):
        return self._runs[run] * IN_TEST + library * self._library[run]
