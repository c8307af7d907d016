"""Ships a plugin under the metadata of an installed package, for pytest to load by its entry point."""


def count_words(text):
    return -1


def title(text):
    return ""

