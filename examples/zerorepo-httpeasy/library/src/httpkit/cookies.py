"""Small texts that servers ask a client to bring along next time."""

import copy
import time
from collections.abc import MutableMapping
from http import cookiejar as jars
from http.cookies import Morsel, SimpleCookie
from urllib.parse import urlsplit

# -- making


def make_cookie(name: str, value: str, **rest):
    """A cookie from its name, its value and what else is said of it: domain, path, secure, expires; TypeError for anything unknown.

    >>> make_cookie("a", "1").path
    '/'
    """
    about = {"version": 0, "port": None, "domain": "", "path": "/", "secure": False, "expires": None, "discard": True}
    about |= {"comment": None, "comment_url": None, "rest": {"HttpOnly": None}, "rfc2109": False}
    strange = sorted(set(rest) - set(about))
    if strange:
        raise TypeError(f"a cookie has no {', '.join(strange)}")
    about |= rest
    about |= {"port_specified": bool(about["port"]), "domain_specified": bool(about["domain"])}
    about |= {"domain_initial_dot": about["domain"].startswith("."), "path_specified": bool(about["path"])}
    return jars.Cookie(name=name, value=value, **about)


def cookie_of_morsel(morsel):
    """A cookie of what the standard library parsed of a Set-Cookie header; its age in seconds becomes a moment.

    >>> cookie_of_morsel(__import__("http.cookies").cookies.SimpleCookie("a=1; path=/x")["a"]).path
    '/x'
    """
    expires = None
    if morsel["max-age"]:
        try:
            expires = int(time.time() + int(morsel["max-age"]))
        except ValueError:
            raise TypeError(f"max-age: {morsel['max-age']} must be integer") from None
    elif morsel["expires"]:
        import calendar

        expires = calendar.timegm(time.strptime(morsel["expires"], "%a, %d-%b-%Y %H:%M:%S GMT"))
    said = {"domain": morsel["domain"], "path": morsel["path"], "secure": bool(morsel["secure"])}
    return make_cookie(morsel.key, morsel.value, expires=expires, discard=False, **said)


def read_morsel(line: str):
    """The first cookie of a Set-Cookie line, as the standard library reads it.

    >>> read_morsel("a=1; path=/x").key
    'a'
    """
    parsed = SimpleCookie(line)
    return next(iter(parsed.values()), Morsel())


# -- jar


class CookieStore(jars.CookieJar, MutableMapping):
    """A jar of cookies that reads like a dictionary of their values, by name and where needed by domain and path.

    >>> len(CookieStore())
    0
    """

    def get(self, name, default=None, domain=None, path=None):
        """The value of a cookie, else the default."""
        found = self.find(name, domain, path)
        return default if found is None else found.value

    def find(self, name, domain=None, path=None):
        """The cookie of that name; KeyError where several differ in domain or path, None where there is none."""
        known = [one for one in list(iter(self)) if one.name == name]
        known = [one for one in known if domain in (None, one.domain) and path in (None, one.path)]
        if len(known) > 1:
            raise KeyError(f"several cookies are called {name!r}")
        return known[0] if known else None

    def set(self, name, value, **rest):
        """Put a cookie in; None as a value takes it out."""
        if value is None:
            for cookie in [one for one in list(iter(self)) if one.name == name]:
                self.clear(cookie.domain, cookie.path, cookie.name)
            return None
        cookie = cookie_of_morsel(value) if isinstance(value, Morsel) else make_cookie(name, value, **rest)
        self.set_cookie(cookie)
        return cookie

    def __getitem__(self, name):
        found = self.find(name)
        if found is None:
            raise KeyError(name)
        return found.value

    def __setitem__(self, name, value):
        self.set(name, value)

    def __delitem__(self, name):
        self.set(name, None)

    def __contains__(self, name):
        return any(cookie.name == name for cookie in iter(self)) or super().__contains__(name)

    def iterkeys(self):
        """Names, one after the other."""
        return (cookie.name for cookie in iter(self))

    def itervalues(self):
        """Values, one after the other."""
        return (cookie.value for cookie in iter(self))

    def iteritems(self):
        """Pairs of name and value, one after the other."""
        return ((cookie.name, cookie.value) for cookie in iter(self))

    def keys(self):
        """A list of the names."""
        return list(self.iterkeys())

    def values(self):
        """A list of the values."""
        return list(self.itervalues())

    def items(self):
        """A list of the pairs."""
        return list(self.iteritems())

    def list_domains(self):
        """Domains, each once."""
        return list(dict.fromkeys(cookie.domain for cookie in iter(self)))

    def list_paths(self):
        """Paths, each once."""
        return list(dict.fromkeys(cookie.path for cookie in iter(self)))

    def multiple_domains(self):
        """Whether one domain has several cookies."""
        domains = [cookie.domain for cookie in iter(self) if cookie.domain is not None]
        return len(domains) != len(set(domains))

    def get_dict(self, domain=None, path=None):
        """Names and values of a domain and a path, as a plain dictionary."""
        own = [one for one in iter(self) if domain in (None, one.domain) and path in (None, one.path)]
        return {cookie.name: cookie.value for cookie in own}

    def update(self, other):
        """Take over the cookies of another jar, or the pairs of a dictionary."""
        if isinstance(other, jars.CookieJar):
            for cookie in other:
                self.set_cookie(copy.copy(cookie))
        else:
            for name, value in dict(other).items():
                self.set(name, value)

    def copy(self):
        """A jar of its own with the same cookies."""
        other = CookieStore()
        other.set_policy(self.get_policy())
        other.update(self)
        return other

    def get_policy(self):
        """What the jar accepts and hands out."""
        return self._policy

    def __getstate__(self):
        return {name: value for name, value in vars(self).items() if name != "_cookies_lock"}

    def __setstate__(self, state):
        import threading

        vars(self).update(state)
        self._cookies_lock = threading.RLock()


# -- exchange


def jar_of(pairs, jar=None, overwrite: bool = True):
    """A cookie jar of a dictionary of names and values, added to a jar where one is given; known names stay unless they may be overwritten.

    >>> jar_of({"a": "1"}).get_dict()
    {'a': '1'}
    """
    target = CookieStore() if jar is None else jar
    known = {cookie.name for cookie in iter(target)}
    for name, value in (pairs or {}).items():
        if overwrite or name not in known:
            target.set_cookie(make_cookie(name, value))
    return target


def plain_cookies(jar) -> dict:
    """Names and values of a cookie jar, as a dictionary.

    >>> plain_cookies([])
    {}
    """
    return {cookie.name: cookie.value for cookie in jar}


def add_cookies(jar, pairs):
    """Put the pairs of a dictionary, or another jar, into a cookie jar, and give it back.

    >>> [cookie.value for cookie in add_cookies(__import__("http.cookiejar").cookiejar.CookieJar(), {"b": "2"})]
    ['2']
    """
    if isinstance(pairs, jars.CookieJar):
        for cookie in pairs:
            jar.set_cookie(copy.copy(cookie))
        return jar
    return jar_of(pairs, jar)


def cookie_line(jar, address: str) -> str:
    """What a Cookie header says to an address: the cookies of its host and path, oldest path last.

    >>> cookie_line([], "http://x/")
    ''
    """
    parts = urlsplit(address)
    told = []
    for cookie in iter(jar):
        host = parts.hostname or ""
        in_domain = not cookie.domain or host == cookie.domain or host.endswith("." + cookie.domain.lstrip("."))
        if in_domain and (parts.path or "/").startswith(cookie.path) and (not cookie.secure or parts.scheme == "https"):
            told.append(f"{cookie.name}={cookie.value}")
    return "; ".join(told)
