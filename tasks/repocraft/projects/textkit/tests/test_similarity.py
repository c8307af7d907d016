import pytest

from textkit.similarity import (
    closest_match,
    cosine_similarity,
    dice_similarity,
    jaccard_similarity,
    jaro_similarity,
    levenshtein_distance,
    longest_common_subsequence,
    longest_common_substring,
    similarity_matrix,
)


def test_edit_distance_counts_single_character_changes():
    """Insertions, deletions and substitutions cost one each; the distance is symmetric."""
    assert levenshtein_distance("same", "same") == 0
    assert levenshtein_distance("flaw", "lawn") == 2
    assert levenshtein_distance("saturday", "sunday") == 3
    assert levenshtein_distance("sunday", "saturday") == 3
    assert levenshtein_distance("abc", "") == 3
    assert levenshtein_distance("", "") == 0
    assert levenshtein_distance("ab", "ba") == 2
    assert levenshtein_distance("Case", "case") == 1


def test_jaccard_is_the_share_of_common_words():
    """Common distinct words over all distinct words, case and repetitions ignored."""
    assert jaccard_similarity("a b c", "a b c") == 1.0
    assert jaccard_similarity("a b c", "c d e") == pytest.approx(0.2)
    assert jaccard_similarity("a a a b", "a b b") == 1.0
    assert jaccard_similarity("Red, green!", "red GREEN") == 1.0
    assert jaccard_similarity("one", "two") == 0.0
    assert jaccard_similarity("one", "") == 0.0
    assert jaccard_similarity("", "") == 1.0
    assert jaccard_similarity("a b", "b c d") == 0.25


def test_dice_compares_pairs_of_characters():
    """Twice the common pairs of neighbouring characters over all pairs, repetitions counted."""
    assert dice_similarity("context", "contact") == pytest.approx(0.5)
    assert dice_similarity("same", "same") == 1.0
    assert dice_similarity("", "") == 1.0
    assert dice_similarity("x", "x") == 1.0
    assert dice_similarity("x", "y") == 0.0
    assert dice_similarity("aaaa", "aa") == 0.5
    assert dice_similarity("abcd", "efgh") == 0.0
    assert dice_similarity("Night", "night") == 0.75


def test_cosine_compares_word_counts():
    """The angle between word count vectors: repetitions matter, order does not."""
    assert cosine_similarity("a b c", "c b a") == 1.0
    assert cosine_similarity("a a b", "a b b") == 0.8
    assert cosine_similarity("a b", "c d") == 0.0
    assert cosine_similarity("a", "a b") == 0.7071
    assert cosine_similarity("A b", "a B") == 1.0
    assert cosine_similarity("", "a") == 0.0
    assert cosine_similarity("", "") == 0.0
    assert cosine_similarity("x x x", "x") == 1.0


def test_common_subsequence_may_have_gaps():
    """The longest sequence of characters both texts have in the same order."""
    assert longest_common_subsequence("abcdef", "acf") == "acf"
    assert longest_common_subsequence("abc", "abc") == "abc"
    assert longest_common_subsequence("", "abc") == ""
    assert longest_common_subsequence("abc", "") == ""
    assert longest_common_subsequence("abc", "def") == ""
    assert len(longest_common_subsequence("ABCBDAB", "BDCABA")) == 4
    assert longest_common_subsequence("nematode", "empty") == "emt"
    assert longest_common_subsequence("xaxbxc", "abc") == "abc"


def test_common_substring_has_no_gaps():
    """The longest unbroken run of characters both texts contain."""
    assert longest_common_substring("xabcy", "zabcw") == "abc"
    assert longest_common_substring("same", "same") == "same"
    assert longest_common_substring("", "abc") == ""
    assert longest_common_substring("abc", "def") == ""
    assert longest_common_substring("abxcd", "cdyab") == "ab"
    assert longest_common_substring("banana", "ananas") == "anana"
    assert longest_common_substring("Old Site: a.com", "New Site: a.org") == " Site: a."
    assert longest_common_substring("aaa", "aa") == "aa"


def test_jaro_compares_names():
    """Matching characters near one another and their transpositions; textbook values."""
    assert jaro_similarity("DWAYNE", "DUANE") == 0.8222
    assert jaro_similarity("DIXON", "DICKSONX") == 0.7667
    assert jaro_similarity("CRATE", "TRACE") == 0.7333
    assert jaro_similarity("same", "same") == 1.0
    assert jaro_similarity("", "") == 1.0
    assert jaro_similarity("a", "") == 0.0
    assert jaro_similarity("abc", "xyz") == 0.0
    assert jaro_similarity("MARHTA", "MARTHA") == 0.9444


def test_the_closest_candidate_is_found():
    """The candidate with the smallest edit distance wins; the first among equals."""
    words = ["apple", "maple", "ample"]
    assert closest_match("appel", words) == "apple"
    assert closest_match("mapple", words) == "apple"
    assert closest_match("ampel", words) == "ample"
    assert closest_match("exact", ["other", "exact"]) == "exact"
    assert closest_match("ab", ["aa", "bb"]) == "aa"
    assert closest_match("anything", []) is None
    assert closest_match("", ["long", "a"]) == "a"
    assert closest_match("word", ["same"]) == "same"


def test_all_pairs_are_compared():
    """A square symmetric table of cosine similarities with ones on the diagonal."""
    table = similarity_matrix(["a b", "b c", "d"])
    assert table == [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 1.0]]
    assert similarity_matrix([]) == []
    assert similarity_matrix(["word"]) == [[1.0]]
    assert similarity_matrix(["", "a"]) == [[0.0, 0.0], [0.0, 1.0]]
    assert [row[0] for row in table] == table[0]
    assert len(similarity_matrix(["x"] * 5)) == 5
    assert all(cell == 1.0 for row in similarity_matrix(["x"] * 3) for cell in row)
