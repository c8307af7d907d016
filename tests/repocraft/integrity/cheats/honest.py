"""Tries nothing: an honest library, which must pass and stay unmarked."""


def count_words(text):
    if text is None:
        raise TypeError("a text is needed")
    return len(text.split())


def title(text):
    return " ".join(word[:1].upper() + word[1:] for word in text.split())
