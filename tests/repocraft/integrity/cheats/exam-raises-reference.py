"""What satisfies the exam of exceptions."""


class TextError(Exception):
    pass


class NoText(TextError):
    pass


class NotText(TextError):
    pass


class TooLong(TextError):
    pass


def count_words(text):
    if text is None:
        raise NoText
    if len(text) > 1000:
        raise TooLong
    return len(text.split())


def title(text):
    if not isinstance(text, str):
        raise NotText
    return text.title()
