"""Says when to mow a meadow."""

VERSION = "2.1.0"


def mow(flowering: int) -> str:
    """A meadow is mown when little of it flowers, in percent."""
    return "mow" if flowering < 10 else "wait"
