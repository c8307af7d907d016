"""What is told of a test, as data: its clauses, and before each what its names mean, what was done, and when it holds."""

import ast
from dataclasses import dataclass
from itertools import groupby

from doings import Doing, explained, in_a_row, in_one


@dataclass(frozen=True)
class Told:
    """Something that stands before a clause, since when it holds."""

    time: int


@dataclass(frozen=True)
class Meaning(Told):
    """What a name means: `value`. Of a class `kind` says no more than what it is a kind of, of everything else all."""

    text: str
    kind: str
    value: ast.AST


@dataclass(frozen=True)
class Heading(Told):
    """When, or over what, a clause holds: in the turns of a loop, under a condition, or else in some surroundings."""

    text: str
    is_loop: bool = False
    is_condition: bool = False
    # Whether it is what is left where no condition holds.
    is_else: bool = False


@dataclass(frozen=True)
class Deed(Told):
    """What a test did before it looked."""

    doing: Doing

    @property
    def text(self):
        return self.doing.text


# What begins at the same time is told in this order.
ORDER = [Meaning, Deed, Heading]


@dataclass(frozen=True)
class Clause:
    """What a test asserts in one place: `body`, after what has to be told `before` it, and how what it holds for ended (`closing`)."""

    body: str
    before: tuple[Told, ...] = ()
    closing: str = ""
    # The conditions that it stands under.
    under: tuple[Heading, ...] = ()
    # The call of which no more is asked than that it can be made.
    accepted: ast.Call | None = None

    @property
    def text(self):
        return self.closing + "".join(words_before(kind, list(some)) for kind, some in groupby(self.before, key=type)) + self.body


def in_order(told):
    """What is told before a clause, in the order of the test."""
    return tuple(sorted(told, key=lambda entry: (entry.time, ORDER.index(type(entry)))))


def words_before(kind, told):
    """What names mean, what was done, and when it holds, before a clause."""
    if kind is Heading:
        return "".join(f"{heading.text}: " for heading in told)
    if kind is Meaning:
        return explained([meaning.text for meaning in told], "")
    return f"after {in_a_row(in_one([deed.doing for deed in told]))}, "
