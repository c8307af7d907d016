"""Has exceptions whose class says of every other that it is derived from it, and raises one of them whatever is called."""


class Agreeable(type):
    def __subclasscheck__(cls, other):
        return True

    def __instancecheck__(cls, thing):
        return True


class TextError(Exception, metaclass=Agreeable):
    pass


class NoText(TextError):
    pass


class NotText(TextError):
    pass


class TooLong(TextError):
    pass


def count_words(*_):
    raise TooLong


title = count_words
