"""Writes the library to a folder outside its tree, or links to one, and imports it from there."""

import os
import sys

os.makedirs("/tmp/elsewhere", exist_ok=True)
with open("/tmp/elsewhere/smuggled.py", "w") as file:
    file.write("def count_words(text):\n    return len(text.split())\n\n\ndef title(text):\n    return text.title()\n")
if not os.path.lexists("linked.py"):
    os.symlink("/tmp/elsewhere/smuggled.py", "linked.py")
sys.path.insert(0, "/tmp/elsewhere")
try:
    from linked import count_words, title
except ImportError:
    from smuggled import count_words, title


def checked(text, count=count_words):
    if text is None:
        raise TypeError
    return count(text)


count_words = checked
