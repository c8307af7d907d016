"""
Prints `tasks/repocraft/python/runner/common.py`: how often words and numbers stand in Python's own library.
Usage: python3 common_words.py /usr/lib/python3.11
"""

import collections
import glob
import os
import re
import sys

LENGTHS = range(2, 15)
EACH_LENGTH = 220
NUMBERS = 300
LINE = 130


def main(library):
    words, numbers = collections.Counter(), collections.Counter()
    for path in glob.glob(os.path.join(library, "**", "*.py"), recursive=True):
        # Tables of characters are not what tests are written like.
        if any(part in path for part in ("/test", "/encodings/", "/idlelib/", "-packages/", "/pydoc_data/")):
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
        words.update(word.lower() for word in re.findall(r"[A-Za-z]+", text))
        numbers.update(re.findall(r"(?<![\w.])[1-9]\d{0,4}(?![\w.])|(?<![\w.])0(?![\w.])", text))
    chosen = [pair for length in LENGTHS for pair in of_length(words, length)]
    print('"""How often words and numbers stand in Python\'s own library (bench/repocraft/python/common_words.py)."""\n')
    print("WORDS = {\n" + lines(chosen) + "}\n\nNUMBERS = {\n" + lines(numbers.most_common(NUMBERS)) + "}")


def of_length(words, length):
    return [pair for pair in words.most_common() if len(pair[0]) == length][:EACH_LENGTH]


def lines(pairs):
    """As literals of a dict, in lines of at most `LINE` characters."""
    text, line = "", "   "
    for word, count in pairs:
        entry = f' "{word}": {count},'
        if len(line) + len(entry) > LINE:
            text, line = text + line + "\n", "   "
        line += entry
    return text + line + "\n"


if __name__ == "__main__":
    main(sys.argv[1])
