import pytest

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

STORY = "The cat likes fish. Dogs like bones. The cat eats fish every day. Birds sing."


def test_paragraphs_are_wrapped_between_words():
    """No line is longer than the width, unless a single word is."""
    text = "one two three four five"
    assert wrap_paragraph(text, 100) == [text]
    assert wrap_paragraph(text, 9) == ["one two", "three", "four five"]
    assert wrap_paragraph(text, 7) == ["one two", "three", "four", "five"]
    assert wrap_paragraph(text, 1) == text.split()
    assert wrap_paragraph("  spaces   collapse ", 80) == ["spaces collapse"]
    assert wrap_paragraph("unbreakable", 3) == ["unbreakable"]
    assert wrap_paragraph("", 10) == []
    assert " ".join(wrap_paragraph(STORY, 20)) == STORY


def test_long_text_is_cut_at_a_word():
    """A text that is too long ends with an ellipsis at a word boundary and fits the width."""
    text = "alpha beta gamma delta"
    assert truncate_text(text, 22) == text
    assert truncate_text(text, 21) == "alpha beta gamma..."
    assert truncate_text(text, 13) == "alpha beta..."
    assert truncate_text(text, 12) == "alpha..."
    assert truncate_text(text, 12, "…") == "alpha beta…"
    assert truncate_text("unbreakable", 8) == "unbre..."
    assert truncate_text("", 0) == ""
    assert all(len(truncate_text(text, width)) <= width for width in range(3, 30))


def test_columns_are_aligned():
    """Cells are padded to the widest of their column, and no line ends with spaces."""
    assert align_columns([["a", "b"], ["long", "c"]]) == ["a     b", "long  c"]
    assert align_columns([["a", "b"], ["long", "c"]], gap=1) == ["a    b", "long c"]
    assert align_columns([["x"], ["yy"]]) == ["x", "yy"]
    assert align_columns([["a", ""], ["b", "c"]]) == ["a", "b  c"]
    assert align_columns([["a"], ["b", "c"]]) == ["a", "b  c"]
    assert align_columns([["one", "two", "three"]]) == ["one  two  three"]
    assert align_columns([]) == []
    assert align_columns([[]]) == [""]


def test_titles_become_slugs():
    """Only lower-case ASCII letters and digits remain, joined by single hyphens."""
    assert slugify("Hello World") == "hello-world"
    assert slugify("  many   spaces  ") == "many-spaces"
    assert slugify("C'est déjà l'été") == "c-est-deja-l-ete"
    assert slugify("a--b__c") == "a-b-c"
    assert slugify("100% sure?") == "100-sure"
    assert slugify("UPPER") == "upper"
    assert slugify("") == ""
    assert slugify("already-a-slug") == "already-a-slug"


def test_titles_are_capitalized():
    """Short function words stay small inside a title, first and last words never do."""
    assert title_case("war and peace") == "War and Peace"
    assert title_case("THE END") == "The End"
    assert title_case("of mice and men") == "Of Mice and Men"
    assert title_case("something to look at") == "Something to Look At"
    assert title_case("a") == "A"
    assert title_case("") == ""
    assert title_case("don't stop") == "Don't Stop"
    assert title_case("  two   words ") == "Two Words"


@pytest.mark.parametrize(
    "noun, count, expected",
    [
        ("word", 0, "0 words"),
        ("word", 1, "1 word"),
        ("word", 2, "2 words"),
        ("bus", 2, "2 buses"),
        ("match", 3, "3 matches"),
        ("dish", 4, "4 dishes"),
        ("baby", 5, "5 babies"),
        ("day", 6, "6 days"),
        ("box", -1, "-1 boxes"),
    ],
)
def test_counts_are_said_with_their_noun(noun, count, expected):
    """One takes the singular, every other count the regular plural."""
    assert pluralize(noun, count) == expected


def test_items_are_joined_as_in_prose():
    """Commas between items, and the conjunction before the last one."""
    assert join_naturally([]) == ""
    assert join_naturally(["one"]) == "one"
    assert join_naturally(["one", "two"]) == "one and two"
    assert join_naturally(["one", "two", "three"]) == "one, two and three"
    assert join_naturally(["a", "b", "c", "d"]) == "a, b, c and d"
    assert join_naturally(["a", "b", "c"], "or") == "a, b or c"
    assert join_naturally(["one"], "or") == "one"
    assert join_naturally(["salt and pepper", "oil"]) == "salt and pepper and oil"


def test_frequent_words_are_drawn_as_bars():
    """The longest bar has the full width, every bar at least one mark, labels are padded."""
    assert text_histogram("x x x y", 2, 6) == ["x ###### 3", "y ## 1"]
    assert text_histogram("long long s", 2, 4) == ["long #### 2", "s    ## 1"]
    assert text_histogram("only", 5, 3) == ["only ### 1"]
    assert text_histogram("a " * 50 + "b", 2, 10) == ["a ########## 50", "b # 1"]
    assert text_histogram("a b c", 1, 2) == ["a ## 1"]
    assert text_histogram("", 3, 3) == []
    assert len(text_histogram("a b c d e f g")) == 5
    assert text_histogram("word")[0].count("#") == 20


def test_keywords_are_frequent_and_no_stopwords():
    """Function words never are keywords; the rest is ranked by frequency, then by alphabet."""
    assert extract_keywords(STORY, 2) == ["cat", "fish"]
    assert extract_keywords("the the the word", 1) == ["word"]
    assert extract_keywords("b a", 2) == ["b"]
    assert extract_keywords("zeta beta zeta", 5) == ["zeta", "beta"]
    assert extract_keywords("Red red RED blue", 1) == ["red"]
    assert extract_keywords(STORY, 0) == []
    assert extract_keywords("", 3) == []
    assert extract_keywords("dog cat", 2) == ["cat", "dog"]


def test_summaries_keep_the_weightiest_sentences():
    """Sentences with the most frequent words are chosen and stay in their order."""
    assert summarize_text(STORY, 1) == "The cat likes fish."
    assert summarize_text(STORY, 2) == "The cat likes fish. The cat eats fish every day."
    assert summarize_text(STORY, 9) == STORY
    assert summarize_text(STORY, 0) == ""
    assert summarize_text("", 3) == ""
    assert summarize_text("Only one.", 1) == "Only one."
    assert summarize_text("First here.\nSecond there.", 2) == "First here. Second there."
    assert summarize_text("The of and. Real words.", 1) == "Real words."
