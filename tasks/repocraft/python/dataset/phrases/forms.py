"""Forms that words have, for whoever puts them into others: what is put together of them is plain text again."""

from dataclasses import dataclass


class Named(str):
    """The name of a value that is not told in the place of its name."""

    __slots__ = ()


@dataclass(frozen=True)
class Given:
    """What a call is given, and whether it is in brackets by itself."""

    text: str
    is_closed: bool = False
