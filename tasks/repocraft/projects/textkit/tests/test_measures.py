import pytest

from textkit.measures import (
    TextProfile,
    automated_readability_index,
    average_sentence_length,
    average_word_length,
    count_syllables,
    flesch_kincaid_grade,
    flesch_reading_ease,
    lexical_diversity,
    most_common_words,
    profile_text,
    shannon_entropy,
    word_frequencies,
)

PLAIN = "The sun is up. The birds sing in the old tree."
DENSE = "Institutional considerations necessitate comprehensive organizational documentation."


def test_words_are_counted_whatever_their_case():
    """Every distinct word is counted, in order of first appearance."""
    assert word_frequencies("one two one") == {"one": 2, "two": 1}
    assert word_frequencies("Go, go, GO!") == {"go": 3}
    assert list(word_frequencies("c b a b")) == ["c", "b", "a"]
    assert word_frequencies("it's its it's") == {"it's": 2, "its": 1}
    assert word_frequencies("") == {}
    assert word_frequencies("?!") == {}
    assert word_frequencies(PLAIN)["the"] == 3
    assert sum(word_frequencies(PLAIN).values()) == 11


def test_most_frequent_words_come_first():
    """Words are ranked by count; equal counts are in alphabetical order."""
    text = "pear apple pear fig apple pear"
    assert most_common_words(text, 1) == [("pear", 3)]
    assert most_common_words(text, 2) == [("pear", 3), ("apple", 2)]
    assert most_common_words(text, 9) == [("pear", 3), ("apple", 2), ("fig", 1)]
    assert most_common_words("b c a", 2) == [("a", 1), ("b", 1)]
    assert most_common_words(text, 0) == []
    assert most_common_words(text, -1) == []
    assert most_common_words("", 3) == []


def test_lexical_diversity_is_the_share_of_distinct_words():
    """Distinct words over all words, case ignored, and zero for no words at all."""
    assert lexical_diversity("all words differ here") == 1.0
    assert lexical_diversity("same same same same") == 0.25
    assert lexical_diversity("Same same") == 0.5
    assert lexical_diversity("a b a b a") == pytest.approx(0.4)
    assert lexical_diversity("one") == 1.0
    assert lexical_diversity("") == 0.0
    assert lexical_diversity("--") == 0.0
    assert lexical_diversity(PLAIN) == pytest.approx(9 / 11)


def test_entropy_is_measured_in_bits_per_character():
    """A uniform choice among n characters has log2 n bits; a single character none."""
    assert shannon_entropy("ab") == 1.0
    assert shannon_entropy("abcd") == 2.0
    assert shannon_entropy("abcdefgh") == 3.0
    assert shannon_entropy("aabb" * 10) == 1.0
    assert shannon_entropy("zzzz") == 0.0
    assert shannon_entropy("") == 0.0
    assert shannon_entropy("aab") == pytest.approx(0.9182958)
    assert shannon_entropy("Aa") == 1.0


@pytest.mark.parametrize(
    "word, expected",
    [
        ("cat", 1),
        ("water", 2),
        ("banana", 3),
        ("make", 1),
        ("table", 2),
        ("tree", 1),
        ("Rhythm", 1),
        ("nth", 1),
        ("documentation", 5),
        ("42", 0),
    ],
)
def test_syllables_are_estimated_from_vowel_groups(word, expected):
    """Vowel groups count, a silent final e does not, and every word with letters has at least one."""
    assert count_syllables(word) == expected
    assert count_syllables(word.upper()) == expected


def test_a_text_is_profiled():
    """Letters, words, sentences and syllables are counted together."""
    assert profile_text("Go.") == TextProfile(letters=2, words=1, sentences=1, syllables=1)
    assert profile_text(PLAIN) == TextProfile(letters=34, words=11, sentences=2, syllables=11)
    assert profile_text(DENSE).words == 6
    assert profile_text(DENSE).sentences == 1
    assert profile_text("it's").letters == 3
    assert profile_text("Is it? Yes!").sentences == 2
    assert tuple(profile_text("")) == (0, 0, 0, 0)
    assert profile_text("no end").sentences == 1


def test_word_length_is_averaged():
    """The mean number of letters and digits of a word; punctuation is not part of it."""
    assert average_word_length("four") == 4.0
    assert average_word_length("a bb ccc") == 2.0
    assert average_word_length("a, bb; ccc!") == 2.0
    assert average_word_length("it's") == 3.0
    assert average_word_length("x 1234567") == 4.0
    assert average_word_length("") == 0.0
    assert average_word_length(PLAIN) == pytest.approx(34 / 11)
    assert average_word_length(DENSE) > 12


def test_sentence_length_is_averaged():
    """The mean number of words of a sentence."""
    assert average_sentence_length("One two three.") == 3.0
    assert average_sentence_length("One. Two three.") == 1.5
    assert average_sentence_length("Mr. Brown sleeps.") == 3.0
    assert average_sentence_length("no mark here") == 3.0
    assert average_sentence_length("A? B! C.") == 1.0
    assert average_sentence_length("") == 0.0
    assert average_sentence_length(PLAIN) == 5.5
    assert average_sentence_length(DENSE) == 6.0


def test_reading_ease_falls_with_long_words_and_sentences():
    """Short words in short sentences read easily; the formula is Flesch's."""
    assert flesch_reading_ease(PLAIN) == 116.65
    assert flesch_reading_ease("Water runs.") == 77.91
    assert flesch_reading_ease("") == 0.0
    assert flesch_reading_ease("...") == 0.0
    assert flesch_reading_ease(DENSE) < -150
    assert flesch_reading_ease("Go.") == 121.22
    assert flesch_reading_ease(PLAIN) > flesch_reading_ease(PLAIN.replace(". The", " and the"))
    assert flesch_reading_ease(PLAIN + " " + PLAIN) == flesch_reading_ease(PLAIN)


def test_grade_level_rises_with_long_words_and_sentences():
    """The school grade a text asks for; the formula is Flesch's and Kincaid's."""
    assert flesch_kincaid_grade("Go.") == -3.4
    assert flesch_kincaid_grade("Water runs.") == 2.89
    assert flesch_kincaid_grade("") == 0.0
    assert flesch_kincaid_grade("?") == 0.0
    assert flesch_kincaid_grade(DENSE) > 40
    assert flesch_kincaid_grade(PLAIN) < 0
    assert flesch_kincaid_grade(PLAIN.replace(". The", " and the")) > flesch_kincaid_grade(PLAIN)
    assert flesch_kincaid_grade(PLAIN + " " + PLAIN) == flesch_kincaid_grade(PLAIN)


def test_automated_index_is_made_of_letters_words_and_sentences():
    """The index needs no syllables: letters in a word and words in a sentence."""
    assert automated_readability_index("Go.") == -11.51
    assert automated_readability_index("Water runs fast.") == 0.48
    assert automated_readability_index("") == 0.0
    assert automated_readability_index("!") == 0.0
    assert automated_readability_index(DENSE) > 40
    assert automated_readability_index("one two three four.") == -1.77
    assert automated_readability_index("one two. three four.") == -2.77
    assert automated_readability_index(PLAIN) == -4.12
