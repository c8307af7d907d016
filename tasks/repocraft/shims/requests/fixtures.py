"""Our stand-ins for the common fixtures of the pinned release's conftest.

They behave like the originals (a test compares both) but import nothing of the library under test.
"""

import ssl
import threading
from http.server import HTTPServer, SimpleHTTPRequestHandler
from urllib.parse import urljoin

import pytest


def server_address_builder(server):
    """Return a function that joins path pieces onto the server's address, which always ends in one slash."""
    root = server.url.rstrip("/") + "/"

    def build(*pieces):
        return urljoin(root, "/".join(pieces))

    return build


@pytest.fixture
def httpbin(httpbin):
    return server_address_builder(httpbin)


@pytest.fixture
def httpbin_secure(httpbin_secure):
    return server_address_builder(httpbin_secure)


@pytest.fixture
def nosan_server(tmp_path_factory):
    """A TLS server whose certificate has a common name and no subjectAltName: (host, port, path of the CA bundle)."""
    import trustme

    authority = trustme.CA()
    bundle = tmp_path_factory.mktemp("authority") / "authority.pem"
    authority.cert_pem.write_to_path(str(bundle))
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(common_name="localhost").configure_cert(context)
    server = HTTPServer(("localhost", 0), SimpleHTTPRequestHandler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield "localhost", server.server_address[1], str(bundle)
    server.shutdown()
    server.server_close()
    thread.join()
