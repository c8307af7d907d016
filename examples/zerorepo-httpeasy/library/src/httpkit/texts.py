"""Header values, character sets and pieces of text."""

import base64
import codecs
import re

# -- strings


def text_of(value, encoding: str = "ascii") -> str:
    """Text of a text or of bytes in an encoding.

    >>> text_of(b"name")
    'name'
    """
    return value.decode(encoding) if isinstance(value, bytes) else value


def has_only_ascii(text: str) -> bool:
    """Tell whether every character of a text is an ASCII one.

    >>> has_only_ascii("plain")
    True
    >>> has_only_ascii("crème")
    False
    """
    return all(ord(character) < 128 for character in text)


def basic_credentials(user, password) -> str:
    """What an Authorization header says for a user with a password.

    >>> basic_credentials("user", "pass")
    'Basic dXNlcjpwYXNz'
    """
    pair = [part.encode("latin1") if isinstance(part, str) else part for part in (user, password)]
    return "Basic " + base64.b64encode(b":".join(pair)).decode("ascii")


# -- headers


def strip_quotes(value: str, is_filename: bool = False) -> str:
    """Take the quotes off a header value and undo the escapes in it; a file name on a network share keeps its backslashes.

    >>> strip_quotes('"quoted"')
    'quoted'
    >>> strip_quotes("plain")
    'plain'
    """
    if len(value) < 2 or not (value.startswith('"') and value.endswith('"')):
        return value
    inner = value[1:-1]
    if is_filename and inner.startswith("\\\\"):
        return inner
    return re.sub(r"\\(.)", r"\1", inner)


def header_list(value: str) -> list:
    """Values of a header that lists them with commas between; commas within quotes do not count.

    >>> header_list('token, "quoted, value"')
    ['token', 'quoted, value']
    """
    parts = re.findall(r'(?:[^,"]|"(?:\\.|[^"\\])*")+', value)
    return [strip_quotes(part.strip()) for part in parts if part.strip()]


def header_pairs(value: str) -> dict:
    """Parse a header that is a list of key and value pairs into a dictionary; a key alone has None.

    >>> header_pairs('foo="is a fish", bar="as well"')
    {'foo': 'is a fish', 'bar': 'as well'}
    >>> header_pairs("key_without_value")
    {'key_without_value': None}
    """
    found = {}
    for part in re.findall(r'(?:[^,"]|"(?:\\.|[^"\\])*")+', value):
        key, separator, text = part.strip().partition("=")
        found[key] = strip_quotes(text) if separator else None
    return found


def split_content_type(header: str) -> tuple:
    """Content type and its parameters, from the value of that header; a parameter without a value is True.

    >>> split_content_type("text/html; charset=utf-8")
    ('text/html', {'charset': 'utf-8'})
    """
    kind, *rest = [part.strip() for part in header.split(";")]
    parameters = {}
    for part in filter(None, rest):
        key, separator, text = part.partition("=")
        parameters[key.strip(" '\"").lower()] = text.strip(" '\"") if separator else True
    return kind, parameters


def link_targets(value: str) -> list:
    """Links of a Link header, each a dictionary of its address and its parameters.

    >>> link_targets('<http://a/1>; rel="next"')
    [{'url': 'http://a/1', 'rel': 'next'}]
    >>> link_targets("")
    []
    """
    found = []
    for target, rest in re.findall(r"<\s*'?\"?([^>'\"]*)[^>]*>([^<]*)", value):
        link = {"url": target}
        for key, text in re.findall(r";\s*([\w-]+)\s*=\s*([^;,]*)", rest):
            link[key] = text.strip(" '\"")
        found.append(link)
    return found


def charset_of(headers):
    """Encoding that the headers of a reply name, or that follows from their content type; None where neither tells.

    >>> charset_of({"content-type": "text/html; charset=utf-8"})
    'utf-8'
    >>> charset_of({"content-type": "text/plain"})
    'ISO-8859-1'
    """
    value = headers.get("content-type") or ""
    kind, parameters = split_content_type(value)
    named = parameters.get("charset")
    if named:
        return named
    if kind == "application/json":
        return "utf-8"
    return "ISO-8859-1" if "text" in kind else None


def check_header(name, value):
    """Raise ValueError where a header's name or value is no text, begins with a space, or has a line break in it.

    >>> check_header("name", "value") is None
    True
    """
    for part in (name, value):
        if not isinstance(part, (str, bytes)):
            raise ValueError(f"{part!r} is neither text nor bytes")
        text = text_of(part, "latin1")
        if "\n" in text or "\r" in text or text[:1].isspace():
            raise ValueError(f"{text!r} cannot stand in a header")


# -- decoding


def json_encoding(data: bytes):
    """Which UTF the bytes of a JSON text are in, by a byte order mark or by where zeros stand among the first four; None for others.

    >>> json_encoding(b'{"a": 1}')
    'utf-8'
    >>> json_encoding('{"a": 1}'.encode("utf-16-le"))
    'utf-16-le'
    """
    marks = {
        "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
        "utf-8-sig": (codecs.BOM_UTF8,),
        "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
    }
    for name, known in marks.items():
        if data.startswith(known):
            return name
    zeros = "".join("0" if byte == 0 else "x" for byte in data[:4])
    patterns = {"0x0x": "utf-16-be", "x0x0": "utf-16-le", "000x": "utf-32-be", "x000": "utf-32-le"}
    return patterns.get(zeros, None if "0" in zeros else "utf-8")


def decoded_pieces(pieces, encoding):
    """Decode bytes that come in pieces; a character cut in two comes out whole. Without an encoding they stay as they are.

    >>> list(decoded_pieces([b"a", b"b"], "utf-8"))
    ['a', 'b']
    """
    if encoding is None:
        yield from pieces
        return
    yield from filter(None, codecs.iterdecode(pieces, encoding, errors="replace"))


def name_of_file(file):
    """The last part of the path an open file was opened by; None for what has no such name.

    >>> name_of_file("no file") is None
    True
    """
    name = getattr(file, "name", None)
    if not isinstance(name, str) or name.startswith("<"):
        return None
    return name.replace("\\", "/").rpartition("/")[2]
