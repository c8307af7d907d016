"""Ours, for the pinned release of requests: kept off the network."""

import pytest
import requests
from requests.structures import CaseInsensitiveDict
from requests.utils import parse_header_links, super_len


@pytest.mark.parametrize("text, length", [("abc", 3), ("", 0), (b"four", 4)])
def test_length(text, length):
    assert super_len(text) == length


def test_headers():
    headers = CaseInsensitiveDict({"Accept": "text/html"})
    assert headers["ACCEPT"] == "text/html"
    assert headers == {"accept": "text/html"}
    del headers["aCCept"]
    assert len(headers) == 0


class TestPrepared:
    def test_query(self):
        request = requests.Request("GET", "http://example.org/a", params={"b": "c"}).prepare()
        assert request.url == "http://example.org/a?b=c"

    def test_refused(self):
        with pytest.raises(requests.exceptions.MissingSchema):
            requests.Request("GET", "example.org").prepare()


def test_links():
    found = parse_header_links('<http://x/1>; rel=next; type="image/png"')
    assert found == [{"url": "http://x/1", "rel": "next", "type": "image/png"}]
