import pytest

from textkit.tokenizing import (
    character_ngrams,
    normalize_whitespace,
    remove_stopwords,
    split_identifier,
    split_paragraphs,
    split_sentences,
    split_words,
    stem_word,
    strip_accents,
    word_ngrams,
)


def test_whitespace_is_collapsed_and_trimmed():
    """Runs of blanks, tabs and line breaks become one space, and both ends are trimmed."""
    assert normalize_whitespace("one") == "one"
    assert normalize_whitespace(" one  two ") == "one two"
    assert normalize_whitespace("one\ttwo\nthree") == "one two three"
    assert normalize_whitespace("\r\none\r\n\r\ntwo\r\n") == "one two"
    assert normalize_whitespace("a\u00a0b\u2003c") == "a b c"
    assert normalize_whitespace("") == ""
    assert normalize_whitespace(" \t\n ") == ""
    assert normalize_whitespace("keep, punctuation .") == "keep, punctuation ."


def test_accents_are_replaced_by_base_letters():
    """Accented letters lose their marks, other characters are untouched."""
    assert strip_accents("café") == "cafe"
    assert strip_accents("ÀÉÎÕÜ") == "AEIOU"
    assert strip_accents("Ångström") == "Angstrom"
    assert strip_accents("e\u0301") == "e"
    assert strip_accents("naïve façade") == "naive facade"
    assert strip_accents("straße 12") == "straße 12"
    assert strip_accents("") == ""
    assert strip_accents("日本 ok") == "日本 ok"


def test_text_is_split_into_words():
    """Words come out lower-case and without punctuation; inner apostrophes and hyphens stay."""
    assert split_words("Hello, world!") == ["hello", "world"]
    assert split_words("It's 5 o'clock.") == ["it's", "5", "o'clock"]
    assert split_words("state-of-the-art - really") == ["state-of-the-art", "really"]
    assert split_words("snake_case word") == ["snake", "case", "word"]
    assert split_words("Über Straße", lowercase=False) == ["Über", "Straße"]
    assert split_words("'quoted' (words)") == ["quoted", "words"]
    assert split_words("3.14") == ["3", "14"]
    assert split_words(" ... ") == []


def test_text_is_split_into_sentences():
    """A sentence ends at a full stop, question or exclamation mark, but not after an abbreviation."""
    assert split_sentences("One. Two. Three.") == ["One.", "Two.", "Three."]
    assert split_sentences("Really?! Yes...  Good.") == ["Really?!", "Yes...", "Good."]
    assert split_sentences("Mr. Smith met Dr. Jones.") == ["Mr. Smith met Dr. Jones."]
    assert split_sentences("Use tools, e.g. hammers. Then rest.") == ["Use tools, e.g. hammers.", "Then rest."]
    assert split_sentences("Pi is 3.14 today.") == ["Pi is 3.14 today."]
    assert split_sentences("line one.\nline two.") == ["line one.", "line two."]
    assert split_sentences("no end") == ["no end"]
    assert split_sentences("   ") == []


def test_text_is_split_into_paragraphs():
    """Blank lines separate paragraphs; single line breaks inside become spaces."""
    assert split_paragraphs("only one") == ["only one"]
    assert split_paragraphs("one\n\ntwo") == ["one", "two"]
    assert split_paragraphs("one\nstill one\n\ntwo") == ["one still one", "two"]
    assert split_paragraphs("one\n \t \ntwo") == ["one", "two"]
    assert split_paragraphs("one\n\n\n\ntwo\n") == ["one", "two"]
    assert split_paragraphs("\n\n  one  \n\n") == ["one"]
    assert split_paragraphs("") == []
    assert len(split_paragraphs("a\n\nb\n\nc\n\nd")) == 4


def test_stopwords_are_left_out():
    """Function words are removed whatever their case; order and repetitions stay."""
    assert remove_stopwords(["the", "cat"]) == ["cat"]
    assert remove_stopwords(["The", "CAT", "Is", "Here"]) == ["CAT", "Here"]
    assert remove_stopwords(["dog", "and", "dog"]) == ["dog", "dog"]
    assert remove_stopwords([]) == []
    assert remove_stopwords(["of", "the", "and"]) == []
    assert remove_stopwords(["red", "car"], frozenset({"red"})) == ["car"]
    assert remove_stopwords(["the", "car"], frozenset()) == ["the", "car"]
    assert remove_stopwords(["with", "without"]) == ["without"]


@pytest.mark.parametrize(
    "word, expected",
    [
        ("cats", "cat"),
        ("Parties", "party"),
        ("classes", "class"),
        ("jumped", "jump"),
        ("running", "run"),
        ("falling", "fall"),
        ("bus", "bus"),
        ("this", "this"),
        ("sing", "sing"),
        ("red", "red"),
    ],
)
def test_words_are_stemmed(word, expected):
    """Plural, past and progressive endings are cut off; short words and double s stay."""
    assert stem_word(word) == expected
    assert stem_word(word.upper()) == expected


def test_word_ngrams_are_runs_of_neighbours():
    """Every run of so many neighbouring words is listed in order; too few words give none."""
    words = ["a", "b", "c", "d"]
    assert word_ngrams(words, 1) == [("a",), ("b",), ("c",), ("d",)]
    assert word_ngrams(words, 2) == [("a", "b"), ("b", "c"), ("c", "d")]
    assert word_ngrams(words, 4) == [("a", "b", "c", "d")]
    assert word_ngrams(words, 5) == []
    assert word_ngrams([], 1) == []
    with pytest.raises(ValueError):
        word_ngrams(words, 0)


def test_character_ngrams_are_overlapping_substrings():
    """Every substring of so many characters is listed in order, repetitions included."""
    assert character_ngrams("abcd", 1) == ["a", "b", "c", "d"]
    assert character_ngrams("abcd", 2) == ["ab", "bc", "cd"]
    assert character_ngrams("aaa", 2) == ["aa", "aa"]
    assert character_ngrams("a b", 2) == ["a ", " b"]
    assert character_ngrams("abcd", 5) == []
    assert character_ngrams("", 1) == []
    with pytest.raises(ValueError):
        character_ngrams("abcd", 0)


def test_identifiers_are_split_into_words():
    """Camel case, snake case, kebab case, capitals and digits are all told apart."""
    assert split_identifier("camelCase") == ["camel", "case"]
    assert split_identifier("PascalCaseName") == ["pascal", "case", "name"]
    assert split_identifier("snake_case_name") == ["snake", "case", "name"]
    assert split_identifier("kebab-case") == ["kebab", "case"]
    assert split_identifier("HTTPServer") == ["http", "server"]
    assert split_identifier("version2beta") == ["version", "2", "beta"]
    assert split_identifier("__private__") == ["private"]
    assert split_identifier("") == []
