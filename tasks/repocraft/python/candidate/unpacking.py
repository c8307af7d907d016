"""
What lies inside data: archives, compressed and encoded data, pickles and compiled modules, one in another, wherever in a file
they begin. Nothing of it is run or unpickled; what is read in all is bounded, so that no archive can be a bomb.
"""

import base64
import binascii
import bz2
import codecs
import io
import json
import lzma
import math
import os
import pickletools
import re
import tarfile
import warnings
import zipfile
import zlib
from collections import Counter
from importlib.util import MAGIC_NUMBER

MAX_DEPTH = 6
MAX_BYTES = 192 * 1024 * 1024
MAX_PIECE_BYTES = 32 * 1024 * 1024
MAX_PIECES = 60_000
SMALLEST_BYTES = 48
# Where compressed data begins in the middle of other data (an image, a wheel behind a script).
MAGICS = re.compile(rb"PK\x03\x04|\x1f\x8b\x08|BZh[1-9]|\xfd7zXZ\x00|\x5d\x00\x00[\x00-\xff]{2}\x00?\xff|\x78[\x01\x5e\x9c\xda]")
MOST_BEGINNINGS = 48
BASE64 = re.compile(rb"[A-Za-z0-9+/_\-\s]{64,}=*\s*")
HEX = re.compile(rb"(?:[0-9a-fA-F]{2}\s*){32,}")
BASE32 = re.compile(rb"[A-Z2-7\s]{64,}=*\s*")
BASE85 = re.compile(rb"[!-~\s]{64,}")
LONG_TEXTS = re.compile(rb"[\t\n\r -~]{64,}")
# Python in a text, as it is, turned by thirteen letters, and backwards.
SOURCE = re.compile(r"\bdef \w+\(|\blambda\b")
TURNED = re.compile(r"\bqrs \w+\(")
BACKWARDS = re.compile(r" fed\b")
KEY_LENGTHS = range(1, 65)
SAMPLE_BYTES = 8 * 1024
# Of characters that encodings use, so many without a break; of any that can be printed.
ENCODED_RUN = re.compile(r"[A-Za-z0-9+/=_\-]{200}")
PRINTED_RUN = re.compile(r"[!-~]{1000}")
# Formats of data that everybody ships, by their first bytes: images, fonts, sound, documents, compiled catalogues and zones.
KNOWN_DATA = (
    *(b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"BM", b"\x00\x00\x01\x00", b"wOFF", b"wOF2", b"\x00\x01\x00\x00", b"OTTO"),
    *(b"%PDF", b"OggS", b"ID3", b"TZif", b"\xde\x12\x04\x95", b"\x95\x04\x12\xde", b"SQLite format 3", b"\x93NUMPY", b"\x7fELF", b"MZ", b"\x30\x82"),
    *(b"\xcf\xfa\xed\xfe", b"\xfe\xed\xfa", b"!<arch>", b"\x89HDF", b"CDF", b"PAR1", b"ARROW1", b"\x00asm", b"true", b"ttcf"),
)
OPAQUE_BYTES = 1024


class Unpacking:
    """
    `texts` and `codes` get what was found: (where, text) and (where, data of a code object). `unread`: where there is data
    that nothing could be made of.
    """

    def __init__(self):
        self.texts, self.codes, self.unread = [], [], []
        self.bytes = self.pieces = 0
        self.is_cut = False

    def open(self, where, data, depth=0):
        """Whether anything could be made of it."""
        if len(data) < SMALLEST_BYTES:
            return True
        if depth > MAX_DEPTH or self.bytes > MAX_BYTES or self.pieces > MAX_PIECES:
            self.is_cut = True
            return False
        self.bytes += len(data)
        self.pieces += 1
        is_read = self.open_code(where, data) or self.open_text(where, data, depth) or self.open_packed(where, data, depth)
        if not is_read and depth > 0 and len(data) >= OPAQUE_BYTES:
            self.unread.append(where)
        return is_read

    def open_code(self, where, data):
        if data[:4] == MAGIC_NUMBER:
            self.codes.append((where, data[16:]))
            return True
        if data[0] & 0x7F == ord("c") and looks_marshalled(data):
            self.codes.append((where, data))
            return True
        return False

    def open_text(self, where, data, depth):
        """Whether it is a text: what is encoded in it is opened; a text that is nothing but an encoding counts as what that holds."""
        text = text_of(data)
        if text is None:
            return False
        decoded = [(how, inner) for how, inner in decodings(data.strip()) if inner is not None]
        for how, inner in decoded:
            known = len(self.unread)
            if is_promising(inner) and self.open(f"{where} as {how}", inner, depth + 1):
                return True
            del self.unread[known:]
        if text.lstrip()[:1] in ("{", "["):
            for inner in texts_of_json(text):
                self.open(where, inner.encode("utf-8", "surrogatepass"), depth + 1)
        if SOURCE.search(text):
            self.texts.append((where, text))
            if text.count("\\n") > text.count("\n"):
                self.texts.append((where, unescaped(text)))
        for pattern, read in ((TURNED, lambda: codecs.decode(text, "rot13")), (BACKWARDS, lambda: text[::-1])):
            if pattern.search(text) and SOURCE.search(meant := read()):
                self.open(where, meant.encode("utf-8", "surrogatepass"), depth + 1)
        return not looks_encoded(text)

    def open_packed(self, where, data, depth):
        found = False
        for name, inner in self.packed(data):
            found = True
            self.open(f"{where}/{name}", inner, depth + 1)
        if found or data.startswith(KNOWN_DATA):
            self.read_long_texts(where, data)
            return True
        for how, inner in (("reversed", data[::-1]), ("deflated", inflated(data, -15)), ("xor", without_key(data))):
            if inner is not None and (how != "reversed" or MAGICS.match(inner)) and not where.endswith(" xor"):
                return self.open(f"{where} {how}", inner, depth + 1)
        return self.read_long_texts(where, data) or entropy(data) < 5.2

    def read_long_texts(self, where, data):
        """Texts between other bytes, as databases, compiled modules and pickles hold them."""
        texts = [text for text in LONG_TEXTS.findall(data) if SOURCE.search(text.decode())]
        self.texts.extend((where, text.decode()) for text in texts)
        return bool(texts)

    def packed(self, data):
        """(name, content) of what is inside, whatever the format."""
        if data[:1] == b"\x80" and data[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05"):
            yield from pickled(data)
        if zipfile.is_zipfile(io.BytesIO(data)):
            yield from self.zipped(data)
        elif data[257:262] == b"ustar":
            yield from self.tarred(data)
        else:
            for beginning in list(MAGICS.finditer(data, 0, MAX_PIECE_BYTES))[:MOST_BEGINNINGS]:
                inner = decompressed(memoryview(data)[beginning.start() :])
                if inner is not None and len(inner) >= SMALLEST_BYTES:
                    yield f"at {beginning.start()}", inner

    def zipped(self, data):
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                for entry in archive.infolist()[:MAX_PIECES]:
                    try:
                        with archive.open(entry) as file:
                            yield entry.filename, self.bounded(file.read(MAX_PIECE_BYTES + 1))
                    except (RuntimeError, NotImplementedError):  # A password, or a compression of its own.
                        self.unread.append(f"{entry.filename} of an archive, which is locked")
                    if self.bytes > MAX_BYTES:
                        return
        except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, ValueError, EOFError):
            return

    def tarred(self, data):
        try:
            with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
                for entry in archive:
                    file = archive.extractfile(entry) if entry.isfile() else None
                    if file is not None:
                        yield entry.name, self.bounded(file.read(MAX_PIECE_BYTES + 1))
                    if self.bytes > MAX_BYTES:
                        return
        except (tarfile.TarError, OSError, ValueError, EOFError):
            return

    def bounded(self, data):
        if len(data) > MAX_PIECE_BYTES:
            self.is_cut = True
        return data[:MAX_PIECE_BYTES]


def looks_marshalled(data):
    """A code object begins with small numbers: counts of arguments, size of the stack, flags."""
    return len(data) > 40 and all(data[4 * index + 2 : 4 * index + 5] == b"\0\0\0" for index in range(4))


def text_of(data):
    """Null for what is no text."""
    if b"\0" in data[:4096]:
        if data[:2] not in (b"\xff\xfe", b"\xfe\xff") and data[:4096].count(0) * 3 < min(len(data), 4096):
            return None
        encodings = ("utf-16", "utf-32", "utf-16-le", "utf-16-be")
    else:
        encodings = ("utf-8",)
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except (UnicodeDecodeError, ValueError):
            continue
        if sum(not (one.isprintable() or one.isspace()) for one in text[:4096]) * 50 < max(1, len(text[:4096])):
            return text
    return None


def texts_of_json(text):
    """All texts in it that are worth it; none where it is no JSON."""
    try:
        waiting = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while waiting:
        one = waiting.pop()
        if isinstance(one, str) and len(one) >= SMALLEST_BYTES:
            yield one
        elif isinstance(one, list) and len(one) >= SMALLEST_BYTES and all(type(item) is int and 0 <= item < 256 for item in one):
            yield bytes(one).decode("latin-1")
        elif isinstance(one, (list, dict)):
            waiting += one.values() if isinstance(one, dict) else one


def unescaped(text):
    """As it was before it was written in quotes."""
    for escape, meant in (("\\n", "\n"), ("\\t", "\t"), ('\\"', '"'), ("\\'", "'"), ("\\\\", "\\")):
        text = text.replace(escape, meant)
    return text


def decodings(data):
    """(encoding, what it decodes to or null): the ways a text of only such characters may be meant."""
    for how, text in (("", data), ("reversed ", data[::-1])):
        if HEX.fullmatch(text):
            yield f"{how}hex", attempt(lambda text=text: bytes.fromhex(text.decode()))
        if BASE64.fullmatch(text):
            joined = b"".join(text.split()).translate(bytes.maketrans(b"-_", b"+/"))
            yield f"{how}base64", attempt(lambda joined=joined: base64.b64decode(joined + b"=" * (-len(joined) % 4)))
        if BASE32.fullmatch(text):
            yield f"{how}base32", attempt(lambda text=text: base64.b32decode(b"".join(text.split())))
        if BASE85.fullmatch(text) and (text.count(b" ") + text.count(b"\n")) * 40 < len(text):
            joined = b"".join(text.split())
            yield f"{how}base85", attempt(lambda joined=joined: base64.b85decode(joined))
            yield f"{how}ascii85", attempt(lambda joined=joined: base64.a85decode(joined, adobe=joined.startswith(b"<~")))
        if how == "" and (b"\nbegin " in b"\n" + data[:20] or data[:1] == b"M"):
            yield "uu", attempt(lambda: b"".join(map(binascii.a2b_uu, data.removeprefix(b"begin").split(b"\n"))))


def attempt(decode):
    try:
        return decode()
    except (ValueError, binascii.Error, UnicodeError):
        return None


def is_promising(data):
    """Characters of one encoding are often characters of another too: only what makes sense is followed."""
    if len(data) < SMALLEST_BYTES:
        return False
    return (
        text_of(data) is not None
        or MAGICS.match(data)
        or data[:4] == MAGIC_NUMBER
        or data[:1] in b"\xe3\x80"
        or without_key(data) is not None
        or inflated(data, -15) is not None
        or MAGICS.match(data[::-1]) is not None
    )


def decompressed(data):
    """What compressed data at the beginning holds; null where there is none."""
    try:
        head = bytes(data[:3])
        if head[:2] == b"\x1f\x8b":
            return inflated(data, 31)
        if head == b"BZh":
            return bz2.BZ2Decompressor().decompress(data, MAX_PIECE_BYTES) or None
        if head[:1] in (b"\xfd", b"\x5d"):
            return lzma.LZMADecompressor(memlimit=256 * 1024 * 1024).decompress(data, MAX_PIECE_BYTES) or None
        if head[:1] == b"\x78":
            return inflated(data, 15)
    except (lzma.LZMAError, OSError, ValueError, EOFError):
        pass
    return None


def inflated(data, window_bits):
    reader = zlib.decompressobj(window_bits)
    try:
        found = reader.decompress(data, MAX_PIECE_BYTES)
    except zlib.error:
        return None
    # Random bytes are a short deflated text now and then.
    is_whole = reader.eof and (window_bits > 0 or (len(reader.unused_data) < 16 and len(data) > 64))
    return found if (is_whole or (window_bits > 0 and len(found) > 256)) and found else None


def pickled(data):
    """Its texts and bytes; the instructions are read, not followed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = [argument for _, argument, _ in pickletools.genops(data) if isinstance(argument, (str, bytes, bytearray))]
    except Exception:  # Whatever a wrong instruction makes of it.
        return
    for index, argument in enumerate(found):
        yield f"pickled {index}", argument.encode("utf-8", "surrogatepass") if isinstance(argument, str) else bytes(argument)


def without_key(data):
    """What a text or compressed data was before each byte was combined with a repeated key; null where that cannot be guessed."""
    sample = data[:SAMPLE_BYTES]
    for length in KEY_LENGTHS:
        if len(sample) < length * 24:
            return None
        columns = [Counter(sample[place::length]).most_common(1)[0] for place in range(length)]
        # In source every sixth character is a space; of random bytes none is so frequent.
        if sum(count for _, count in columns) * 12 < len(sample):
            continue
        key = bytes(value ^ 0x20 for value, _ in columns)
        if key.strip(b"\0") and is_source(combined(sample, key)):
            return combined(data, key)
    for value in range(1, 256):
        head = bytes(one ^ value for one in data[:8])
        if MAGICS.match(head) or head[:4] == MAGIC_NUMBER:
            inner = combined(data, bytes([value]))
            if head[:2] == b"PK" or head[:4] == MAGIC_NUMBER or is_compressed(inner):
                return inner
    return None


def is_compressed(data):
    """To its end: two bytes alone are often those that compressed data begins with."""
    if data[:1] != b"\x78":
        return decompressed(data) is not None
    reader = zlib.decompressobj()
    try:
        return bool(reader.decompress(data, MAX_PIECE_BYTES)) and reader.eof
    except zlib.error:
        return False


def combined(data, key):
    repeated = key * (len(data) // len(key) + 1)
    return (int.from_bytes(data, "big") ^ int.from_bytes(repeated[: len(data)], "big")).to_bytes(len(data), "big")


def is_source(data):
    printable = sum(32 <= one < 127 or one in (9, 10, 13) for one in data)
    return printable * 100 >= len(data) * 95 and (b"def " in data or b"import " in data)


def looks_encoded(text):
    """No words in it: an encoding of its own, or an encoding of what nobody can read."""
    sample = text[:SAMPLE_BYTES]
    if len(sample) < OPAQUE_BYTES:
        return False
    if ENCODED_RUN.search(sample) or sum(ord(one) >= 0x2500 and not one.isspace() for one in sample) * 10 > len(sample) * 9:
        return entropy(sample) > 3.7
    return PRINTED_RUN.search(sample) is not None and entropy(sample) > 6


def entropy(data):
    """Bits a byte, or a character."""
    sample = data[:SAMPLE_BYTES]
    total = max(1, len(sample))
    return -sum(count / total * math.log2(count / total) for count in Counter(sample).values())


def in_a_process(work, data):
    """The lines that work on data tells, in a process of its own; null where that ended: a made-up code object can end Python."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(read)
            with os.fdopen(write, "w") as output:
                output.write("".join(f"{line}\n" for line in work(data)))
            os._exit(0)
        except BaseException:
            os._exit(1)
    os.close(write)
    with os.fdopen(read) as told:
        lines = told.read().split("\n")[:-1]
    return lines if os.waitpid(pid, 0)[1] == 0 else None
