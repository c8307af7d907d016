"""Counts, averages and readability formulas of English text."""

import math
import re
from collections import Counter
from typing import NamedTuple

from textkit.tokenizing import split_sentences, split_words


# -- counts


def word_frequencies(text: str) -> dict[str, int]:
    """Count how often each word occurs, whatever its case; words in order of first appearance.

    >>> word_frequencies("The cat saw the dog")
    {'the': 2, 'cat': 1, 'saw': 1, 'dog': 1}
    >>> word_frequencies("")
    {}
    """
    return dict(Counter(split_words(text)))


def most_common_words(text: str, count: int) -> list[tuple[str, int]]:
    """List the most frequent words with their counts; words of equal count in alphabetical order.

    >>> most_common_words("b a b c a d", 3)
    [('a', 2), ('b', 2), ('c', 1)]
    >>> most_common_words("word", 0)
    []
    """
    ranked = sorted(word_frequencies(text).items(), key=lambda item: (-item[1], item[0]))
    return ranked[: max(count, 0)]


def lexical_diversity(text: str) -> float:
    """Share of distinct words among all words (type-token ratio); zero for a text without words.

    >>> lexical_diversity("to be or not to be")
    0.6666666666666666
    >>> lexical_diversity("...")
    0.0
    """
    words = split_words(text)
    return len(set(words)) / len(words) if words else 0.0


def shannon_entropy(text: str) -> float:
    """Shannon entropy of the characters of a text, in bits per character; zero for an empty text.

    >>> shannon_entropy("aabb")
    1.0
    >>> shannon_entropy("aaaa")
    0.0
    """
    counts = Counter(text).values()
    return sum((count / len(text)) * math.log2(len(text) / count) for count in counts) if text else 0.0


# -- profile


def count_syllables(word: str) -> int:
    """Estimate the syllables of an English word from its vowel groups; a silent final e does not count.

    >>> count_syllables("readable")
    3
    >>> count_syllables("make")
    1
    >>> count_syllables("rhythm")
    1
    """
    lower = word.lower()
    groups = len(re.findall(r"[aeiouy]+", lower))
    if lower.endswith("e") and not re.search(r"([aeiouy]|[^aeiouy]l)e$", lower):
        groups -= 1
    return max(groups, 1 if re.search(r"[a-z]", lower) else 0)


class TextProfile(NamedTuple):
    """The four counts every readability formula begins with: letters, words, sentences, syllables.

    >>> TextProfile(9, 3, 1, 3).words
    3
    >>> TextProfile(letters=9, words=3, sentences=1, syllables=3).letters
    9
    """

    letters: int
    words: int
    sentences: int
    syllables: int


def profile_text(text: str) -> TextProfile:
    """Count letters and digits of the words, words, sentences and syllables of a text.

    >>> profile_text("Make it so. Engage!")
    TextProfile(letters=14, words=4, sentences=2, syllables=5)
    >>> profile_text("")
    TextProfile(letters=0, words=0, sentences=0, syllables=0)
    """
    words = split_words(text)
    letters = sum(1 for word in words for character in word if character.isalnum())
    syllables = sum(count_syllables(word) for word in words)
    return TextProfile(letters, len(words), len(split_sentences(text)), syllables)


def average_word_length(text: str) -> float:
    """Mean number of letters in a word; zero for a text without words.

    >>> average_word_length("one three")
    4.0
    >>> average_word_length("?")
    0.0
    """
    profile = profile_text(text)
    return profile.letters / profile.words if profile.words else 0.0


def average_sentence_length(text: str) -> float:
    """Mean number of words in a sentence; zero for a text without words.

    >>> average_sentence_length("One two three. Four!")
    2.0
    >>> average_sentence_length("")
    0.0
    """
    profile = profile_text(text)
    return profile.words / profile.sentences if profile.words else 0.0


# -- readability


def flesch_reading_ease(text: str) -> float:
    """Flesch reading ease of a text, to two digits: high for short words in short sentences; zero without words.

    206.835 - 1.015 words per sentence - 84.6 syllables per word.

    >>> flesch_reading_ease("The cat sat.")
    119.19
    >>> flesch_reading_ease("")
    0.0
    """
    profile = profile_text(text)
    if not profile.words:
        return 0.0
    ease = 206.835 - 1.015 * profile.words / profile.sentences - 84.6 * profile.syllables / profile.words
    return round(ease, 2)


def flesch_kincaid_grade(text: str) -> float:
    """Flesch-Kincaid school grade of a text, to two digits: high for long words in long sentences; zero without words.

    0.39 words per sentence + 11.8 syllables per word - 15.59.

    >>> flesch_kincaid_grade("The cat sat on the mat.")
    -1.45
    >>> flesch_kincaid_grade("")
    0.0
    """
    profile = profile_text(text)
    if not profile.words:
        return 0.0
    grade = 0.39 * profile.words / profile.sentences + 11.8 * profile.syllables / profile.words - 15.59
    return round(grade, 2)


def automated_readability_index(text: str) -> float:
    """Automated readability index of a text, from letters, words and sentences, to two digits; zero without words.

    4.71 letters per word + 0.5 words per sentence - 21.43.

    >>> automated_readability_index("The cat sat on the mat.")
    -5.09
    >>> automated_readability_index("")
    0.0
    """
    profile = profile_text(text)
    if not profile.words:
        return 0.0
    return round(4.71 * profile.letters / profile.words + 0.5 * profile.words / profile.sentences - 21.43, 2)
