"""Ignores the signals of the time limits and works for ever."""

import signal

for name in ("SIGALRM", "SIGXCPU", "SIGTERM", "SIGINT", "SIGVTALRM", "SIGPROF"):
    signal.signal(getattr(signal, name), lambda *_: None)


def count_words(text):
    while True:
        pass


title = count_words
