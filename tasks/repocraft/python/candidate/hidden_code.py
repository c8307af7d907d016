"""
Code of a candidate that does not lie open in its Python files: in archives, compiled modules, encoded or compressed data, texts
of its modules and the files beside them. Read, never run.

`functions`: syntax trees of what was found as source; `prints`: of what was found compiled. `unread`: data that nothing can be
made of and that the candidate can load as code: what does so stands in the same module, or names the file.
"""

import ast
import codecs
import marshal
import os
import re
import textwrap
import warnings

from code_prints import prints_in
from unpacking import MAX_PIECE_BYTES, Unpacking, in_a_process, text_of

MAX_DATA_FILES = 40_000
# A literal below this holds no function of the size that is compared; in pieces of it, it may.
LITERAL_CHARACTERS = 96
PIECE_CHARACTERS = 12
FUNCTION = re.compile(r"^([ \t]*)(?:async )?def \w+\(", re.MULTILINE)
# What makes code of data.
LOADING = {"exec", "eval", "compile", "marshal", "FunctionType", "CodeType", "LambdaType", "zipimport", "zipimporter"}
LOADING |= {"runpy", "source_to_code"}
LOADING |= {"exec_module", "module_from_spec", "spec_from_loader", "SourceLoader", "SourcelessFileLoader", "InspectLoader"}
LOADING |= {"pythonapi", "PyEval_EvalCode"}
LOADING |= {"register_error", "run_string", "dill", "cloudpickle", "InteractiveInterpreter", "run_path"}
COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


class Hidden:
    """What was found in one candidate."""

    def __init__(self):
        self.functions, self.prints, self.unread = [], [], []
        self._unpacking = Unpacking()
        # Files that load code, with every text they name; and the longest text of each module, by path.
        self._loaders, self._longest = [], []

    def read_module(self, path, source, nodes):
        """A Python file: its literals, alone and in the pieces they are written in, and its comments."""
        names = {getattr(node, "id", None) or getattr(node, "attr", None) for node in nodes}
        names |= {alias.name.rpartition(".")[2] for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names}
        names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
        loads = bool(names & LOADING) and not is_only_re(nodes)
        known = len(self._unpacking.unread)
        docs = {id(node.body[0].value) for node in nodes if hasattr(node, "body") and isinstance(node.body, list) and is_text(node.body)}
        found = list(literals(nodes, docs))
        for line, data, is_literal in found:
            before = len(self._unpacking.unread)
            self._unpacking.open(f"{path}:{line}", data, 1)
            if not is_literal:  # What is put together here need not belong together.
                del self._unpacking.unread[before:]
        opaque = self._unpacking.unread[known:]
        if loads:
            self.unread += opaque
            named = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200}
            self._loaders.append((path, named))
        elif opaque:
            self._longest.append((path, max(found, key=lambda one: len(one[1]))))
        comments = "\n".join(line.partition("#")[2].removeprefix(" ") for line in source.split("\n") if line.lstrip().startswith("#"))
        self.functions += functions_in(comments)
        for node in nodes:
            if id(node) in docs and "def " in node.value:
                self.functions += functions_in(node.value)

    def read_unparsed(self, path, source):
        """A Python file that has no syntax tree, or too large a one: function by function."""
        self.functions += functions_in(text_of(source) or source.decode("latin-1"))
        cookie = next((found for line in source.split(b"\n")[:2] if (found := COOKIE.match(line))), None)
        if cookie is not None and not is_known_encoding(cookie[1].decode()):
            self.unread.append(f"{path} is written in an encoding of its own, {cookie[1].decode()[:40]}")

    def read_files(self, tree, paths):
        """All that is no module."""
        for path in paths[:MAX_DATA_FILES]:
            place = os.path.join(tree, path)
            with open(place, "rb") as file:
                data = file.read(MAX_PIECE_BYTES)
            known = len(self._unpacking.unread)
            is_read = self._unpacking.open(path, data)
            opaque = self._unpacking.unread[known:] or ([] if is_read else [path])
            loader = self.loader_of(path) if opaque else None
            if loader is not None:
                self.unread.append(f"{opaque[0]}, which {loader} can load")

    def loader_of(self, path):
        """The module that loads code and names the file, or where it lies."""
        name = os.path.basename(path)
        stem, ending = os.path.splitext(name)
        for loader, named in self._loaders:
            told = {one for one in (name, stem, ending, f"*{ending}", path) if len(one) > 3}
            if any(one in told or one.endswith("/" + name) for one in named):
                return loader
        return None

    def finish(self):
        """Makes of texts and code objects what is compared."""
        if len(self._longest) > 1 and self._loaders:
            self._unpacking.open("modules together", b"".join(data for _, (_, data, _) in sorted(self._longest)), 1)
        for _, text in self._unpacking.texts:
            self.functions += functions_in(text)
        for where, data in self._unpacking.codes:
            told = in_a_process(prints_of_marshalled, data)
            if told is None:
                self.unread.append(f"{where} is no code that can be read")
            else:
                self.prints += told
        self.is_cut = self._unpacking.is_cut


def prints_of_marshalled(data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = marshal.loads(data)
    return [] if not hasattr(found, "co_consts") else list(prints_in(found))


def literals(nodes, docs):
    """
    (line, bytes, whether it is one literal) of every long text, and of what is written in pieces: sums, joined lists,
    everything of a module in turn.
    """
    texts, blobs, inner = [], [], set()
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)) and id(node) not in docs:
            data = as_bytes(node.value)
            if len(data) >= LITERAL_CHARACTERS:
                yield node.lineno, data, True
            if len(data) >= PIECE_CHARACTERS:
                (texts if isinstance(node.value, str) else blobs).append((node.lineno, node.col_offset, data))
        elif isinstance(node, (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.JoinedStr, ast.Call)):
            yield from joined(node)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            yield from () if id(node) in inner else summed(node, inner)
    for pieces in (texts, blobs):
        if len(pieces) > 1:
            yield pieces[0][0], b"".join(data for _, _, data in sorted(pieces)), False


def joined(node):
    parts = node.values if isinstance(node, (ast.Dict, ast.JoinedStr)) else node.args if isinstance(node, ast.Call) else node.elts
    values = [part.value for part in parts if isinstance(part, ast.Constant)]
    if len(values) >= LITERAL_CHARACTERS and all(type(value) is int and 0 <= value < 256 for value in values):
        yield node.lineno, bytes(values), True
    for kind in (str, bytes):
        pieces = [as_bytes(value) for value in values if isinstance(value, kind)]
        if len(pieces) > 1 and sum(map(len, pieces)) >= LITERAL_CHARACTERS:
            yield node.lineno, b"".join(pieces), False
            yield node.lineno, b"".join(reversed(pieces)), False


def summed(node, inner):
    """`inner` gets the sums in it, which are not worth it again."""
    pieces, waiting = [], [node]
    while waiting and len(pieces) < 5000:
        one = waiting.pop()
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add):
            inner.add(id(one))
            waiting += [one.right, one.left]
        elif isinstance(one, ast.Constant) and isinstance(one.value, (str, bytes)):
            pieces.append(as_bytes(one.value))
    if len(pieces) > 2 and sum(map(len, pieces)) >= LITERAL_CHARACTERS:
        yield node.lineno, b"".join(pieces), False


def as_bytes(value):
    """A text of characters up to 255 may be bytes under another name."""
    if isinstance(value, bytes):
        return value
    if not value.isascii() and max(map(ord, value), default=0) < 256 and sum(ord(one) > 127 for one in value) * 4 > len(value):
        return value.encode("latin-1")
    return value.encode("utf-8", "surrogatepass")


def functions_in(text):
    """Syntax trees of the functions in a text, whatever stands around them."""
    found = parsed_functions(text)
    return found if found is not None else [node for block in blocks(text) for node in parsed_functions(block) or ()]


def parsed_functions(text):
    """Null for a text that is not Python as a whole."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(textwrap.dedent(text))
        return [node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def blocks(text):
    """From each `def` to the end of what is indented below it."""
    lines, end = text.split("\n"), 0
    for number, line in enumerate(lines):
        head = FUNCTION.match(line) if number >= end else None
        if head is None:
            continue
        end = number + 1
        while end < len(lines) and (
            not lines[end].strip()
            or len(lines[end]) - len(lines[end].lstrip()) > len(head[1])
            or lines[end].lstrip()[:1] == ")"
        ):
            end += 1
        yield "\n".join(lines[number:end])


def is_text(body):
    first = body[0] if body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)


def is_only_re(nodes):
    """`compile` is what regular expressions do, too."""
    used = [
        node
        for node in nodes
        if isinstance(node, (ast.Name, ast.Attribute)) and (getattr(node, "id", None) or getattr(node, "attr", None)) in LOADING
    ]
    imports = any(
        alias.name.rpartition(".")[2] in LOADING for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names
    )
    return not imports and all(isinstance(node, ast.Attribute) and node.attr in ("compile", "eval") for node in used)


def is_known_encoding(name):
    try:
        return codecs.lookup(name) is not None
    except (LookupError, ValueError):
        return False
