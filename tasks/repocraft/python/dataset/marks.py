"""Marks in what is said of a test: they stand for what was left out, and no description with one is told.

Each holds a character for private use, which no text of a test has: words alone could be a test's own.
"""

# In the place of what no words say.
UNSAID = "a certain\ue001value"
# In the place of what there was no room for.
CUT = "…\ue000"


def is_unsaid(text):
    """Whether something in a text is not said."""
    return UNSAID in text


def is_cut(text):
    """Whether something of a text was left out; nothing that an outcome may hang on is left out of a description."""
    return CUT in text
