"""What a round prints: head and tail are kept, and the cut in between is marked."""

# Of each of the two rounds: 384 KiB in all.
OUTPUT_HEAD_BYTES = 128 * 1024
OUTPUT_TAIL_BYTES = 64 * 1024


class Output:
    """`write` gets the head at once, so that there is something to read after a time limit; the tail when all is over."""

    def __init__(self, write):
        self.size_bytes = 0
        self._write = write
        self._tail = bytearray()

    def keep(self, data):
        head = data[: max(0, OUTPUT_HEAD_BYTES - self.size_bytes)]
        self.size_bytes += len(data)
        self._write(head)
        self._tail += data[len(head) :]
        del self._tail[:-OUTPUT_TAIL_BYTES]

    def end(self):
        cut = self.size_bytes - OUTPUT_HEAD_BYTES - len(self._tail)
        if cut > 0:
            self._write(b"\n[... %d bytes cut ...]\n" % cut)
        self._write(bytes(self._tail))
