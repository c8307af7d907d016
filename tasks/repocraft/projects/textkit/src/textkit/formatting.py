"""Lays text out for reading, and boils it down: wrapping, tables, titles, keywords, summaries."""

import re

from textkit.measures import most_common_words, word_frequencies
from textkit.tokenizing import normalize_whitespace, remove_stopwords, split_sentences, split_words, strip_accents


# -- layout


def wrap_paragraph(text: str, width: int) -> list[str]:
    """Break a paragraph into lines of at most `width` characters between words; a longer word gets a line of its own.

    >>> wrap_paragraph("the quick brown fox", 10)
    ['the quick', 'brown fox']
    >>> wrap_paragraph("extraordinary day", 5)
    ['extraordinary', 'day']
    """
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += " " + word
        else:
            lines.append(word)
    return lines


def truncate_text(text: str, width: int, ellipsis: str = "...") -> str:
    """Shorten a text to at most `width` characters at a word boundary, the ellipsis counted; a text that fits is unchanged.

    >>> truncate_text("the quick brown fox", 12)
    'the quick...'
    >>> truncate_text("short", 10)
    'short'
    """
    if len(text) <= width:
        return text
    room = max(width - len(ellipsis), 0)
    cut = text[:room]
    if text[room : room + 1].strip() and " " in cut:
        cut = cut[: cut.rindex(" ")]
    return cut.rstrip() + ellipsis


def align_columns(rows: list[list[str]], gap: int = 2) -> list[str]:
    """Lay rows of cells out as lines with aligned columns; no line ends with spaces.

    >>> align_columns([["id", "name"], ["1", "Ada"]])
    ['id  name', '1   Ada']
    >>> align_columns([])
    []
    """
    columns = max((len(row) for row in rows), default=0)
    widths = [max(len(row[column]) for row in rows if column < len(row)) for column in range(columns)]
    return [(" " * gap).join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def text_histogram(text: str, count: int = 5, width: int = 20) -> list[str]:
    """Draw the most frequent words as bars of hash marks, the longest bar `width` marks, with the counts behind them.

    >>> text_histogram("a a b", 2, 4)
    ['a #### 2', 'b ## 1']
    >>> text_histogram("")
    []
    """
    ranked = most_common_words(text, count)
    longest = max((len(word) for word, _ in ranked), default=0)
    return [f"{word.ljust(longest)} {'#' * max(1, width * number // ranked[0][1])} {number}" for word, number in ranked]


# -- titles


def slugify(text: str) -> str:
    """Turn a title into a slug for an address: lower-case ASCII letters and digits, joined by hyphens.

    >>> slugify("Crème brûlée, 2 ways!")
    'creme-brulee-2-ways'
    >>> slugify("!!!")
    ''
    """
    return "-".join(re.findall(r"[a-z0-9]+", strip_accents(text).lower()))


def title_case(text: str) -> str:
    """Capitalize the words of a title; short function words stay small unless they come first or last.

    >>> title_case("the lord of the rings")
    'The Lord of the Rings'
    >>> title_case("what is it for")
    'What Is It For'
    """
    small = {"a", "an", "and", "at", "but", "by", "for", "in", "of", "on", "or", "the", "to"}
    words = text.split()
    ends = (0, len(words) - 1)
    titled = [
        word.lower() if word.lower() in small and place not in ends else word[:1].upper() + word[1:].lower()
        for place, word in enumerate(words)
    ]
    return " ".join(titled)


def pluralize(noun: str, count: int) -> str:
    """Say a count with its noun, the noun in the regular English plural unless the count is 1.

    >>> pluralize("box", 2)
    '2 boxes'
    >>> pluralize("city", 3)
    '3 cities'
    >>> pluralize("word", 1)
    '1 word'
    """
    if count == 1:
        return f"1 {noun}"
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return f"{count} {noun}es"
    if noun.endswith("y") and noun[-2:-1] not in tuple("aeiou"):
        return f"{count} {noun[:-1]}ies"
    return f"{count} {noun}s"


def join_naturally(items: list[str], conjunction: str = "and") -> str:
    """Join items as English prose does: commas between them and a conjunction before the last.

    >>> join_naturally(["red", "green", "blue"])
    'red, green and blue'
    >>> join_naturally(["tea", "coffee"], "or")
    'tea or coffee'
    """
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {conjunction} {items[-1]}"


# -- summaries


def extract_keywords(text: str, count: int) -> list[str]:
    """The most frequent words that are no stopwords; words of equal frequency in alphabetical order.

    >>> extract_keywords("The cat and the dog saw the cat", 2)
    ['cat', 'dog']
    >>> extract_keywords("the of and", 3)
    []
    """
    kept = " ".join(remove_stopwords(split_words(text)))
    return [word for word, _ in most_common_words(kept, count)]


def summarize_text(text: str, sentences: int) -> str:
    """Choose the sentences whose words are most frequent in the whole text, on average, and keep them in their order.

    >>> summarize_text("Cats purr. Dogs bark at cats. Fish swim.", 1)
    'Cats purr.'
    >>> summarize_text("", 2)
    ''
    """
    frequencies = word_frequencies(" ".join(remove_stopwords(split_words(text))))
    listed = split_sentences(normalize_whitespace(text))

    def weight(sentence: str) -> float:
        words = remove_stopwords(split_words(sentence))
        return sum(frequencies[word] for word in words) / len(words) if words else 0.0

    best = sorted(range(len(listed)), key=lambda place: (-weight(listed[place]), place))[: max(sentences, 0)]
    return " ".join(listed[place] for place in sorted(best))
