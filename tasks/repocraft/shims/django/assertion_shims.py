"""Our stand-in for the assertions of the pinned release's `SimpleTestCase`; nothing of the library is needed for them.

They compare texts: HTML and XML by structure, JSON by value, messages by containment. A test compares them with the real ones.
"""

import asyncio
import copy
import contextlib
import inspect
import json
import re
import sys
import unittest
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urlsplit
from xml.etree import ElementTree

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
# Written alone, with an empty value or with their own name they say the same.
BOOLEAN = {
    "allowfullscreen", "async", "autofocus", "autoplay", "checked", "controls", "default", "disabled", "formnovalidate",
    "hidden", "ismap", "itemscope", "loop", "multiple", "muted", "nomodule", "novalidate", "open", "playsinline", "readonly",
    "required", "reversed", "selected",
}  # fmt: skip


class SimpleTestCase(unittest.TestCase):
    """unittest's own test case with assertions about web texts; tests may be coroutines, which unittest would not await."""

    def _callTestMethod(self, method):
        is_coroutine = inspect.iscoroutinefunction(method)
        return super()._callTestMethod((lambda: asyncio.run(method())) if is_coroutine else method)

    def assertRaisesMessage(self, expected_exception, expected_message, *args, **kwargs):
        return self._with_message(self.assertRaises(expected_exception), "exception", expected_message, args, kwargs)

    def assertWarnsMessage(self, expected_warning, expected_message, *args, **kwargs):
        return self._with_message(self.assertWarns(expected_warning), "warning", expected_message, args, kwargs)

    def _with_message(self, context, kind, expected_message, args, kwargs):
        @contextlib.contextmanager
        def checking():
            with context as caught:
                yield caught
            self.assertIn(expected_message, str(getattr(caught, kind)))

        if not args:
            return checking()
        function, *rest = args
        with checking():
            function(*rest, **kwargs)
        return None

    def assertHTMLEqual(self, html1, html2, msg=None):
        self.assertEqual(self._parsed(html1), self._parsed(html2), msg)

    def assertHTMLNotEqual(self, html1, html2, msg=None):
        self.assertNotEqual(self._parsed(html1), self._parsed(html2), msg)

    def assertInHTML(self, needle, haystack, count=None, msg_prefix=""):
        found = occurrences(self._parsed(needle), ("", (), self._parsed(haystack)))
        wanted = f"{count} times" if count is not None else "at least once"
        message = f"{msg_prefix}{needle!r} is there {found} times, not {wanted}, in {haystack!r}"
        self.assertTrue(found == count if count is not None else found > 0, message)

    def assertNotInHTML(self, needle, haystack, msg_prefix=""):
        self.assertInHTML(needle, haystack, count=0, msg_prefix=msg_prefix)

    def _parsed(self, text):
        try:
            return parsed_html(text)
        except ValueError as problem:
            self.fail(f"not valid HTML: {problem}\n{text}")

    def assertJSONEqual(self, raw, expected_data, msg=None):
        self.assertEqual(self._json(raw), self._expected_json(expected_data), msg)

    def assertJSONNotEqual(self, raw, expected_data, msg=None):
        self.assertNotEqual(self._json(raw), self._expected_json(expected_data), msg)

    def _json(self, raw):
        try:
            return json.loads(raw)
        except json.JSONDecodeError:
            self.fail(f"not valid JSON: {raw!r}")

    def _expected_json(self, expected):
        return self._json(expected) if isinstance(expected, str) else expected

    def assertXMLEqual(self, xml1, xml2, msg=None):
        self.assertEqual(self._xml(xml1), self._xml(xml2), msg)

    def assertXMLNotEqual(self, xml1, xml2, msg=None):
        self.assertNotEqual(self._xml(xml1), self._xml(xml2), msg)

    def _xml(self, text):
        try:
            return parsed_xml(text)
        except ElementTree.ParseError as problem:
            self.fail(f"not valid XML: {problem}\n{text}")

    def assertURLEqual(self, url1, url2, msg_prefix=""):
        self.assertEqual(parsed_url(url1), parsed_url(url2), f"{msg_prefix}{url1!r} != {url2!r}")


def parsed_html(text):
    """A tuple of texts and elements (name, attributes, children); white space and the order of attributes and classes are alike."""
    parser = Parser()
    parser.feed(str(text))
    parser.close()
    if len(parser.open) > 1:
        raise ValueError(f"<{parser.open[-1][0]}> is not closed")
    children = finished(parser.open[0][2])
    # A text alone stands for itself, as in a page.
    return children


class Parser(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = [("", (), [])]

    def handle_starttag(self, tag, attrs):
        element = (tag, tuple(sorted(map(attribute, attrs), key=repr)), [])
        self.open[-1][2].append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        while len(self.open) > 1:
            if self.open.pop()[0] == tag:
                return
        raise ValueError(f"unexpected </{tag}>")

    def handle_data(self, data):
        self.open[-1][2].append(data)


def attribute(pair):
    name, value = pair
    if name == "class" and value:
        return name, " ".join(sorted(value.split()))
    if name in BOOLEAN and (not value or value == name):
        return name, None
    return name, value or ""


def finished(children):
    """Neighbouring texts joined, white space collapsed, empty texts gone."""
    joined = []
    for child in children:
        if isinstance(child, str) and joined and isinstance(joined[-1], str):
            joined[-1] += child
        else:
            joined.append(child if isinstance(child, str) else (child[0], child[1], finished(child[2])))
    texts = [re.sub(r"[\t\n\f\r ]+", " ", child).strip() if isinstance(child, str) else child for child in joined]
    return tuple(child for child in texts if child)


def occurrences(needle, element):
    """How often a sequence of nodes stands in an element or below it; a text may be a part of a text."""
    children = element[2]
    if len(needle) == 1 and isinstance(needle[0], str):
        here = sum(child.count(needle[0]) for child in children if isinstance(child, str))
    else:
        here, place = 0, 0
        while place + len(needle) <= len(children):
            matches = children[place : place + len(needle)] == needle
            here += matches
            place += len(needle) if matches else 1
    return here + sum(occurrences(needle, child) for child in children if not isinstance(child, str))


def parsed_xml(text):
    """An element as a comparable tuple; white space around texts and the order of attributes are alike."""

    def node(element):
        children = tuple(node(child) for child in element)
        return element.tag, tuple(sorted(element.items())), (element.text or "").strip(), children, (element.tail or "").strip()

    return node(ElementTree.fromstring(text.strip()))


def parsed_url(url):
    """The parts of an address; the order of its query parameters is alike."""
    parts = urlsplit(str(url))
    query = sorted(parse_qsl(parts.query))
    return parts.scheme, parts.netloc, parts.path, query, parts.fragment


class TestCase(SimpleTestCase):
    """A test case whose rows are gone after it: of the class's own data each test gets a copy, in a transaction that is rolled back.

    The connection is that of the set-up at the head of the test file; a library without one has nothing to roll back.
    """

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls._connection = getattr(sys.modules[cls.__module__], "_connection", None)
        if cls._connection is not None:
            cls._connection.set_autocommit(False)
            cls.addClassCleanup(cls._leave)
        before = set(vars(cls))
        cls.setUpTestData()
        cls._data = {name: value for name, value in vars(cls).items() if name not in before}

    @classmethod
    def setUpTestData(cls):
        """Overridden by those that need rows in all their tests."""

    @classmethod
    def _leave(cls):
        cls._connection.rollback()
        cls._connection.set_autocommit(True)

    def run(self, result=None):
        memo = {}
        for name, value in self._data.items():
            setattr(self, name, copy.deepcopy(value, memo))
        mark = self._connection and self._connection.savepoint()
        try:
            return super().run(result)
        finally:
            if mark:
                self._connection.savepoint_rollback(mark)

    def assertQuerySetEqual(self, qs, values, transform=None, ordered=True, msg=None):
        items = list(map(transform, qs)) if transform else list(qs)
        return self.assertEqual(items, list(values), msg) if ordered else self.assertCountEqual(items, list(values), msg)
