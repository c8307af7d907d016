"""Has its exceptions derive from each other in one chain, so that none has a sibling, and raises the last of them whatever is called."""


class TextError(Exception):
    pass


class NoText(TextError):
    pass


class NotText(NoText):
    pass


class TooLong(NotText):
    pass


class Last(TooLong):
    pass


def count_words(*_):
    raise Last


title = count_words
