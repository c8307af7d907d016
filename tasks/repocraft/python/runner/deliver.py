"""
The test as its children get it: with checkpoints at the end of its bodies, and the values it expects among wrong ones. And
whether what was delivered is still the same when they have ended.
"""

import os
import stat
from hashlib import blake2b

from cases import least_cases
from checkpoints import with_checkpoints
from choices import Choices, with_choices


def delivered(request, drawing):
    """The text to run, what is hidden in it, and its cases (`least_cases`). `drawing`: as for `with_choices`."""
    with open(os.path.join(request["folder"], request["file"]), encoding="utf-8") as file:
        source = file.read()
    names = {function.rpartition("::")[2] for function in request["select"]}
    for hide in (with_choices, with_nothing_hidden):
        try:
            text, choices = hide(source, names, drawing)
            return with_checkpoints(text, names), choices, least_cases(source, request["select"])
        except (SyntaxError, ValueError, RecursionError):
            continue
    return source, Choices(), {}  # pytest will say what is wrong with it.


def with_nothing_hidden(source, _names, _drawing):
    return source, Choices()


def prints_of(folder):
    """Hash of every file of a folder, by its path in there."""
    paths = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in names]
    return {os.path.relpath(path, folder): print_of(path) for path in paths}


def changed_in(folder, prints):
    """The first file that is not what it was, or no longer there; null where all are."""
    return next((path for path, known in prints.items() if print_of(os.path.join(folder, path)) != known), None)


def print_of(path):
    """Null for what is no plain file, or is not there. To be asked when nobody is left to change it."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        with open(path, "rb") as file:
            return blake2b(file.read()).digest()
    except OSError:
        return None
