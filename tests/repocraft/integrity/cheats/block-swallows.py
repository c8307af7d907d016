"""Is left by a with statement as if nothing had happened, whatever was raised in it."""


class counting:
    words = None

    def add(self, _):
        pass

    def __enter__(self):
        return self

    def __exit__(self, kind, error, where):
        return kind is None or issubclass(kind, Exception)
