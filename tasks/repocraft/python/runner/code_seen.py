"""Tells of code that runs and does not come from a file the integrity scan has read: what was unpacked, decoded or received.

An audit hook, which nothing can take away again, sees every code object that is executed, made a function of, or given to one.
What the ordinary loader executes of a candidate's file lies open, if what it compiled is the file's text, to the byte, and that
loader is what it was at that moment; of all else the larger functions' prints (code_prints.py) are told to the parent. Whether
they are the reference's is found out where that is known.

What the hook calls has globals and built-in functions of its own, and no module, frame or exception leads there: nothing it is
handed is asked anything that its class could answer, no garbage is collected and no other hook is added meanwhile. What does
lead there (the garbage collector's lists, the frames of other threads) or by it (Python's own functions, called from C) is told
as `unwatched`. Copies of this process tell as it does.

Not seen: what is executed by a process that was started anew, by compiled modules, by an interpreter of the candidate's own; and
who finds the frames of the hook from a signal.
"""

import _frozen_importlib as bootstrap
import _frozen_importlib_external as external
import _io
import builtins
import importlib.machinery
import marshal
import os
import sys
from gc import disable, enable, isenabled
from hashlib import blake2b
from itertools import count
from os import O_CLOEXEC, O_RDONLY, _exit, close, fstat, read, write
from os import open as open_file
from sys import _getframe
from types import CodeType, FunctionType

import code_prints

# Nobody makes as many functions in a test; who does is not watched any more.
MOST_PRINTS = 20_000
EXIT_EXCHANGED = 70
HEADER_BYTES = 16  # Of a compiled module.
UNWATCHED = b"unwatched"
EVENTS = frozenset(
    (
        *("exec", "function.__new__", "object.__setattr__", "compile", "marshal.loads"),
        *("gc.get_objects", "gc.get_referrers", "sys._current_frames", "ctypes.dlsym", "import", "sys.addaudithook"),
    )
)
OTHER_INTERPRETERS = ("_xxsubinterpreters", "_interpreters", "_testcapi", "_testinternalcapi")
# Names of what executes code, or finds what does, for whoever calls Python as a library.
INTERPRETER = ("PyRun_", "PyEval_", "Py_Compile", "PyCode_", "PyFunction_", "PyMarshal_", "PyImport_Exec", "PySys_", "_Py", "dlsym", "dlvsym")


def watch_code(key, dialogue, roots, delivered):
    """
    `key`: of the lines about code, `[number, "code", print]` behind their keyed hash, which come in any order. `roots`: of the
    candidate, which cannot be written. `delivered`: syntax trees of the modules beside the test, which may be the reference's.
    """
    names = {"__builtins__": dict(vars(builtins))}
    for module in (vars(code_prints), globals()):
        for name, value in module.items():
            if name != "__builtins__":
                names[name] = FunctionType(value.__code__, names, name, value.__defaults__) if type(value) is FunctionType else value
    names["begin"](key, dialogue, roots, delivered)
    # Its frame is the one that an error of its own would lead to.
    needed = (names["handle"], type, str, EVENTS, isenabled, disable, enable)
    sys.addaudithook(FunctionType(hook.__code__, {"__builtins__": dict(vars(builtins))}, "hook", needed))


def begin(key, dialogue, roots, delivered):
    """Called once, as one of the private functions: their names, which are no others' globals, hold what they need."""
    own = globals()
    own["INSIDE"] = tuple(root.rstrip("/") + "/" for root in roots)
    own["STANDARD"] = (os.path.dirname(os.__file__) + "/", *(path.rstrip("/") + "/" for path in sys.path if "-packages" in path))
    own["KEY"], own["DIALOGUE"], own["PLACE"] = key, dialogue, (fstat(dialogue).st_ino, fstat(dialogue).st_dev)
    own["NUMBER"], own["TOLD"] = count(1).__next__, {print_ for tree in delivered for print_ in prints_of(tree)}
    # `SEEN`: number of a code object → it, so that no other gets its number. `PROVED`: the frame of a loader whose code was looked
    # at; `KEPT`: those that executed nothing, since what they hold may do something when it goes.
    own["SEEN"], own["PROVED"], own["KEPT"], own["IS_UNWATCHED"] = {}, None, [], False
    own["EXECUTE"], own["EXEC_MODULE"] = bootstrap._call_with_frames_removed.__code__, external._LoaderBasics.exec_module.__code__
    own["GET_CODE"], own["TO_CODE"] = external.SourceLoader.get_code.__code__, external.SourceLoader.source_to_code.__code__
    own["OF_BYTES"], own["LOADER"] = external._compile_bytecode.__code__, importlib.machinery.SourceFileLoader
    own["TAG"], own["PREFIX"] = sys.implementation.cache_tag, sys.pycache_prefix
    own["BOOTSTRAP"], own["EXTERNAL"], own["SYSTEM"] = vars(bootstrap), vars(external), vars(sys)
    seal_loader()


def prints_of(tree):
    try:
        return list(prints_in(compile(tree, "<delivered>", "exec", dont_inherit=True)))
    except (SyntaxError, ValueError, RecursionError):
        return []


def hook(event, arguments, handle, kind, text, events, is_enabled, disable, enable):
    if kind(event) is not text or event not in events:
        return
    collects, failed = is_enabled(), False
    disable()
    try:
        handle(event, arguments)
    except BaseException:
        failed = True
    del handle, kind, text, events, is_enabled, disable
    if collects:
        enable()
    if failed:
        # Not the error itself, whose traceback has frames of the hook's. Where there is no room on the stack, there is none for `exec`.
        raise RuntimeError("this cannot be executed here")


def handle(event, arguments):
    global PROVED
    if event == "compile" or event == "marshal.loads":
        if PROVED is not None:
            KEPT.append(PROVED)
        PROVED = proved(event, arguments)
    elif event == "exec":
        if arguments and not lies_open(_getframe(2)):
            saw(arguments[0])
    elif event == "function.__new__":
        if arguments:
            saw(arguments[0])
    elif event == "object.__setattr__":
        if len(arguments) > 2 and type(arguments[1]) is str and arguments[1] == "__code__":
            saw(arguments[2])
    elif event == "sys.addaudithook":
        raise RuntimeError  # So it is not added.
    elif event == "import":
        if arguments and type(arguments[0]) is str and arguments[0] in OTHER_INTERPRETERS:
            unwatched()
    elif event != "ctypes.dlsym" or (len(arguments) > 1 and type(arguments[1]) is str and arguments[1].startswith(INTERPRETER)):
        unwatched()


def lies_open(frame):
    """Executed by the loader whose code was looked at, and nothing in between."""
    global PROVED
    known, PROVED = PROVED, None
    if known is None or (is_frame(frame, EXECUTE, BOOTSTRAP) and frame.f_back is known):
        return known is not None
    KEPT.append(known)
    return False


def is_frame(frame, code, names):
    return frame is not None and frame.f_code is code and frame.f_globals is names


def proved(event, arguments):
    """The frame that will execute what comes of this, where that is the text of the file, or what was compiled of it and lies beside it."""
    frame = _getframe(3)
    if event == "compile":
        if not (is_frame(frame, EXECUTE, BOOTSTRAP) and is_frame(frame.f_back, TO_CODE, EXTERNAL)):
            return None
        frame = frame.f_back
    elif not is_frame(frame, OF_BYTES, EXTERNAL):
        return None
    inner, outer = frame.f_back, frame.f_back and frame.f_back.f_back
    if not (is_frame(inner, GET_CODE, EXTERNAL) and is_frame(outer, EXEC_MODULE, EXTERNAL)):
        return None
    path = path_of(outer.f_locals.get("self"))
    if path is None or not is_loader_sealed() or not arguments or type(arguments[0]) is not bytes:
        return None
    if event == "compile":
        return outer if content(path) == arguments[0] else None
    folder, _, name = path.rpartition("/")
    compiled = f"{folder}/__pycache__/{name[: -len('.py')]}.{TAG}.pyc"
    return outer if content(compiled)[HEADER_BYTES:] == arguments[0] else None


def path_of(loader):
    """Null for another loader than the ordinary one, for one with something of its own, and for what can be written."""
    if type(loader) is not LOADER:
        return None
    own = vars(loader)
    for name in own:
        if type(name) is not str:
            return None
    path = own.get("path")
    if len(own) != 2 or "name" not in own or type(path) is not str:
        return None
    return path if path.startswith((*INSIDE, *STANDARD)) and "/." not in path else None


def content(path):
    """Empty where it cannot be read."""
    try:
        file, parts = open_file(path, O_RDONLY | O_CLOEXEC), []
    except OSError:
        return b""
    while part := read(file, 1 << 20):
        parts.append(part)
    close(file)
    return b"".join(parts)


def saw(code):
    if type(code) is not CodeType or id(code) in SEEN:
        return
    SEEN[id(code)] = code
    for print_ in prints_in(code):
        if print_ in TOLD:
            continue
        if len(TOLD) >= MOST_PRINTS:
            unwatched()
            return
        TOLD.add(print_)
        tell(print_.encode())


def unwatched():
    global IS_UNWATCHED
    if not IS_UNWATCHED:
        IS_UNWATCHED = True
        tell(UNWATCHED)


def tell(text):
    line = b'[%d,"code","%b"]' % (NUMBER(), text)
    data = blake2b(line, key=KEY).hexdigest().encode() + b" " + line + b"\n"
    while data:
        found = fstat(DIALOGUE)
        if (found.st_ino, found.st_dev) != PLACE:
            _exit(EXIT_EXCHANGED)
        data = data[write(DIALOGUE, data) :]


def seal_loader():
    """Notes what makes code of files, and looks for compiled files."""
    own = globals()
    parts = [(EXTERNAL, key, value) for key, value in EXTERNAL.items() if isinstance(value, (FunctionType, type))]
    parts += [(vars(value), key, one) for value in EXTERNAL.values() if isinstance(value, type) for key, one in vars(value).items()]
    parts += [(BOOTSTRAP, "_call_with_frames_removed", BOOTSTRAP["_call_with_frames_removed"])]
    parts += [(vars(module), key, vars(module)[key]) for module, keys in ((marshal, ("loads",)), (_io, ("open_code", "FileIO"))) for key in keys]
    parts += [(vars(builtins), key, vars(builtins)[key]) for key in ("compile", "exec", "memoryview")]
    own["PARTS"] = tuple(parts)
    own["TABLES"] = (EXTERNAL, BOOTSTRAP, SYSTEM, vars(marshal), vars(_io), vars(builtins))
    own["CODES"] = tuple((value, value.__code__) for _, _, value in parts if isinstance(value, FunctionType))


def is_loader_sealed():
    for table in TABLES:
        for name in table:
            if type(name) is not str:
                return False
    if SYSTEM.get("pycache_prefix") is not PREFIX:
        return False
    for names, key, value in PARTS:
        if names.get(key) is not value:
            return False
    for function, code in CODES:
        if function.__code__ is not code:
            return False
    return True
