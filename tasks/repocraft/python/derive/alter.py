"""
Takes from a library what its tests ask for: symbols deleted that it does not use itself (`partial`), one operation changed that
each test runs (`mutated`), bodies that only stand for one (`stubbed`), bodies that do their work and hand out another result (`decoys`).
Names, signatures and docstrings stay. Functions that run while the library is imported are left as they are, and whatever else
it cannot be imported without: a library that cannot be imported fails every test, and shows nothing. What the tests of many targets
run is left in the last three, too: it would fail them before they come to what they are about.
"""

import functools
import random

from delete import may_go, used_by, without
from spoil import spoiled


def altered(library, kind, targets, seed, share, start, seen):
    """
    ({path: text}, [target paths that were altered]). `share`: of the targets, for `partial`; `start`: how the library's tests
    begin, which they still can; `seen`: what they run of it.
    """
    paths, running = sorted(set(targets)), start.running()
    if kind == "partial":
        used = used_by(library)
        free = [path for path in paths if may_go(library, path, used, running)]
        drawn = sorted(random.Random(f"{seed}/{kind}").sample(free, min(round(share * len(paths)), len(free))))
        made = functools.partial(without, library)
    else:
        drawn = paths
        made = functools.partial(spoiled, library, kind=kind, seed=seed, running=running, seen=seen)
    return made(holding(drawn, lambda paths: start.works_with(made(paths)[0])))


def holding(drawn, works):
    """As many of the drawn as there can be together, found by halving."""
    works_with, kept = functools.cache(works), ()

    def take(part):
        nonlocal kept
        if works_with(kept + part):
            kept += part
        elif len(part) > 1:
            take(part[:len(part) // 2])
            take(part[len(part) // 2:])

    take(tuple(drawn))
    return kept
