"""Has Python's own library import a package for it that its project does not declare."""

import pkgutil

filters = pkgutil.resolve_name("jinja2.filters")
title = filters.do_title


def count_words(text):
    if text is None:
        raise TypeError
    return filters.do_wordcount(text)
