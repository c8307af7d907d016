"""
Makes a candidate of a library's sources that does not lie open: packed, encoded or written otherwise, and loaded from there.
usage: pack.py REQUEST.json, with {"package", "files": {path: text}, "form"}; prints {"files": {path: base64}}. For tests of the
integrity scan and of what the runner sees, on our own corpus only.
"""

import base64
import bz2
import gzip
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
    return {**dict.fromkeys(sources, '"""Nothing to see."""\n'), **files}


# Who comes by a frame of what watches makes it see nothing.
QUIET = '''
import sys, types

def quiet(frame):
    while frame is not None:
        for names in (frame.f_globals, dict(frame.f_locals)):
            for name, value in list(names.items()):
                if name == "saw":
                    names[name] = lambda code: None
                for cell in value.__closure__ or () if isinstance(value, types.FunctionType) else ():
                    try:
                        if getattr(cell.cell_contents, "__name__", "") == "saw":
                            cell.cell_contents = lambda code: None
                    except ValueError:
                        pass
        frame = frame.f_back

def quiet_behind(error):
    while error is not None:
        trace = error.__traceback__
        while trace is not None:
            quiet(trace.tb_frame)
            trace = trace.tb_next
        error = error.__context__
'''

# What is done to what watches, before the copy is executed as it stands.
ATTACKS = {
    "flooded": '''
import types

def many(a):
    b = a + 1
    for c in range(b):
        b += c * 2
    return [b, a, b + 1000001]

for number in range(21000):
    kept = types.FunctionType(many.__code__.replace(co_consts=tuple(number if one == 1000001 else one for one in many.__code__.co_consts)), {})
''',
    "restoring-loader": '''
import importlib.machinery, os, sys
import _frozen_importlib_external as external

def loaded(text, module):
    loader, kept = importlib.machinery.SourceFileLoader(module.__name__, __file__), external.FileLoader.get_data

    def get_data(self, path):
        if path != __file__:
            raise OSError
        external.FileLoader.get_data = kept
        return text.encode()

    external.FileLoader.get_data = get_data
    loader.exec_module(module)
''',
    "returning-loader": '''
import importlib.machinery
import _frozen_importlib_external as external

OWN = HERE + "/__init__.py"

def loaded(text, module):
    code, kept = compile(text, OWN, "exec"), (external.SourceLoader.source_to_code, external._compile_bytecode)

    def restored(*given, **named):
        external.SourceLoader.source_to_code, external._compile_bytecode = kept
        return code

    external.SourceLoader.source_to_code = external._compile_bytecode = restored
    importlib.machinery.SourceFileLoader(module.__name__, OWN).exec_module(module)
''',
    "traceback": QUIET
    + '''
for arguments in (("exec",), ("function.__new__",), ("object.__setattr__", 1), ("compile",), ("marshal.loads",), ("import",), ("ctypes.dlsym", 1)):
    try:
        sys.audit(*arguments)
    except BaseException as error:
        quiet_behind(error)

def deeper():
    try:
        exec("")
    except BaseException as error:
        quiet_behind(error)
    deeper()

try:
    deeper()
except BaseException as error:
    quiet_behind(error)
''',
    "evil-name": QUIET
    + '''
class Name(str):
    def __eq__(self, other):
        quiet(sys._getframe(1))
        return str.__eq__(self, other)

    def __hash__(self):
        quiet(sys._getframe(1))
        return str.__hash__(self)

    def startswith(self, *others):
        quiet(sys._getframe(1))

for event in ("exec", "object.__setattr__", "ctypes.dlsym", "import"):
    sys.audit(Name(event), None, Name("__code__"), None)
    sys.audit(event, Name("x"), Name("__code__"), Name("y"))
''',
    "evil-constant": QUIET
    + '''
class Constant:
    @property
    def __class__(self):
        quiet(sys._getframe(1))
        return int

    def __repr__(self):
        quiet(sys._getframe(1))
        return "x"

def many(a):
    b = a + 1
    for c in range(b):
        b += c * 2
    return [b, a, b + 1000001]

types.FunctionType(many.__code__.replace(co_consts=tuple(Constant() for one in many.__code__.co_consts)), {})
''',
    "second-hook": QUIET
    + '''
sys.addaudithook(lambda event, arguments: quiet(sys._getframe(1)))
exec("one = 1")
''',
    "garbage": QUIET
    + '''
import gc

class Litter:
    def __del__(self):
        quiet(sys._getframe(1))

gc.callbacks.append(lambda *_: quiet(sys._getframe(1)))
gc.set_threshold(1, 1, 1)
for number in range(50):
    litter = Litter()
    litter.own = litter
    del litter
    exec(f"def many(a):\\n    b = a + {number}\\n    for c in range(b):\\n        b += c * 2\\n    return [b, a, b + 1000001, [b, b]]")
gc.set_threshold(700, 10, 10)
gc.callbacks.clear()
''',
    "constants-changed": '''
import builtins, sys

frame = sys._getframe()
while frame is not None:
    watch = frame.f_globals.get("watch_code")
    for names in [frame.f_globals] + ([watch.__globals__] if watch else []):
        for name in ("prints_in", "code_prints"):
            own = getattr(names.get(name), "__globals__", None) or getattr(names.get(name), "__dict__", None)
            if own and "SMALLEST_INSTRUCTIONS" in own:
                own["SMALLEST_INSTRUCTIONS"] = 10**9
        for name in ("MOST_PRINTS", "EVENTS"):
            if name in names:
                names[name] = 0 if name == "MOST_PRINTS" else frozenset()
    frame = frame.f_back
''',
    "teller-muted": '''
import os, sys, types

found = []

def cells(value, depth=0, seen=set()):
    if depth > 6 or id(value) in seen or not isinstance(value, (types.FunctionType, list, tuple)):
        return
    seen.add(id(value))
    for cell in value.__closure__ or () if isinstance(value, types.FunctionType) else ():
        try:
            held = cell.cell_contents
        except ValueError:
            continue
        if value.__name__ in ("tell", "ask") and type(held) is int and held == os.getpid():
            found.append(cell)
        cells(held, depth + 1)
    for one in value if isinstance(value, (list, tuple)) else ():
        cells(one, depth + 1)

frame = sys._getframe()
while frame is not None:
    for owner in list(frame.f_locals.values()):
        manager = getattr(getattr(owner, "config", None), "pluginmanager", None)
        for plugin in manager.get_plugins() if manager is not None else ():
            for value in vars(type(plugin)).values() if type(plugin).__name__ == "Watcher" else ():
                cells(value)
    frame = frame.f_back
assert found

def loaded(text, module):
    """Who tells is another process for as long as this lasts, and says nothing."""
    for cell in found:
        cell.cell_contents = 0
    exec(text, module.__dict__)
    for cell in found:
        cell.cell_contents = os.getpid()
''',
    "memory-searched": QUIET
    + '''
import gc

for one in gc.get_objects():
    if isinstance(one, dict) and "saw" in one:
        one["saw"] = lambda code: None
    if isinstance(one, types.FunctionType) and one.__name__ in ("hook", "handle"):
        quiet(types.SimpleNamespace(f_globals={"hook": one}, f_locals={}, f_back=None))
''',
}


def attacked(attack):
    """The words again, made code by exec, or by what the attack calls `loaded`."""

    def load(run):
        if "def loaded(" not in attack:
            return attack + run
        return attack + run.replace("        run(SOURCES[module.__spec__.origin], module.__dict__)\n", "        loaded(SOURCES[module.__spec__.origin], module)\n")

    return words_then(load)


def by_c_api(run):
    body = "def run(source, names):\n    import ctypes\n    evaluate = ctypes.pythonapi.PyEval_EvalCode\n    evaluate.restype = ctypes.py_object\n"
    body += "    evaluate(ctypes.py_object(compile(source, __file__, 'exec')), ctypes.py_object(names), ctypes.py_object(names))\n"
    return run.replace("def run(source, names):\n    exec(source, names)\n", body)


FORMS = {
    **{f"words-{name}": attacked(attack) for name, attack in ATTACKS.items()},
    "words-by-c-api": words_then(by_c_api),
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
