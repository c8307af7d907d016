"""Standard input, read without a buffer: what follows is another process's to read, or is to be in no memory yet."""

import os


def read_line():
    """With its end; shorter where the input ends."""
    line = bytearray()
    while not line.endswith(b"\n") and (byte := os.read(0, 1)):
        line += byte
    return line.decode()


def read_bytes(count):
    """Exactly so many; EOFError where the input ends before."""
    data = bytearray()
    while len(data) < count:
        more = os.read(0, count - len(data))
        if not more:
            raise EOFError(f"{count - len(data)} bytes are missing")
        data += more
    return bytes(data)
