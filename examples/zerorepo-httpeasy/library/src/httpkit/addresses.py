"""Addresses of resources, networks, and the intermediaries on the way to them."""

import ipaddress
import os
import re
from urllib.parse import quote, unquote, urlencode, urlsplit, urlunsplit

from httpkit.containers import pairs_of

# -- quoting


def decode_safe_escapes(address: str) -> str:
    """Undo the percent escapes of an address that stand for letters, digits and other unreserved characters.

    >>> decode_safe_escapes("http://example.com/%41%2F")
    'http://example.com/A%2F'
    """

    def plain(found):
        character = chr(int(found.group(1), 16))
        return character if re.fullmatch(r"[A-Za-z0-9._~-]", character) else found.group(0)

    return re.sub(r"%([0-9A-Fa-f]{2})", plain, address)


def escape_address(address: str) -> str:
    """Quote an address so that what must be escaped is, exactly once, whether it was before or not.

    >>> escape_address("http://example.com/fiz?buz=%25ppicture")
    'http://example.com/fiz?buz=%25ppicture'
    >>> escape_address("http://example.com/a b")
    'http://example.com/a%20b'
    """
    stray = re.search(r"%(?![0-9A-Fa-f]{2})", address)
    kept = "!#$&'()*+,/:;=?@[]~"
    return quote(address, safe=kept) if stray else quote(decode_safe_escapes(address), safe=kept + "%")


def query_text(fields):
    """Encode fields of a form or a query; a list stands for several of one name, texts and bytes stay as they are.

    >>> query_text({"a": [1, 2], "b": "x y"})
    'a=1&a=2&b=x+y'
    """
    if isinstance(fields, (str, bytes)) or hasattr(fields, "read"):
        return fields
    flat = []
    for name, value in pairs_of(fields) or []:
        many = value if hasattr(value, "__iter__") and not isinstance(value, (str, bytes)) else [value]
        flat.extend((name, one) for one in many if one is not None)
    return urlencode(flat)


# -- parts


def credentials_in(address: str) -> tuple:
    """User and password that stand in an address, unquoted; two empty texts where they do not.

    >>> credentials_in("http://user:pass%20word@example.com/")
    ('user', 'pass word')
    >>> credentials_in("http://example.com/")
    ('', '')
    """
    parts = urlsplit(address)
    if parts.username is None or parts.password is None:
        return "", ""
    return unquote(parts.username), unquote(parts.password)


def bare_address(address: str) -> str:
    """An address without its fragment and without credentials.

    >>> bare_address("http://user@example.com/path#part")
    'http://example.com/path'
    """
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))


def with_scheme(address: str, scheme: str) -> str:
    """Put a scheme in front of an address that has none.

    >>> with_scheme("example.com/path", "http")
    'http://example.com/path'
    >>> with_scheme("https://example.com", "http")
    'https://example.com'
    """
    return address if "://" in address else f"{scheme}://{address.lstrip('/')}"


def stored_credentials(address: str):
    """User and password that the netrc file keeps for the host of an address; None where it keeps none.

    >>> stored_credentials("http://no-such-host.invalid/") is None
    True
    """
    import netrc

    path = os.environ.get("NETRC") or os.path.expanduser("~/.netrc")
    try:
        found = netrc.netrc(path).authenticators(urlsplit(address).hostname or "")
    except (OSError, netrc.NetrcParseError):
        return None
    return None if found is None else (found[0] or found[1], found[2])


# -- networks


def mask_of_bits(bits: int) -> str:
    """A network mask of so many bits, as four numbers with dots.

    >>> mask_of_bits(24)
    '255.255.255.0'
    """
    return str(ipaddress.IPv4Network((0, bits)).netmask)


def is_ip_address(text: str) -> bool:
    """Tell whether a text is an IPv4 address.

    >>> is_ip_address("8.8.8.8")
    True
    >>> is_ip_address("localhost")
    False
    """
    return re.fullmatch(r"\d{1,3}(\.\d{1,3}){3}", text) is not None and all(int(part) < 256 for part in text.split("."))


def is_network(text: str) -> bool:
    """Tell whether a text is a network: an IPv4 address, a slash and a mask of 1 to 32 bits.

    >>> is_network("192.168.1.0/24")
    True
    >>> is_network("8.8.8.8")
    False
    """
    address, slash, bits = text.partition("/")
    return bool(slash) and is_ip_address(address) and bits.isdigit() and 1 <= int(bits) <= 32


def is_in_network(address: str, network: str) -> bool:
    """Tell whether an IPv4 address lies in a network.

    >>> is_in_network("192.168.1.1", "192.168.1.0/24")
    True
    >>> is_in_network("172.16.0.1", "192.168.1.0/24")
    False
    """
    return ipaddress.IPv4Address(address) in ipaddress.IPv4Network(network, strict=False)


# -- proxies


def skips_proxy(address: str, exceptions=None) -> bool:
    """Whether an address is to be asked directly: its host is among the exceptions, given or in the environment.

    >>> skips_proxy("http://192.168.0.1:5000/", "192.168.0.0/24")
    True
    >>> skips_proxy("http://example.com/", "localhost")
    False
    """
    host = urlsplit(address).hostname
    port = urlsplit(address).port
    if host is None:
        return True
    listed = exceptions or os.environ.get("no_proxy") or os.environ.get("NO_PROXY") or ""
    for entry in filter(None, listed.replace(" ", "").split(",")):
        if is_ip_address(host) and is_network(entry) and is_in_network(host, entry):
            return True
        if host == entry or host.endswith(entry) or f"{host}:{port}".endswith(entry) or entry == "*":
            return True
    return False


def environment_proxies(address: str, no_proxy=None) -> dict:
    """Proxies that the environment names, by scheme; none where the address is an exception.

    >>> environment_proxies("http://localhost/", "localhost")
    {}
    """
    if skips_proxy(address, no_proxy):
        return {}
    found = {}
    for name, value in os.environ.items():
        if name.lower().endswith("_proxy") and name.lower() != "no_proxy" and value:
            found[name.lower()[:-6]] = value
    return found


def choose_proxy(address: str, proxies):
    """The proxy for an address: one for its scheme and host before one for its scheme, then one for all.

    >>> choose_proxy("http://a.b/c", {"http": "http://one", "all": "http://two"})
    'http://one'
    >>> choose_proxy("ftp://a.b/c", {"all": "http://two"})
    'http://two'
    """
    scheme, host = urlsplit(address).scheme, urlsplit(address).hostname
    wanted = [scheme, "all"] if host is None else [f"{scheme}://{host}", scheme, f"all://{host}", "all"]
    known = proxies or {}
    return next((known[name] for name in wanted if name in known), None)
