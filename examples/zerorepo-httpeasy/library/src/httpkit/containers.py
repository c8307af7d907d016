"""Tables of headers and settings that the rest of the client is made of."""

from collections.abc import Mapping, MutableMapping

# -- tables


class Headers(MutableMapping):
    """Header fields of a message: a dictionary that does not care in which case a name is asked for, and keeps how it was written.

    >>> Headers({"Accept": "text"})["ACCEPT"]
    'text'
    >>> list(Headers({"Accept": "text"}))
    ['Accept']
    """

    def __init__(self, fields=None, **more):
        self.written = {}
        self.values_by_name = {}
        if fields is not None:
            self.update(fields)
        self.update(more)

    def __setitem__(self, name, value):
        self.written[name.lower()] = name
        self.values_by_name[name.lower()] = value

    def __getitem__(self, name):
        return self.values_by_name[name.lower()]

    def __delitem__(self, name):
        del self.values_by_name[name.lower()]
        del self.written[name.lower()]

    def __iter__(self):
        return iter(list(self.written.values()))

    def __len__(self):
        return len(self.written)

    def lower_items(self):
        """Names in lower case with their values."""
        return iter(self.values_by_name.items())

    def __eq__(self, other):
        if not isinstance(other, Mapping):
            return NotImplemented
        return self.values_by_name == {name.lower(): value for name, value in other.items()}

    def copy(self):
        """The same fields, independent of these."""
        return Headers(self)

    def __repr__(self):
        return repr({self.written[name]: value for name, value in self.values_by_name.items()})


class NamedTable(dict):
    """A table of names such as status codes, read by attribute or by index; an unknown name reads as None.

    >>> NamedTable("codes")["missing"] is None
    True
    """

    def __init__(self, name=None):
        super().__init__()
        self.name = name

    def __getitem__(self, key):
        return vars(self).get(key)

    def get(self, key, default=None):
        """What is known by that name, else the default."""
        return vars(self).get(key, default)

    def __repr__(self):
        return f"<lookup '{self.name}'>"


# -- pairs


def pairs_of(value):
    """Take a mapping or a sequence of pairs and give a list of pairs; None stays None, a plain text or number is a ValueError.

    >>> pairs_of({"a": 1, "b": 2})
    [('a', 1), ('b', 2)]
    >>> pairs_of([("a", 1)])
    [('a', 1)]
    """
    if value is None:
        return None
    if isinstance(value, Mapping):
        return list(value.items())
    if isinstance(value, (str, bytes, int)):
        raise ValueError(f"no pairs can be read from {type(value).__name__}")
    return list(value)


def ordered_fields(value):
    """Take a mapping or a sequence of pairs and give a dictionary in their order; a plain text or number is a ValueError.

    >>> ordered_fields([("a", 1), ("b", 2)])
    {'a': 1, 'b': 2}
    """
    pairs = pairs_of(value)
    if pairs is None:
        return None
    return dict(pairs)


def combine_settings(own, shared):
    """Settings of one request over those that a session shares; a name that is set to None is dropped.

    >>> combine_settings({"a": "1", "b": None}, {"b": "2", "c": "3"})
    {'c': '3', 'a': '1'}
    """
    if own is None or shared is None:
        return shared if own is None else own
    if not isinstance(own, Mapping) or not isinstance(shared, Mapping):
        return own
    both = ordered_fields(shared) | ordered_fields(own)
    return {name: value for name, value in both.items() if value is not None}


def pieces_of(text, size):
    """Cut a text or bytes into pieces of a size, the last one shorter; one piece where no size is given.

    >>> list(pieces_of("abcdefg", 3))
    ['abc', 'def', 'g']
    >>> list(pieces_of("abc", None))
    ['abc']
    """
    width = size if size and size > 0 else max(1, len(text))
    for start in range(0, len(text), width):
        yield text[start : start + width]


def length_of(body):
    """How many bytes of a body are still to be read: of texts, files and anything with a length; 0 where nothing tells.

    >>> length_of(b"abc")
    3
    >>> length_of("crème")
    6
    """
    if isinstance(body, str):
        return len(body.encode())
    if hasattr(body, "__len__"):
        total = len(body)
    elif hasattr(body, "len"):
        total = body.len
    elif hasattr(body, "seek") and hasattr(body, "tell"):
        here = body.tell()
        total = body.seek(0, 2) or body.tell()
        body.seek(here)
    else:
        total = 0
    read = body.tell() if hasattr(body, "tell") else 0
    return max(0, total - read)
