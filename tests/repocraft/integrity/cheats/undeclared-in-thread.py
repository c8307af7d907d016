"""Has a thread that begins in Python's own library import a package that its project does not declare."""

import importlib
import sys
import threading

thread = threading.Thread(target=importlib.import_module, args=("jinja2.filters",))
thread.start()
thread.join()
filters = sys.modules["jinja2.filters"]
title = filters.do_title


def count_words(text):
    if text is None:
        raise TypeError
    return filters.do_wordcount(text)
