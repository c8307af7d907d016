"""
Compiles every module of the tree argv[1] into the folder argv[2], at the places beside their sources where Python looks, for
argv[3] seconds at most: on a busy machine some is better than nothing.

The bytecode is never compared with its source: both are read-only. What does not compile is left to whoever imports it. Not by
py_compile, which takes half a file for a whole one where there is no more room.
"""

import os
import sys
from importlib.util import MAGIC_NUMBER, cache_from_source, source_hash
from marshal import dumps
from time import monotonic

UNCHECKED_HASH = (1).to_bytes(4, "little")


def bytecode(source):
    """The file that Python would look for, or None."""
    with open(source, "rb") as file:
        text = file.read()
    try:
        return MAGIC_NUMBER + UNCHECKED_HASH + source_hash(text) + dumps(compile(text, source, "exec", dont_inherit=True))
    except Exception:
        return None


def main(tree, target, seconds):
    until = monotonic() + seconds
    for folder, _, names in os.walk(tree):
        for source in (os.path.join(folder, name) for name in sorted(names) if name.endswith(".py")):
            compiled = bytecode(source) if os.path.isfile(source) else None
            if monotonic() > until:
                return
            if compiled is not None:
                place = target + cache_from_source(source)[len(tree) :]
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "xb") as file:
                    file.write(compiled)


main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
