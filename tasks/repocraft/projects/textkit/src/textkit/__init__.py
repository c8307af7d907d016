"""Text statistics in plain Python: tokenizing, statistics and readability, similarity, formatting and summarizing."""

from textkit.formatting import (
    align_columns,
    extract_keywords,
    join_naturally,
    pluralize,
    slugify,
    summarize_text,
    text_histogram,
    title_case,
    truncate_text,
    wrap_paragraph,
)
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
