"""Tells whether a test can be had by a library that is not the reference: against a skeleton of what the test itself asks for.

skeletons  {drafts: {key: [{name, kind: class | function | value | exception}]}}   → {key: index as parse.py prints it}
collect    {drafts: {key: {symbols, packages, bindings, test_code, auxiliary_code, functions}}, imports}
           → {key: null | {code, message}}
Arguments: the mode, the request (a JSON file). A skeleton is one package whose modules have names of their own, one for
each symbol; it takes any call and means nothing. `bindings` are null where the test runs as it stands; `collect` adapts the
test, and lets pytest collect it in a process of its own.
"""

import contextlib
import importlib
import json
import os
import pathlib
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "candidate"))

import adapt  # noqa: E402
import parse  # noqa: E402

PACKAGE = "workshop"
SHAPE = '''
import opcode
import sys


def unpacked(frame):
    """As many as are asked for at once (`a, b = …`), else none."""
    name, count = opcode.opname[frame.f_code.co_code[frame.f_lasti]], frame.f_code.co_code[frame.f_lasti + 1]
    wanted = {"UNPACK_SEQUENCE": count, "UNPACK_EX": count & 255}.get(name, 0)
    return iter([Shape() for _ in range(wanted)])


class Kind(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Shape()

    def __iter__(cls):
        return unpacked(sys._getframe(1))

    def __getitem__(cls, key):
        return Shape()

    def __or__(cls, other):
        return Shape()


class Shape(metaclass=Kind):
    """Takes whatever is asked of it."""

    def __init__(self, *args, **kwargs):
        pass

    def __init_subclass__(cls, **kwargs):
        pass

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Shape()

    def __call__(self, *args, **kwargs):
        return decorated(args, kwargs)

    def __iter__(self):
        return unpacked(sys._getframe(1))

    def __len__(self):
        return 0

    def __getitem__(self, key):
        return Shape()

    def __enter__(self):
        return self

    def __exit__(self, *args):
        return None

    def same(self, *other):
        return Shape()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = same
    __neg__ = __pos__ = __abs__ = __invert__ = __matmul__ = __mod__ = __floordiv__ = __and__ = __or__ = __xor__ = same
    __rmatmul__ = __rmod__ = __rfloordiv__ = __rand__ = __ror__ = __rxor__ = __lt__ = __le__ = __gt__ = __ge__ = same


def decorated(args, kwargs):
    """What decorates a test leaves it as it is."""
    return args[0] if len(args) == 1 and not kwargs and hasattr(args[0], "__code__") or args and isinstance(args[0], type) else Shape()
'''
TEXTS = {
    "class": "from .shape import Shape\n\n\nclass {name}(Shape):\n    pass\n",
    "exception": "class {name}(Exception):\n    pass\n",
    "function": "from .shape import decorated\n\n\ndef {name}(*args, **kwargs):\n    return decorated(args, kwargs)\n",
    "value": "from .shape import Shape\n\n{name} = Shape()\n",
}


def main(mode, path):
    request = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    if mode == "skeletons":
        return {key: index_of(symbols) for key, symbols in request["drafts"].items()}
    for name in request["imports"]:
        # Not every image has every dependency's extras.
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    return {key: collected(draft) for key, draft in request["drafts"].items()}


def write_skeleton(folder, symbols):
    package = pathlib.Path(folder, PACKAGE)
    package.mkdir()
    files = {"__init__.py": "", "shape.py": SHAPE}
    files.update({f"part_{number}.py": TEXTS[symbol["kind"]].format(**symbol) for number, symbol in enumerate(symbols, 1)})
    for name, text in files.items():
        (package / name).write_text(text, encoding="utf-8")


def index_of(symbols):
    with tempfile.TemporaryDirectory() as folder:
        write_skeleton(folder, symbols)
        return parse.main(folder)


def collected(draft):
    """None where pytest finds every function of the test, else why not."""
    try:
        text = draft["test_code"]
        if draft["bindings"] is not None:
            text = adapt.adapt(text, draft["packages"], adapt.named(draft["bindings"]))
    except adapt.Refused as refusal:
        return {"code": refusal.code, "message": refusal.message}
    with tempfile.TemporaryDirectory() as folder:
        write_skeleton(folder, draft["symbols"])
        for name, content in {**draft["auxiliary_code"], "test_it.py": text}.items():
            pathlib.Path(folder, name).write_text(content, encoding="utf-8")
        report = pathlib.Path(folder, "report.json")
        child = os.fork()
        if child == 0:
            try:
                collect(folder, report, draft["plugins"])
            finally:
                os._exit(70)
        os.waitpid(child, 0)
        found = json.loads(report.read_text(encoding="utf-8")) if report.exists() else {"names": [], "problem": "its process ended"}
    missing = [name for name in draft["functions"] if name not in found["names"]]
    return {"code": "reach.not-collected", "message": found["problem"] or ", ".join(missing)} if missing else None


def collect(folder, report, plugins):
    """Never returns."""
    import pytest

    os.chdir(folder)
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    sys.path[:0] = [folder]
    seen = Seen()
    arguments = ["-c", "/dev/null", "--rootdir", folder, "-p", "no:cacheprovider", "-q", "--noconftest", "--collect-only"]
    arguments += [part for plugin in plugins for part in ("-p", plugin)] + ["test_it.py"]
    pytest.main(arguments, plugins=[seen])
    report.write_text(json.dumps({"names": sorted(seen.names), "problem": seen.problem}), encoding="utf-8")
    os._exit(0)


class Seen:
    """A plugin of pytest that notes what was collected."""

    def __init__(self):
        self.names, self.problem = set(), ""

    def pytest_itemcollected(self, item):
        self.names.add(item.nodeid.partition("::")[2].split("[")[0])

    def pytest_collectreport(self, report):
        if report.failed and not self.problem:
            self.problem = report.longreprtext.strip().split("\n")[-1][:300]


if __name__ == "__main__":
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    json.dump(main(sys.argv[1], sys.argv[2]), sys.stdout)
