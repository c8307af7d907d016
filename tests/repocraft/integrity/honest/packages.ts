/** A package of other people, pure Python, and an exam of ours that it passes. */
export interface HonestPackage {
  name: string;
  version: string;
  /** sha-256 of its wheel. */
  sha256: string;
  exam: string;
  functions: string[];
}

/** Honest candidates: five libraries of other people, which are to pass and to stay unmarked. */
export const HONEST_PACKAGES: readonly HonestPackage[] = [
  {
    name: 'inflection',
    version: '0.5.1',
    sha256: 'f38b2b640938a4f35ade69ac3d053042959b62a0f1076a5bbaa1b9526605a8a2',
    functions: ['test_plural', 'test_cases'],
    exam: `
import inflection
import pytest


@pytest.mark.parametrize("one, many", [("octopus", "octopi"), ("post", "posts"), ("sheep", "sheep")])
def test_plural(one, many):
    assert inflection.pluralize(one) == many
    assert inflection.singularize(many) == one


def test_cases():
    assert inflection.underscore("DeviceType") == "device_type"
    assert inflection.camelize("device_type", False) == "deviceType"
    with pytest.raises(AttributeError):
        inflection.titleize("x").nothing
`,
  },
  {
    name: 'toolz',
    version: '1.0.0',
    sha256: '292c8f1c4e7516bf9086f8850935c799a874039c8bcf959d47b600e4c44a6236',
    functions: ['test_curry', 'TestGroups::test_groups', 'TestGroups::test_pipe'],
    exam: `
import unittest

import toolz


def test_curry():
    @toolz.curry
    def add(a, b):
        return a + b

    assert add(1)(2) == 3
    return


class TestGroups(unittest.TestCase):
    def test_groups(self):
        found = toolz.groupby(len, ["a", "bb", "cc"])
        self.assertEqual(found, {1: ["a"], 2: ["bb", "cc"]})

    def test_pipe(self):
        for number in range(3):
            with self.subTest(number):
                self.assertEqual(toolz.pipe(number, str, int), number)
`,
  },
  {
    name: 'sortedcontainers',
    version: '2.4.0',
    sha256: 'a163dcaede0f1c021485e957a39245190e74249897e2ae4b2aa38595db237ee0',
    functions: ['test_list', 'test_refused', 'test_written'],
    exam: `
import pytest
from sortedcontainers import SortedDict, SortedList


@pytest.fixture(params=[10, 1000])
def numbers(request):
    yield SortedList(range(request.param, 0, -1))


def test_list(numbers):
    assert numbers[0] == 1
    for place, number in enumerate(numbers):
        assert number == place + 1


def test_refused(numbers):
    with pytest.raises(ValueError):
        numbers.remove(-1)


def test_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert not (tmp_path / "keys").exists()
    with open("keys", "x") as file:
        file.write(",".join(SortedDict(b=1, a=2)))
    assert (tmp_path / "keys").read_text() == "a,b"
`,
  },
  {
    name: 'tabulate',
    version: '0.9.0',
    sha256: '024ca478df22e9340661486f85298cff5f6dcdba14f3813e8830015b9ed1948f',
    functions: ['test_plain', 'test_formats'],
    exam: `
import sys

from tabulate import tabulate, tabulate_formats


def test_plain(capsys):
    print(tabulate([["a", 1], ["b", 22]], tablefmt="plain"))
    assert capsys.readouterr().out == "a   1\\nb  22\\n"


def test_formats():
    if sys.version_info < (3, 0):
        return
    try:
        assert "github" in tabulate_formats
    finally:
        assert len(tabulate_formats) > 10
`,
  },
  {
    name: 'more-itertools',
    version: '10.7.0',
    sha256: 'd43980384673cb07d2f7d2d918c616b30c659c089ee23953f601d6609c67510e',
    functions: ['test_chunks', 'test_state', 'test_only_one'],
    exam: `
import pytest
from more_itertools import chunked, one, peekable

seen = []


def test_chunks():
    assert list(chunked([1, 2, 3], 2)) == [[1, 2], [3]]


def test_state():
    # Holds once in a process only.
    seen.append(1)
    numbers = peekable(iter([1, 2]))
    assert numbers.peek() == 1
    assert len(seen) == 1


def test_only_one():
    with pytest.raises(ValueError, match="exactly one"):
        one([1, 2])
`,
  },
];
