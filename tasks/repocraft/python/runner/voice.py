"""What one process says: lines behind a hash that is keyed with its secret, each with a number higher than the one before
where the order matters."""

import json
from hashlib import blake2b


class Voice:
    def __init__(self, key, in_order=True):
        self._key = key
        self._in_order = in_order
        self._last = 0

    def heard(self, line):
        """(number, event, value); nulls for what is not of this process, or was said before. Only what has the right hash is read at all."""
        hashed, _, said = line.partition(b" ")
        if hashed != blake2b(said, key=self._key).hexdigest().encode():
            return None, None, None
        number, event, value = json.loads(said)
        if self._in_order and number <= self._last:
            return None, None, None
        self._last = number
        return number, event, value
