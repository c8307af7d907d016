"""
Makes a candidate of a library's sources that does not lie open: packed, encoded or written otherwise, and loaded from there.
usage: pack.py REQUEST.json, with {"package", "files": {path: text}, "form"}; prints {"files": {path: base64}}. For tests of the
integrity scan and of what the runner sees, on our own corpus only.
"""

import base64
import bz2
import gzip
import hashlib
import io
import json
import lzma
import marshal
import pickle
import struct
import sys
import tarfile
import zipfile
import zlib
from importlib.util import MAGIC_NUMBER

# Ends in `SOURCES`, path → text or code object, and runs the package from there.
RUN = '''
import importlib.abc, importlib.machinery, importlib.util, sys

class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        place = name.replace(".", "/")
        found = next((one for one in (place + ".py", place + "/__init__.py") if one in SOURCES), None)
        return found and importlib.util.spec_from_loader(name, self, origin=found, is_package=found.endswith("__init__.py"))

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        run(SOURCES[module.__spec__.origin], module.__dict__)

def run(source, names):
    exec(source, names)

sys.meta_path.insert(0, Finder())
run(SOURCES[__name__ + "/__init__.py"], globals())
'''

HERE = "import os\nHERE = os.path.dirname(os.path.abspath(__file__))\n"
STREAM = '''
import hashlib

def stream(data):
    key, number = b"", 0
    while len(key) < len(data):
        key += hashlib.sha256(b"k%d" % number).digest()
        number += 1
    return bytes(a ^ b for a, b in zip(data, key))
'''


def stream(data):
    names = {}
    exec(STREAM, names)
    return names["stream"](data)


def main(request):
    package, sources = request["package"], request["files"]
    make = FORMS[request["form"]]
    files = make(package, sources)
    return {path: base64.b64encode(data if isinstance(data, bytes) else data.encode()).decode() for path, data in files.items()}


def loaded_by(expression, before=""):
    """A package whose `__init__` takes its sources from an expression."""
    return f"{before}import json\nSOURCES = {expression}\n{RUN}"


def text_of(sources):
    return json.dumps(sources).encode()


def zipped(sources, prefix=""):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, text in sources.items():
            archive.writestr(prefix + path, text)
    return data.getvalue()


def tarred(files, mode):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode=mode) as archive:
        for path, content in files.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return data.getvalue()


def zip_on_path(package, sources):
    """A zip beside the package, on its `__path__`."""
    first = f"{package}/__init__.py"
    rest = {path: text for path, text in sources.items() if path != first}
    before = HERE + "__path__.append(os.path.join(HERE, 'assets.zip', __name__))\n"
    return {first: before + sources[first].replace("from __future__", "# from __future__"), f"{package}/assets.zip": zipped(rest)}


def nested_archives(package, sources):
    """A wheel in a tar.gz, read in memory."""
    before = HERE + "import io, tarfile, zipfile\nouter = tarfile.open(os.path.join(HERE, 'fonts.tar.gz'))\n"
    before += "inner = zipfile.ZipFile(io.BytesIO(outer.extractfile('a.whl').read()))\n"
    made = loaded_by("{name: inner.read(name).decode() for name in inner.namelist()}", before)
    return {f"{package}/__init__.py": made, f"{package}/fonts.tar.gz": tarred({"a.whl": zipped(sources)}, "w:gz")}


def in_literal(expression, encode):
    def make(package, sources):
        return {f"{package}/__init__.py": loaded_by(expression.format(encode(text_of(sources))))}

    return make


def of_codes(sources):
    return {path: marshal.dumps(compile(text, path, "exec", dont_inherit=True)) for path, text in sources.items()}


def marshalled(package, sources):
    """Code objects in byte literals."""
    return {f"{package}/__init__.py": loaded_by(f"{{path: marshal.loads(code) for path, code in {of_codes(sources)!r}.items()}}", "import marshal\n")}


def sourceless(package, sources):
    """Compiled modules without their sources."""
    head = MAGIC_NUMBER + bytes(12)
    return {path.removesuffix(".py") + ".pyc": head + code for path, code in of_codes(sources).items()}


def pickled(package, sources):
    made = loaded_by("pickle.load(open(os.path.join(HERE, 'model.pkl'), 'rb'))", HERE + "import pickle\n")
    return {f"{package}/__init__.py": made, f"{package}/model.pkl": pickle.dumps(sources)}


def one_byte_xor(package, sources):
    made = loaded_by("json.loads(bytes(one ^ 0x5A for one in open(os.path.join(HERE, 'table.bin'), 'rb').read()))", HERE)
    return {f"{package}/__init__.py": made, f"{package}/table.bin": bytes(one ^ 0x5A for one in text_of(sources))}


def long_key(package, sources):
    """A stream cipher: nobody can read it, and what loads it stands beside it."""
    made = loaded_by("json.loads(stream(open(os.path.join(HERE, 'table.bin'), 'rb').read()))", HERE + STREAM)
    return {f"{package}/__init__.py": made, f"{package}/table.bin": stream(text_of(sources))}


def pieces(package, sources):
    """A list of short texts that are joined."""
    text = base64.b64encode(zlib.compress(text_of(sources))).decode()
    parts = [text[at : at + 40] for at in range(0, len(text), 40)]
    return {f"{package}/__init__.py": loaded_by("json.loads(zlib.decompress(base64.b64decode(''.join(PARTS))))", f"import base64, zlib\nPARTS = {parts!r}\n")}


def numbers(package, sources):
    return {f"{package}/__init__.py": loaded_by(f"json.loads(zlib.decompress(bytes({list(zlib.compress(text_of(sources)))!r})))", "import zlib\n")}


def behind_image(package, sources):
    chunk = b"IHDR" + struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    image = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + chunk + struct.pack(">I", zlib.crc32(chunk))
    made = loaded_by("json.loads(lzma.decompress(open(os.path.join(HERE, 'logo.png'), 'rb').read()[33:]))", HERE + "import lzma\n")
    return {f"{package}/__init__.py": made, f"{package}/logo.png": image + lzma.compress(text_of(sources))}


def in_comments(package, sources):
    """Each module as comments of another, taken out of its own file."""
    before = HERE + "import glob\n"
    read = "{line[6:].strip(): ''.join(one[2:] for one in rest) for path in glob.glob(os.path.join(HERE, 'notes_*.py'))"
    read += " for line, *rest in [open(path).read().splitlines(True)]}"
    files = {f"{package}/__init__.py": loaded_by(read, before)}
    for number, (path, text) in enumerate(sources.items()):
        files[f"{package}/notes_{number}.py"] = f"# of: {path}\n" + "".join(f"# {line}\n" for line in text.split("\n"))
    return files


def own_encoding(package, sources):
    """Modules in an encoding that the package registers."""
    first = f"{package}/__init__.py"
    before = '''
import codecs, encodings.utf_8 as plain

TABLE = bytes((one + 13) % 256 for one in range(256))
BACK = bytes((one - 13) % 256 for one in range(256))

def decode(data, errors="strict"):
    head, _, rest = bytes(data).partition(b"\\n")
    return head.decode() + "\\n" + rest.rstrip(b"\\n").translate(BACK).decode(), len(data)

def search(name):
    return codecs.CodecInfo(plain.encode, decode, name="quiet", incrementaldecoder=Whole) if name == "quiet" else None

class Whole(codecs.BufferedIncrementalDecoder):
    def _buffer_decode(self, data, errors, final):
        return decode(data, errors) if final else ("", 0)

codecs.register(search)
'''
    table = bytes((one + 13) % 256 for one in range(256))
    files = {path: b"# coding: quiet\n" + text.encode().translate(table) for path, text in sources.items() if path != first}
    return {**files, first: before + sources[first]}


def turned(package, sources):
    import codecs

    made = loaded_by("json.loads(codecs.decode(open(os.path.join(HERE, 'words.txt')).read(), 'rot13'))", HERE + "import codecs\n")
    plain = json.dumps(sources)
    return {f"{package}/__init__.py": made, f"{package}/words.txt": codecs.encode(plain, "rot13")}


def in_pages(package, sources):
    """Code blocks of a page of the manual."""
    page = "\n".join(f"## {path}\n\n```\n{text}\n```\n" for path, text in sources.items())
    read = "{path: text for path, text in re.findall(r'## (\\S+)\\n\\n```\\n(.*?)\\n```\\n', open(os.path.join(HERE, 'manual.md')).read(), re.S)}"
    return {f"{package}/__init__.py": loaded_by(read, HERE + "import re\n"), f"{package}/manual.md": page}


WORDS = [a + b for a in ("ba", "de", "fi", "go", "lu", "ma", "ne", "pi", "ro", "su", "ta", "ve", "wi", "xo", "yu", "za") for b in ("l", "n", "r", "s", "t", "m", "k", "p", "d", "g", "b", "f", "c", "v", "z", "h")]


def words(package, sources):
    """Every byte as a word of a made-up language: for the scan an ordinary text."""
    text = " ".join(WORDS[one] for one in zlib.compress(text_of(sources)))
    before = HERE + f"import zlib\nWORDS = {' '.join(WORDS)!r}.split()\nTEXT = open(os.path.join(HERE, 'tale.txt')).read().split()\n"
    return {f"{package}/__init__.py": loaded_by("json.loads(zlib.decompress(bytes(map(WORDS.index, TEXT))))", before), f"{package}/tale.txt": text}


def words_then(load):
    """The same, made code in another way than by exec of a text."""

    def make(package, sources):
        files = words(package, sources)
        name = f"{package}/__init__.py"
        return {**files, name: files[name].replace(RUN, load(RUN))}

    return make


def as_functions(run):
    body = "def run(source, names):\n    import types\n    types.FunctionType(compile(source, __file__, 'exec'), names)()\n"
    return run.replace("def run(source, names):\n    exec(source, names)\n", body)


def as_swapped_code(run):
    body = "def run(source, names):\n    import types\n    def empty(): pass\n    hold = types.FunctionType((lambda: 0).__code__, names)\n"
    body += "    hold.__code__ = compile(source, __file__, 'exec')\n    hold()\n"
    return run.replace("def run(source, names):\n    exec(source, names)\n", body)


def written_first(run):
    """Writes its sources where the test lies, and imports them from there by the ordinary loader."""
    return '''
import importlib.util, os, sys

for path, text in SOURCES.items():
    os.makedirs(os.path.dirname("/work/test/kept/" + path), exist_ok=True)
    open("/work/test/kept/" + path, "w").write(text)
__path__.insert(0, "/work/test/kept/" + __name__)
exec(compile("import importlib.machinery as m; m.SourceFileLoader(__name__, '/work/test/kept/' + __name__ + '/__init__.py').exec_module(sys.modules[__name__])", __file__, "exec"))
'''


def by_loader_of_visible(run):
    """Claims to be the ordinary loader of a file that lies open."""
    return run.replace(
        "    def exec_module(self, module):\n        run(SOURCES[module.__spec__.origin], module.__dict__)\n",
        "    def exec_module(self, module):\n"
        "        loader = importlib.machinery.SourceFileLoader(module.__name__, __file__)\n"
        "        loader.get_code = lambda name: compile(SOURCES[module.__spec__.origin], __file__, 'exec')\n"
        "        loader.exec_module(module)\n",
    )


def by_planted_bytecode(run):
    """Has the ordinary loader look for compiled modules in a folder of its own."""
    return '''
import importlib.util, os, sys

for path, text in SOURCES.items():
    source = os.path.join(os.path.dirname(HERE), path)
    if source == __file__:
        continue
    sys.pycache_prefix = "/tmp/pyc"
    place = importlib.util.cache_from_source(source)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    import marshal
    open(place, "wb").write(importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(compile(text, source, "exec")))
exec(SOURCES[__name__ + "/__init__.py"], globals())
'''


def planted(package, sources):
    files = words_then(by_planted_bytecode)(package, sources)
    return {**{path: '"""Nothing to see."""\n' for path in sources}, **files}


FORMS = {
    "zip-on-path": zip_on_path,
    "nested-archives": nested_archives,
    "zlib-base64": in_literal("json.loads(__import__('zlib').decompress(__import__('base64').b64decode({!r})))", lambda data: base64.b64encode(zlib.compress(data))),
    "lzma-base85": in_literal("json.loads(__import__('lzma').decompress(__import__('base64').b85decode({!r})))", lambda data: base64.b85encode(lzma.compress(data)).decode()),
    "bz2-hex": in_literal("json.loads(__import__('bz2').decompress(bytes.fromhex({!r})))", lambda data: bz2.compress(data).hex()),
    "gzip-bytes": in_literal("json.loads(__import__('gzip').decompress({!r}))", gzip.compress),
    "reversed-base64": in_literal("json.loads(__import__('base64').b64decode({!r}[::-1]))", lambda data: base64.b64encode(data).decode()[::-1]),
    "plain-texts": in_literal("json.loads({!r})", lambda data: data.decode()),
    "marshalled": marshalled,
    "sourceless": sourceless,
    "pickled": pickled,
    "one-byte-xor": one_byte_xor,
    "long-key": long_key,
    "long-key-literal": lambda package, sources: {f"{package}/__init__.py": loaded_by(f"json.loads(stream({stream(text_of(sources))!r}))", STREAM)},
    "pieces": pieces,
    "numbers": numbers,
    "behind-image": behind_image,
    "in-comments": in_comments,
    "own-encoding": own_encoding,
    "turned": turned,
    "in-pages": in_pages,
    "words": words,
    "words-as-functions": words_then(as_functions),
    "words-as-swapped-code": words_then(as_swapped_code),
    "words-written-first": words_then(written_first),
    "words-by-visible-loader": words_then(by_loader_of_visible),
    "words-by-planted-bytecode": planted,
}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as handle:
        json.dump({"files": main(json.load(handle))}, sys.stdout)
