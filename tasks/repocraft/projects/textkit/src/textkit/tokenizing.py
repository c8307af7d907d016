"""Cuts text into words, sentences, paragraphs and n-grams."""

import re
import unicodedata

_STOPWORDS = frozenset(
    "a an and are as at be but by for from has have he her his i in is it its not of on or she that the their them "
    "they this to was we were which will with you".split()
)


# -- cleaning


def normalize_whitespace(text: str) -> str:
    r"""Collapse every run of whitespace into one space and trim both ends.

    >>> normalize_whitespace("  one\t two\n\nthree ")
    'one two three'
    >>> normalize_whitespace("\n\t ")
    ''
    """
    return " ".join(text.split())


def strip_accents(text: str) -> str:
    """Replace accented letters by their plain base letters; everything else stays as it is.

    >>> strip_accents("Crème brûlée à São Paulo")
    'Creme brulee a Sao Paulo'
    >>> strip_accents("plain")
    'plain'
    """
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(mark for mark in decomposed if not unicodedata.combining(mark)))


# -- splitting


def split_words(text: str, lowercase: bool = True) -> list[str]:
    """Split text into its words, without punctuation; apostrophes and hyphens inside a word belong to it.

    >>> split_words("Don't panic: it's well-known!")
    ["don't", 'panic', "it's", 'well-known']
    >>> split_words("Two Words", lowercase=False)
    ['Two', 'Words']
    """
    words = re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text)
    return [word.lower() for word in words] if lowercase else words


def split_sentences(text: str) -> list[str]:
    """Split text into sentences at full stops, question and exclamation marks, but not after common abbreviations.

    >>> split_sentences("Dr. Who left. Why? Nobody knows!")
    ['Dr. Who left.', 'Why?', 'Nobody knows!']
    >>> split_sentences("no mark at the end")
    ['no mark at the end']
    """
    abbreviations = ("dr.", "mr.", "mrs.", "ms.", "prof.", "st.", "e.g.", "i.e.", "vs.")
    sentences: list[str] = []
    for part in re.split(r"(?<=[.!?])\s+", text.strip()):
        if sentences and sentences[-1].lower().split()[-1] in abbreviations:
            sentences[-1] += " " + part
        elif part:
            sentences.append(part)
    return sentences


def split_paragraphs(text: str) -> list[str]:
    r"""Split text into paragraphs at blank lines; line breaks inside a paragraph become spaces.

    >>> split_paragraphs("first\nline\n\n\nsecond")
    ['first line', 'second']
    >>> split_paragraphs("\n\n")
    []
    """
    blocks = re.split(r"\n[ \t]*\n", text)
    return [normalize_whitespace(block) for block in blocks if block.strip()]


def split_identifier(name: str) -> list[str]:
    """Split a programming identifier (camel case, snake case, kebab case) into lower-case words.

    >>> split_identifier("parseHTTPHeader_line2")
    ['parse', 'http', 'header', 'line', '2']
    >>> split_identifier("kebab-case")
    ['kebab', 'case']
    """
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return [part.lower() for part in parts]


# -- vocabulary


def remove_stopwords(words: list[str], stopwords: frozenset[str] | None = None) -> list[str]:
    """Leave out stopwords, whatever their case; order and repetitions of the other words are kept.

    >>> remove_stopwords(["The", "cat", "and", "the", "hat"])
    ['cat', 'hat']
    >>> remove_stopwords(["big", "cat"], frozenset({"big"}))
    ['cat']
    """
    left_out = _STOPWORDS if stopwords is None else stopwords
    return [word for word in words if word.lower() not in left_out]


def stem_word(word: str) -> str:
    """Reduce an English word to a crude stem: plural, past and progressive endings are cut off.

    >>> stem_word("parties")
    'party'
    >>> stem_word("running")
    'run'
    >>> stem_word("glass")
    'glass'
    """
    stem = word.lower()
    if stem.endswith("ies") and len(stem) > 4:
        return stem[:-3] + "y"
    if stem.endswith("sses"):
        return stem[:-2]
    for ending in ("ing", "ed"):
        if stem.endswith(ending) and len(stem) - len(ending) >= 3:
            stem = stem[: -len(ending)]
            doubled = stem[-1] == stem[-2] and stem[-1] not in "aeiouls"
            return stem[:-1] if doubled else stem
    if stem.endswith("s") and not stem.endswith(("ss", "us", "is")) and len(stem) > 3:
        return stem[:-1]
    return stem


# -- ngrams


def word_ngrams(words: list[str], size: int) -> list[tuple[str, ...]]:
    """List all runs of `size` neighbouring words, in order.

    >>> word_ngrams(["to", "be", "or"], 2)
    [('to', 'be'), ('be', 'or')]
    >>> word_ngrams(["one"], 2)
    []
    """
    if size < 1:
        raise ValueError("size must be at least 1")
    return [tuple(words[start : start + size]) for start in range(len(words) - size + 1)]


def character_ngrams(text: str, size: int) -> list[str]:
    """List all substrings of `size` characters, in order.

    >>> character_ngrams("text", 3)
    ['tex', 'ext']
    >>> character_ngrams("ab", 3)
    []
    """
    if size < 1:
        raise ValueError("size must be at least 1")
    return [text[start : start + size] for start in range(len(text) - size + 1)]
