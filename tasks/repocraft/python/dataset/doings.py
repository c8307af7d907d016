"""What is done, as data: by a test before it looks, or by a function that it defines. It is put into words when all of it is known."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby


@dataclass(frozen=True, kw_only=True)
class Doing:
    """Something that is done, so many times, after what the names mean that it speaks of."""

    meanings: tuple[str, ...] = ()
    times: int = 1

    @cached_property
    def text(self):
        text = explained(self.meanings, self.words)
        return f"({text}){often(self.times)}" if self.is_open and self.times > 1 else f"{text}{often(self.times)}"

    @property
    def done(self):
        """What it is without the conditions that it is done under."""
        return self.text

    @property
    def is_open(self):
        """Whether what follows would seem to belong to it."""
        return bool(self.meanings)

    @property
    def takes_else(self):
        """Whether an `otherwise` that follows would seem to be its own."""
        return False


@dataclass(frozen=True)
class Single(Doing):
    """One thing that is done: `what`, and of what takes something what it is `given`."""

    what: str
    given: str = ""

    @property
    def words(self):
        return f"{self.what} given {self.given}" if self.given else self.what


@dataclass(frozen=True)
class Headed(Doing):
    """What is done in turns, under a condition or else in some surroundings (`heading`), after what its own names mean (`inner`)."""

    heading: str
    doings: tuple[Doing, ...]
    inner: tuple[str, ...] = ()
    is_condition: bool = False

    @property
    def words(self):
        return f"{self.heading}: {explained(self.inner, in_a_row(self.doings))}"

    @property
    def done(self):
        done = explained(self.inner, " and ".join(doing.done for doing in self.doings))
        return done if self.is_condition else f"{self.heading}: {done}"

    @property
    def is_open(self):
        return True

    @property
    def takes_else(self):
        # Of several the last is in a bracket.
        return len(self.doings) == 1 and self.doings[0].takes_else


@dataclass(frozen=True)
class Choice(Doing):
    """What is done where a condition holds, and what else."""

    condition: str
    first: tuple[Doing, ...]
    second: tuple[Doing, ...]

    @property
    def words(self):
        first, second = in_a_row(self.first), in_a_row(self.second)
        if not first or not second:
            return f"where {self.condition}: {first}" if first else f"unless {self.condition}: {second}"
        ends_in_condition = len(self.first) == 1 and self.first[0].takes_else
        return f"where {self.condition}: {f'({first})' if ends_in_condition else first}, otherwise: {second}"

    @property
    def is_open(self):
        return True

    @property
    def takes_else(self):
        return True


def explained(meanings, text):
    """A text after what the names mean that it speaks of."""
    return f"with {', '.join(meanings)}: {text}" if meanings else text


def in_a_row(doings):
    """What is done one after the other; what would seem to go on ends with its bracket, where something else is done."""
    several = len(doings) > 1
    return " and ".join(f"({doing.text})" if several and doing.is_open and doing.times == 1 else doing.text for doing in doings)


def in_one(doings):
    """The same that was done several times, and what was given to the same thing, in one."""
    told = []
    for _, same in groupby(doings, key=lambda doing: doing.text):
        first, *others = same
        doing, last = replace(first, times=1 + len(others)), told[-1] if told else None
        if isinstance(doing, Single) and isinstance(last, Single) and doing.given and last.given and last.what == doing.what:
            told[-1] = Single(last.what, f"{last.given}{often(last.times)} and {doing.given}{often(doing.times)}")
        else:
            told.append(doing)
    return told


def often(times):
    return "" if times == 1 else " twice" if times == 2 else f" {times} times"
