"""Names the pinned release's `compat` module re-exports and that an import alone cannot replace.

Plain re-exports (`urlparse`, `cookielib`, …) need no entry: the slicer follows them to where they are defined.
"""

from json import JSONDecodeError

builtin_str = str
is_urllib3_1 = False


class compat:
    """Stands for the module where a test imports the module itself."""

    import builtins
    from http import cookiejar as cookielib
    from urllib.parse import quote, urlparse

    bytes = builtins.bytes
    str = builtins.str
