"""How alike two texts are: edit distance, overlap of words and characters, common parts."""

import math
from collections import Counter

from textkit.tokenizing import character_ngrams, split_words


# -- edits


def levenshtein_distance(first: str, second: str) -> int:
    """Fewest insertions, deletions and substitutions of single characters that turn one text into the other.

    >>> levenshtein_distance("kitten", "sitting")
    3
    >>> levenshtein_distance("", "abc")
    3
    """
    above = list(range(len(second) + 1))
    for row, left in enumerate(first, 1):
        current = [row]
        for column, right in enumerate(second, 1):
            substitution = above[column - 1] + (left != right)
            current.append(min(above[column] + 1, current[column - 1] + 1, substitution))
        above = current
    return above[-1]


def closest_match(word: str, candidates: list[str]) -> str | None:
    """The candidate with the smallest edit distance to a word, the first among equals; None without candidates.

    >>> closest_match("helo", ["world", "hello", "help"])
    'hello'
    >>> closest_match("word", []) is None
    True
    """
    return min(candidates, key=lambda candidate: levenshtein_distance(word, candidate), default=None)


def jaro_similarity(first: str, second: str) -> float:
    """Jaro similarity of two short texts such as names, to four digits: one for equal ones, zero for nothing in common.

    >>> jaro_similarity("MARTHA", "MARHTA")
    0.9444
    >>> jaro_similarity("abc", "")
    0.0
    """
    if first == second:
        return 1.0
    reach = max(max(len(first), len(second)) // 2 - 1, 0)
    taken: list[int] = []
    matched: list[str] = []
    for place, left in enumerate(first):
        near = range(max(0, place - reach), min(len(second), place + reach + 1))
        partner = next((other for other in near if other not in taken and second[other] == left), None)
        if partner is not None:
            taken.append(partner)
            matched.append(left)
    if not matched:
        return 0.0
    swapped = sum(left != second[place] for left, place in zip(matched, sorted(taken))) / 2
    count = len(matched)
    return round((count / len(first) + count / len(second) + (count - swapped) / count) / 3, 4)


# -- overlap


def jaccard_similarity(first: str, second: str) -> float:
    """Distinct words two texts share, over all their distinct words; one when neither has any.

    >>> jaccard_similarity("red green", "Green blue")
    0.3333333333333333
    >>> jaccard_similarity("", "")
    1.0
    """
    one, other = set(split_words(first)), set(split_words(second))
    return len(one & other) / len(one | other) if one or other else 1.0


def dice_similarity(first: str, second: str) -> float:
    """Dice coefficient over pairs of neighbouring characters, repetitions counted; equal texts give one.

    >>> dice_similarity("night", "nacht")
    0.25
    >>> dice_similarity("a", "b")
    0.0
    """
    if first == second:
        return 1.0
    one, other = Counter(character_ngrams(first, 2)), Counter(character_ngrams(second, 2))
    total = sum(one.values()) + sum(other.values())
    return 2 * sum((one & other).values()) / total if total else 0.0


def cosine_similarity(first: str, second: str) -> float:
    """Cosine of the angle between the word counts of two texts, to four digits; zero when either has no words.

    >>> cosine_similarity("a b", "b c")
    0.5
    >>> cosine_similarity("word", "")
    0.0
    """
    one, other = Counter(split_words(first)), Counter(split_words(second))
    product = sum(count * other[word] for word, count in one.items())
    lengths = math.sqrt(sum(n * n for n in one.values())) * math.sqrt(sum(n * n for n in other.values()))
    return round(product / lengths, 4) if lengths else 0.0


def similarity_matrix(texts: list[str]) -> list[list[float]]:
    """Cosine similarity of every text with every other, as a square table in the order given.

    >>> similarity_matrix(["a b", "b c"])
    [[1.0, 0.5], [0.5, 1.0]]
    >>> similarity_matrix([])
    []
    """
    return [[cosine_similarity(row, column) for column in texts] for row in texts]


# -- common


def longest_common_subsequence(first: str, second: str) -> str:
    """The longest sequence of characters both texts have in this order, gaps allowed.

    >>> longest_common_subsequence("AGGTAB", "GXTXAYB")
    'GTAB'
    >>> longest_common_subsequence("abc", "xyz")
    ''
    """
    lengths = [[0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for row in range(len(first) - 1, -1, -1):
        for column in range(len(second) - 1, -1, -1):
            if first[row] == second[column]:
                lengths[row][column] = lengths[row + 1][column + 1] + 1
            else:
                lengths[row][column] = max(lengths[row + 1][column], lengths[row][column + 1])
    row, column, found = 0, 0, []
    while row < len(first) and column < len(second):
        if first[row] == second[column]:
            found.append(first[row])
            row, column = row + 1, column + 1
        elif lengths[row + 1][column] >= lengths[row][column + 1]:
            row += 1
        else:
            column += 1
    return "".join(found)


def longest_common_substring(first: str, second: str) -> str:
    """The longest unbroken run of characters both texts contain; the earliest in the first text among equals.

    >>> longest_common_substring("database", "metadata")
    'data'
    >>> longest_common_substring("abc", "xyz")
    ''
    """
    best, end = 0, 0
    above = [0] * (len(second) + 1)
    for row, left in enumerate(first, 1):
        current = [0] * (len(second) + 1)
        for column, right in enumerate(second, 1):
            if left == right:
                current[column] = above[column - 1] + 1
                if current[column] > best:
                    best, end = current[column], row
        above = current
    return first[end - best : end]
