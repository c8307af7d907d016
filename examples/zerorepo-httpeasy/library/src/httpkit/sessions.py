"""Sending requests, and what a client keeps between them."""

import hashlib
import os
import time
from datetime import timedelta
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urljoin, urlsplit

from httpkit.addresses import choose_proxy, environment_proxies, stored_credentials
from httpkit.containers import Headers, combine_settings
from httpkit.cookies import CookieStore, add_cookies, cookie_of_morsel, read_morsel
from httpkit.failures import NoConnection, TooManyHops
from httpkit.messages import Request, Response, call_hooks, default_hooks
from httpkit.texts import basic_credentials, charset_of, header_pairs

# -- credentials


class BasicAuth:
    """Credentials that are sent with every request, as a name and a password.

    >>> BasicAuth("user", "pass") == BasicAuth("user", "pass")
    True
    """

    def __init__(self, username, password):
        self.username, self.password = username, password

    def __eq__(self, other):
        return (self.username, self.password) == (getattr(other, "username", None), getattr(other, "password", None))

    def __call__(self, request):
        request.headers["Authorization"] = basic_credentials(self.username, self.password)
        return request


class DigestAuth:
    """Credentials that prove a password without sending it: the answer to a server's challenge.

    >>> DigestAuth("user", "pass").challenge
    {}
    """

    def __init__(self, username, password):
        self.username, self.password, self.challenge, self.count = username, password, {}, 0

    def __eq__(self, other):
        return (self.username, self.password) == (getattr(other, "username", None), getattr(other, "password", None))

    def build_digest_header(self, method, url):
        """The Authorization header for a request, by the last challenge."""
        said = self.challenge
        algorithm = (said.get("algorithm") or "MD5").upper()
        maker = {"MD5": hashlib.md5, "SHA": hashlib.sha1, "SHA-256": hashlib.sha256, "SHA-512": hashlib.sha512}.get(algorithm.removesuffix("-SESS"))
        if maker is None:
            return None
        parts = urlsplit(url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")

        def hashed(text):
            return maker(text.encode()).hexdigest()

        self.count += 1
        count, own = f"{self.count:08x}", hashlib.sha1(os.urandom(16)).hexdigest()[:16]
        secret = hashed(f"{self.username}:{said['realm']}:{self.password}")
        asked = hashed(f"{method}:{path}")
        quality = "auth" if "auth" in said.get("qop", "").split(",") else None
        middle = f"{said['nonce']}:{count}:{own}:{quality}" if quality else said["nonce"]
        answer = hashed(f"{secret}:{middle}:{asked}")
        fields = f'username="{self.username}", realm="{said["realm"]}", nonce="{said["nonce"]}", uri="{path}", response="{answer}"'
        more = f', opaque="{said["opaque"]}"' if said.get("opaque") else ""
        named = f', algorithm="{said["algorithm"]}"' if said.get("algorithm") else ""
        return f"Digest {fields}{more}{named}" + (f', qop="auth", nc={count}, cnonce="{own}"' if quality else "")

    def __call__(self, request):
        if self.challenge:
            request.headers["Authorization"] = self.build_digest_header(request.method, request.url)
        request.hooks.setdefault("response", []).append(self.answer)
        return request

    def answer(self, response, **options):
        """Ask once more, with the proof, where the server challenged."""
        said = response.headers.get("www-authenticate", "")
        if response.status_code != 401 or "digest" not in said.lower() or "Digest" in str(response.request.headers.get("Authorization")):
            return response
        self.challenge = header_pairs(said.partition(" ")[2])
        again = response.request.copy()
        again.headers["Authorization"] = self.build_digest_header(again.method, again.url)
        second = response.connection.send(again, **options)
        second.history.append(response)
        second.request = again
        return second


# -- transport


class Transport:
    """Sends a prepared request over a connection of its own and reads the head of the reply.

    >>> Transport().close() is None
    True
    """

    def send(self, request, stream=False, timeout=None, verify=True, cert=None, proxies=None):
        """The reply to a prepared request; NoConnection where nobody answers."""
        parts = urlsplit(request.url)
        proxy = choose_proxy(request.url, proxies)
        target = urlsplit(proxy) if proxy else parts
        kind = HTTPSConnection if target.scheme == "https" else HTTPConnection
        limit = timeout[0] if isinstance(timeout, tuple) else timeout
        connection = kind(target.hostname, target.port, timeout=limit)
        path = request.url if proxy else (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        started = time.monotonic()
        try:
            chunked = request.headers.get("Transfer-Encoding") == "chunked"
            headers = {name: value for name, value in request.headers.items() if name != "Transfer-Encoding" or chunked}
            connection.request(request.method, path, body=request.body, headers=headers, encode_chunked=chunked)
            raw = connection.getresponse()
        except (OSError, HTTPException) as failure:
            connection.close()
            raise NoConnection(str(failure), request=request) from failure
        reply = self.build_response(request, raw)
        reply.elapsed = timedelta(seconds=time.monotonic() - started)
        return reply

    def build_response(self, request, raw):
        """A reply of what the connection read."""
        reply = Response()
        reply.status_code, reply.reason, reply.raw, reply.request, reply.url = raw.status, raw.reason, raw, request, request.url
        reply.connection = self
        for name, value in raw.getheaders():
            reply.headers[name] = f"{reply.headers[name]}, {value}" if name in reply.headers else value
            if name.lower() == "set-cookie":
                reply.cookies.set_cookie(cookie_of_morsel(read_morsel(value)))
        reply.encoding = charset_of(reply.headers)
        return reply

    def close(self):
        """Nothing is kept."""


# -- clients


class Session:
    """A client that keeps headers, credentials and cookies between its requests, and follows where it is sent.

    >>> Session().max_redirects
    30
    """

    def __init__(self):
        self.headers = Headers({"User-Agent": "httpeasy", "Accept-Encoding": "identity", "Accept": "*/*", "Connection": "keep-alive"})
        self.auth, self.params, self.proxies, self.hooks = None, {}, {}, default_hooks()
        self.stream, self.verify, self.cert, self.trust_env, self.max_redirects = False, True, None, True, 30
        self.cookies, self.adapters = CookieStore(), {}
        self.mount("https://", Transport())
        self.mount("http://", Transport())

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def mount(self, prefix, adapter):
        """Send what begins with a prefix by an adapter; the longest prefix counts."""
        self.adapters[prefix] = adapter
        self.adapters = dict(sorted(self.adapters.items(), key=lambda entry: -len(entry[0])))

    def get_adapter(self, url):
        """Who sends to an address."""
        for prefix, adapter in self.adapters.items():
            if url.lower().startswith(prefix.lower()):
                return adapter
        raise ValueError(f"No connection adapters were found for {url!r}")

    def prepare_request(self, request):
        """A request as it will be sent, with what the session shares."""
        cookies = add_cookies(self.cookies.copy(), request.cookies or {})
        auth = request.auth or self.auth or (stored_credentials(request.url) if self.trust_env else None)
        headers = combine_settings(Headers(request.headers), self.headers)
        params = combine_settings(request.params, self.params)
        merged = Request(request.method, request.url, headers, request.files, request.data, params, auth, cookies, json=request.json)
        merged.hooks = request.hooks if any(request.hooks.values()) else self.hooks
        return merged.prepare()

    def request(self, method, url, params=None, data=None, headers=None, cookies=None, files=None, auth=None, **more):
        """Make a request and return the reply: hooks, json, timeout, allow_redirects, proxies, stream, verify and cert may be said too."""
        asked = Request(method.upper(), url, headers, files, data, params, auth, cookies, more.get("hooks"), more.get("json"))
        ready = self.prepare_request(asked)
        known = environment_proxies(ready.url) if self.trust_env else {}
        options = {name: more[name] for name in ("timeout", "allow_redirects", "stream", "verify", "cert") if more.get(name) is not None}
        return self.send(ready, proxies=known | (self.proxies or {}) | (more.get("proxies") or {}), **options)

    def get(self, url, **options):
        """Ask for a resource."""
        return self.request("GET", url, **options)

    def options(self, url, **options):
        """Ask what can be done with it."""
        return self.request("OPTIONS", url, **options)

    def head(self, url, **options):
        """Ask for its headers alone."""
        return self.request("HEAD", url, **{"allow_redirects": False, **options})

    def post(self, url, data=None, json=None, **options):
        """Hand something in."""
        return self.request("POST", url, data=data, json=json, **options)

    def put(self, url, data=None, **options):
        """Store something."""
        return self.request("PUT", url, data=data, **options)

    def patch(self, url, data=None, **options):
        """Change a part."""
        return self.request("PATCH", url, data=data, **options)

    def delete(self, url, **options):
        """Take it away."""
        return self.request("DELETE", url, **options)

    def send(self, request, allow_redirects=True, **options):
        """Send a prepared request, and follow where the server points."""
        if isinstance(request, Request):
            raise ValueError("You can only send PreparedRequests.")
        for name in ("proxies", "stream", "verify", "cert"):
            options.setdefault(name, getattr(self, name))
        reply = self.get_adapter(request.url).send(request, **options)
        reply = call_hooks("response", request.hooks, reply, **options)
        for one in [*reply.history, reply]:
            add_cookies(self.cookies, one.cookies)
        seen = []
        while allow_redirects and reply.is_redirect:
            if len(seen) >= self.max_redirects:
                raise TooManyHops(f"Exceeded {self.max_redirects} redirects.", response=reply)
            _ = reply.content
            seen.append(reply)
            onward = self.next_request(reply)
            reply = self.get_adapter(onward.url).send(onward, **options)
            reply = call_hooks("response", onward.hooks, reply, **options)
            add_cookies(self.cookies, reply.cookies)
        reply.history = [*reply.history, *seen]
        if not options["stream"]:
            _ = reply.content
        return reply

    def next_request(self, reply):
        """The request that follows a reply which points elsewhere."""
        onward = reply.request.copy()
        target = urljoin(reply.url, reply.headers["location"])
        old, new = urlsplit(onward.url), urlsplit(target)
        onward.url = target if new.fragment or not old.fragment else f"{target}#{old.fragment}"
        onward.method = self.rebuild_method(onward.method, reply.status_code)
        if reply.status_code not in (307, 308):
            for name in ("Content-Length", "Content-Type", "Transfer-Encoding"):
                onward.headers.pop(name, None)
            onward.body = None
        if self.should_strip_auth(old.geturl(), target):
            onward.headers.pop("Authorization", None)
        onward.headers.pop("Cookie", None)
        onward.prepare_cookies(self.cookies)
        return onward

    def rebuild_method(self, method, status):
        """Which method follows a status that points elsewhere."""
        if (status in (302, 303) and method != "HEAD") or (status == 301 and method == "POST"):
            return "GET"
        return method

    def should_strip_auth(self, old_url, new_url):
        """Whether credentials may not go along: another host, or a change that is no upgrade to TLS."""
        old, new = urlsplit(old_url), urlsplit(new_url)
        if old.hostname != new.hostname:
            return True
        ports = {"http": (80, None), "https": (443, None)}
        if (old.scheme, new.scheme) == ("http", "https") and old.port in (80, None) and new.port in (443, None):
            return False
        same = old.scheme == new.scheme and (old.port == new.port or {old.port, new.port} <= set(ports.get(old.scheme, ())))
        return not same

    def close(self):
        """Close what adapters keep."""
        for adapter in self.adapters.values():
            adapter.close()
