"""Requests as they are asked for and as they are sent, and what comes back."""

import datetime
import json
from urllib.parse import urlsplit, urlunsplit

from httpkit.addresses import credentials_in, escape_address, query_text
from httpkit.containers import Headers, length_of, pairs_of, pieces_of
from httpkit.cookies import CookieStore, cookie_line, jar_of
from httpkit.failures import BadAddress, BadHeader, ErrorStatus
from httpkit.texts import basic_credentials, check_header, decoded_pieces, json_encoding, link_targets, name_of_file, text_of

# -- bodies


def multipart_body(fields, files, boundary: str = "e8b1f0c2d4a64f7e") -> bytes:
    """Fields of a form and files in one body of several parts; a file is its content, or name, content and type.

    >>> multipart_body({"a": "1"}, {}, "x")[:3]
    b'--x'
    """
    parts = []
    for name, value in pairs_of(fields) or []:
        for one in value if isinstance(value, (list, tuple)) else [value]:
            content = one if isinstance(one, bytes) else str(one).encode()
            parts.append((f'name="{text_of(name, "utf-8")}"', None, content))
    for name, given in pairs_of(files) or []:
        filename, content, kind = (*given, None, None)[:3] if isinstance(given, tuple) else (name_of_file(given) or name, given, None)
        data = content.read() if hasattr(content, "read") else content
        raw = data.encode() if isinstance(data, str) else data
        parts.append((f'name="{name}"; filename="{filename}"', kind, raw or b""))
    lines = b""
    for about, kind, content in parts:
        typed = f"\r\nContent-Type: {kind}" if kind else ""
        lines += f"--{boundary}\r\nContent-Disposition: form-data; {about}{typed}\r\n\r\n".encode() + content + b"\r\n"
    return lines + f"--{boundary}--\r\n".encode()


def default_hooks() -> dict:
    """Lists of functions by the event they are called at: at a reply.

    >>> default_hooks()
    {'response': []}
    """
    return {event: [] for event in ("response",)}


def call_hooks(event, hooks, data, **options):
    """Hand data to each function that waits for an event; what a function gives back takes the place of the data.

    >>> call_hooks("response", {"response": [lambda text: text[1:]]}, "data")
    'ata'
    """
    waiting = (hooks or {}).get(event) or []
    for hook in [waiting] if callable(waiting) else waiting:
        given = hook(data, **options)
        data = data if given is None else given
    return data


# -- requests


class PreparedRequest:
    """A request as it will be sent: method, address, headers and body, each final.

    >>> PreparedRequest().method is None
    True
    """

    def __init__(self):
        self.method = self.url = self.headers = self.body = None
        self._cookies = None
        self.hooks = default_hooks()

    def prepare(self, method=None, url=None, headers=None, files=None, data=None, params=None, auth=None, cookies=None, hooks=None, json=None):
        """Make every part final, in the order in which they depend on one another."""
        self.prepare_method(method)
        self.prepare_url(url, params)
        self.prepare_headers(headers)
        self.prepare_cookies(cookies)
        self.prepare_body(data, files, json)
        self.prepare_auth(auth, url or "")
        self.prepare_hooks(hooks)

    def copy(self):
        """The same request, independent of this one."""
        other = PreparedRequest()
        other.method, other.url, other.body = self.method, self.url, self.body
        other.headers = None if self.headers is None else self.headers.copy()
        other._cookies = None if self._cookies is None else self._cookies.copy()
        other.hooks = self.hooks
        return other

    def prepare_method(self, method):
        """Methods are sent in capitals."""
        self.method = None if method is None else text_of(method).upper()

    def prepare_url(self, url, params):
        """Escape the address and put the query to it."""
        address = (url.decode("utf8") if isinstance(url, bytes) else str(url)).lstrip()
        if ":" in address and not address.lower().startswith("http"):
            self.url = address
            return
        parts = urlsplit(address)
        if not parts.scheme:
            raise BadAddress(f"{address!r} has no scheme; perhaps https://{address} is meant")
        if not parts.hostname or parts.hostname.startswith(("*", ".")):
            raise BadAddress(f"{address!r} has no host")
        host = parts.netloc
        if any(ord(character) > 127 for character in host):
            try:
                host = host.encode("idna").decode("ascii")
            except UnicodeError:
                raise BadAddress(f"{address!r} has a label that is none") from None
        more = text_of(query_text(params) or "", "utf-8")
        query = "&".join(part for part in (parts.query, more) if part)
        self.url = escape_address(urlunsplit((parts.scheme, host, parts.path or "/", query, parts.fragment)))

    def prepare_headers(self, headers):
        """Refuse what cannot be sent."""
        self.headers = Headers()
        for name, value in (headers or {}).items():
            try:
                check_header(name, value)
            except ValueError as failure:
                raise BadHeader(str(failure)) from None
            self.headers[text_of(name)] = value

    def prepare_body(self, data, files, json_value=None):
        """The body, with its length and what it is."""
        body, kind = data or None, None
        if not data and json_value is not None:
            body, kind = json.dumps(json_value, allow_nan=False).encode(), "application/json"
        elif files:
            boundary = "e8b1f0c2d4a64f7e"
            body, kind = multipart_body(data or {}, files, boundary), f"multipart/form-data; boundary={boundary}"
        elif data and not isinstance(data, (str, bytes)) and not hasattr(data, "read") and not hasattr(data, "__next__"):
            body, kind = query_text(data), "application/x-www-form-urlencoded"
        elif isinstance(data, (str, bytes)) and data:
            kind = None if isinstance(data, bytes) and b"=" not in data else "application/x-www-form-urlencoded"
        self.body = body
        if kind and "content-type" not in self.headers:
            self.headers["Content-Type"] = kind
        self.prepare_content_length(body)

    def prepare_content_length(self, body):
        """How long the body is, where that can be known; pieces are sent as they come."""
        length = 0 if body is None else length_of(body)
        if length:
            self.headers["Content-Length"] = str(length)
        elif body is not None and hasattr(body, "__iter__"):
            self.headers["Transfer-Encoding"] = "chunked"
        elif self.method not in ("GET", "HEAD", None):
            self.headers["Content-Length"] = "0"

    def prepare_auth(self, auth, url=""):
        """Let credentials write themselves into the request; a pair is basic ones."""
        found = auth or (credentials_in(self.url) if any(credentials_in(self.url or "")) else None)
        if isinstance(found, tuple) and len(found) == 2:
            self.headers["Authorization"] = basic_credentials(*found)
        elif found:
            changed = found(self)
            vars(self).update(vars(changed))
            self.prepare_content_length(self.body)

    def prepare_cookies(self, cookies):
        """Say which cookies the client brings."""
        self._cookies = cookies if hasattr(cookies, "set_cookie") else jar_of(cookies)
        line = cookie_line(self._cookies, self.url or "")
        if line:
            self.headers["Cookie"] = line

    def prepare_hooks(self, hooks):
        """Remember who waits for the reply."""
        for event, waiting in (hooks or {}).items():
            self.hooks[event] = [waiting] if callable(waiting) else list(waiting)


class Request:
    """A request as a user asks for it; prepared, it can be sent.

    >>> Request("GET", "http://example.com/a b").prepare().url
    'http://example.com/a%20b'
    """

    def __init__(self, method=None, url=None, headers=None, files=None, data=None, params=None, auth=None, cookies=None, hooks=None, json=None):
        self.method, self.url = method, url
        self.headers, self.files = {} if headers is None else headers, [] if files is None else files
        self.data, self.json = [] if data is None else data, json
        self.params, self.auth, self.cookies = {} if params is None else params, auth, cookies
        self.hooks = default_hooks()
        for event, hook in (hooks or {}).items():
            self.register_hook(event, hook)

    def register_hook(self, event, hook):
        """Have a function, or several, called at an event."""
        if event not in self.hooks:
            raise ValueError(f'Unsupported event specified, with event name "{event}"')
        self.hooks[event].extend([hook] if callable(hook) else [one for one in hook if callable(one)])

    def deregister_hook(self, event, hook):
        """Take a function away again; whether it was there."""
        there = hook in self.hooks[event]
        if there:
            self.hooks[event].remove(hook)
        return there

    def prepare(self):
        """The request as it will be sent."""
        ready = PreparedRequest()
        about = {name: getattr(self, name) for name in ("headers", "files", "data", "params", "auth", "cookies", "hooks", "json")}
        ready.prepare(self.method, self.url, **about)
        return ready

    def __repr__(self):
        return f"<Request [{self.method}]>"


# -- replies


class Response:
    """What a server answered: status, headers, cookies and content, read at once or piece by piece.

    >>> Response().ok
    True
    """

    def __init__(self):
        self._content, self._read = False, False
        self.status_code = self.raw = self.url = self.encoding = self.reason = self.request = None
        self.headers, self.history, self.cookies = Headers(), [], CookieStore()
        self.elapsed = datetime.timedelta(0)

    def __bool__(self):
        return self.ok

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __iter__(self):
        return self.iter_content(128)

    def __getstate__(self):
        kept = ("status_code", "url", "encoding", "reason", "request", "headers", "history", "cookies", "elapsed")
        return {"_content": self.content, **{name: getattr(self, name) for name in kept}}

    def __setstate__(self, state):
        vars(self).update(state, _read=True, raw=None)

    def __repr__(self):
        return f"<Response [{self.status_code}]>"

    @property
    def ok(self):
        """Whether the status is below 400."""
        try:
            self.raise_for_status()
        except ErrorStatus:
            return False
        return True

    @property
    def is_redirect(self):
        """Whether it sends the caller elsewhere."""
        return "location" in self.headers and self.status_code in (301, 302, 303, 307, 308)

    @property
    def is_permanent_redirect(self):
        """Whether it does so for ever."""
        return "location" in self.headers and self.status_code in (301, 308)

    @property
    def content(self):
        """All bytes of the reply."""
        if self._content is False:
            self._content = None if self.raw is None or not self.status_code else b"".join(self.iter_content(10240))
            self._read = True
        return self._content

    @property
    def text(self):
        """The content as text, by the encoding of the reply or, where it names none, a guess."""
        content = self.content
        if not content:
            return ""
        encoding = self.encoding or self.apparent_encoding
        try:
            return content.decode(encoding or "utf-8", errors="replace")
        except (LookupError, TypeError):
            return content.decode("utf-8", errors="replace")

    @property
    def apparent_encoding(self):
        """A guess of the encoding by the content alone."""
        for name in ("ascii", "utf-8"):
            try:
                (self.content or b"").decode(name)
                return name
            except UnicodeDecodeError:
                continue
        return "ISO-8859-1"

    @property
    def links(self):
        """Links of the Link header, by their relation or their address."""
        found = link_targets(self.headers.get("link", ""))
        return {link.get("rel") or link.get("url"): link for link in found}

    def json(self, **options):
        """The content read as JSON."""
        content = self.content or b""
        encoding = self.encoding or json_encoding(content) or "utf-8"
        return json.loads(content.decode(encoding), **options)

    def iter_content(self, chunk_size=1, decode_unicode=False):
        """The content in pieces of a size, decoded where that is asked for."""
        if chunk_size is not None and not isinstance(chunk_size, int):
            raise TypeError(f"chunk_size must be an int, it is instead a {type(chunk_size)}.")
        if self._read and isinstance(self._content, bytes):
            pieces = pieces_of(self._content, chunk_size)
        else:
            pieces = iter(lambda: self.raw.read(chunk_size) if chunk_size else self.raw.read(), b"")
        return decoded_pieces(pieces, self.encoding) if decode_unicode else pieces

    def iter_lines(self, chunk_size=512, decode_unicode=False, delimiter=None):
        """The content line by line, whatever pieces it comes in."""
        rest = None
        for piece in self.iter_content(chunk_size, decode_unicode):
            whole = piece if rest is None else rest + piece
            lines = whole.split(delimiter) if delimiter else whole.splitlines()
            is_cut = bool(lines and lines[-1] and whole and lines[-1][-1:] == whole[-1:])
            rest = lines.pop() if is_cut else None
            yield from lines
        if rest is not None:
            yield rest

    def raise_for_status(self):
        """Raise ErrorStatus where the status is one of an error."""
        status = self.status_code or 0
        if 400 <= status < 600:
            whose = "Client" if status < 500 else "Server"
            reason = text_of(self.reason or "", "utf-8")
            raise ErrorStatus(f"{status} {whose} Error: {reason} for url: {self.url}", response=self)

    def close(self):
        """Give the connection back."""
        if hasattr(self.raw, "close"):
            self.raw.close()
