"""What can go wrong between a caller and a server."""

# -- failures


class RequestFailure(OSError):
    """A request could not be made or answered; it knows the request and the reply, as far as there are any.

    >>> RequestFailure("why").response is None
    True
    """

    def __init__(self, *parts, response=None, request=None):
        super().__init__(*parts)
        self.response = response
        self.request = request if request is not None else getattr(response, "request", None)


class BadAddress(RequestFailure, ValueError):
    """An address is none, or lacks its scheme or its host.

    >>> isinstance(BadAddress("x"), ValueError)
    True
    """

    def reason(self):
        """What was said of it."""
        return str(self)


class BadHeader(RequestFailure, ValueError):
    """A header's name or value cannot be sent.

    >>> isinstance(BadHeader("x"), OSError)
    True
    """

    def reason(self):
        """What was said of it."""
        return str(self)


class TooManyHops(RequestFailure):
    """A server sent the caller elsewhere again and again.

    >>> isinstance(TooManyHops("x"), OSError)
    True
    """

    def reason(self):
        """What was said of it."""
        return str(self)


class NoConnection(RequestFailure):
    """Nobody answered at the other end, or not in time.

    >>> isinstance(NoConnection("x"), OSError)
    True
    """

    def reason(self):
        """What was said of it."""
        return str(self)


class ErrorStatus(RequestFailure):
    """A server answered, and said that it did not do what it was asked: a status of 400 or more.

    >>> isinstance(ErrorStatus("x"), OSError)
    True
    """

    def reason(self):
        """What was said of it."""
        return str(self)


def status_phrase(code: int) -> str:
    """The usual words for a status code; empty for one that has none.

    >>> status_phrase(404)
    'Not Found'
    >>> status_phrase(799)
    ''
    """
    from http import HTTPStatus

    return next((status.phrase for status in HTTPStatus if status.value == code), "")
