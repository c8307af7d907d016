"""Has one class under the names of all its exceptions, and raises it whatever is called."""


class TextError(Exception):
    pass


NoText = NotText = TooLong = TextError


def count_words(*_):
    raise TextError


title = count_words
