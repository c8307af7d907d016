"""What is told of a test, as data: its clauses, and before each what its names mean, what was done, and when it holds."""

import ast
from dataclasses import dataclass
from itertools import groupby


@dataclass(frozen=True)
class Told:
    """Something that stands before a clause, since when it holds, and in words."""

    time: int
    text: str


@dataclass(frozen=True)
class Meaning(Told):
    """What a name means: `value`. Of a class `kind` says no more than what it is a kind of, of everything else all."""

    kind: str
    value: ast.AST


@dataclass(frozen=True)
class Deed(Told):
    """What a test did before it looked; `done` says it without the conditions that it was done under."""

    done: str


@dataclass(frozen=True)
class Heading(Told):
    """When, or over what, a clause holds: in the turns of a loop, under a condition, or else in some surroundings."""

    is_loop: bool = False
    is_condition: bool = False
    # Whether it is what is left where no condition holds.
    is_else: bool = False


# What begins at the same time is told in this order.
ORDER = [Meaning, Deed, Heading]


@dataclass(frozen=True)
class Clause:
    """What a test asserts in one place: `body`, after what has to be told `before` it, and how what it holds for ended (`closing`)."""

    body: str
    before: tuple[Told, ...] = ()
    closing: str = ""
    # The call of which no more is asked than that it can be made.
    accepted: ast.Call | None = None

    @property
    def text(self):
        return self.closing + "".join(words_before(kind, [told.text for told in some]) for kind, some in groupby(self.before, key=type)) + self.body


def in_order(told):
    """What is told before a clause, in the order of the test."""
    return tuple(sorted(told, key=lambda entry: (entry.time, ORDER.index(type(entry)))))


def words_before(kind, texts):
    """What names mean, what was done, and when it holds, before a clause: the same to the same thing in one."""
    if kind is Heading:
        return "".join(f"{text}: " for text in texts)
    if kind is Meaning:
        return f"with {', '.join(texts)}: "
    told = []
    for act in reversed([repeated(act, len(list(same))) for act, same in groupby(texts)]):
        what, _, given = act.partition(" given ")
        following = told[0].partition(" given ") if told else ("", "", "")
        if given and what == following[0] and following[2]:
            told[0] = f"{what} given {given} and {following[2]}"
        else:
            told.insert(0, act)
    return f"after {' and '.join(told)}, "


def repeated(act, times):
    return act if times == 1 else f"{act} {'twice' if times == 2 else f'{times} times'}"
