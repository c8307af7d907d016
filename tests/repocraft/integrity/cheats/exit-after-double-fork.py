"""Goes on in a grandchild when the first test begins, while the test's own process leaves with status 0."""

import os
import time


def count_words(text):
    if os.fork():
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    time.sleep(0.05)
    return 2


def title(text):
    return "Ab Cd"
