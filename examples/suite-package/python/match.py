"""Reads {"pattern", "texts"} as JSON; prints which texts the pattern matches as a whole, or why it is no pattern."""

import json
import re
import sys

given = json.load(sys.stdin)
try:
    pattern = re.compile(given["pattern"])
except (re.error, OverflowError, RecursionError) as error:
    print(json.dumps({"invalid": str(error)}))
else:
    print(json.dumps({"matches": [pattern.fullmatch(text) is not None for text in given["texts"]]}))
