"""Tells of code that runs and does not come from a file the integrity scan has read: what was unpacked, decoded or received.

An audit hook, which nothing can take away again, sees every code object that is executed, made a function of, or given to one.
What the ordinary loader executes of a candidate's file lies open, as long as that loader is what it was; of all else the larger
functions' prints (code_prints.py) are told to the parent. Whether they are the reference's is found out where that is known.

Not seen: what another process or another interpreter of this one executes, and what compiled modules do.
"""

import _frozen_importlib_external as external
import _io
import importlib.machinery
import marshal
import os
import sys
import types

from code_prints import prints_in

MOST_PRINTS = 4000


def watch_code(tell, roots, folder, delivered):
    """
    `tell`: gets a text for each new print. `roots`: of the candidate, which cannot be written. `delivered`: modules in `folder` by path,
    read before the candidate was there.
    """
    getframe, code_type, source_loader = sys._getframe, types.CodeType, importlib.machinery.SourceFileLoader
    kind, inside, names_of = type, tuple(root.rstrip("/") + "/" for root in roots), vars
    execute, exec_module = bootstrap_code("_call_with_frames_removed"), external._LoaderBasics.exec_module.__code__
    standard = (os.path.dirname(os.__file__) + "/", *(path.rstrip("/") + "/" for path in sys.path if "-packages" in path))
    known = {os.path.join(folder, path) for path in delivered}
    intact, told, seen = loader_seal(), set(), set()
    kept = []
    prints, join, most = prints_in, os.path.normpath, MOST_PRINTS

    def lies_open(frame):
        """Executed by the ordinary loader, of a file that was read, or that is not the candidate's."""
        if frame is None or frame.f_code is not execute or frame.f_back is None or frame.f_back.f_code is not exec_module:
            return False
        loader = frame.f_back.f_locals.get("self")
        if kind(loader) is not source_loader or names_of(loader).keys() != {"name", "path"} or not intact():
            return False
        path = join(loader.path)
        return path in known or path.startswith(inside) or path.startswith(standard)

    def saw(code):
        if kind(code) is not code_type or id(code) in seen:
            return
        seen.add(id(code))
        kept.append(code)  # So that no other gets its number.
        for print_ in prints(code):
            if print_ not in told and len(told) < most:
                told.add(print_)
                tell(print_)

    def hook(event, arguments):
        if event == "exec":
            code = arguments[0]
        elif event == "function.__new__":
            code = arguments[0]
        elif event == "object.__setattr__" and arguments[1] == "__code__":
            code = arguments[2]
        else:
            return
        if event != "exec" or not lies_open(getframe(1)):
            saw(code)

    sys.addaudithook(hook)


def bootstrap_code(name):
    import _frozen_importlib

    return getattr(_frozen_importlib, name).__code__


def loader_seal():
    """The function that says whether what makes code of files is what it was, and looks for compiled files where it did."""
    parts = [(vars(external), key, value) for key, value in vars(external).items() if isinstance(value, (types.FunctionType, type))]
    parts += [(vars(value), key, one) for value in vars(external).values() if isinstance(value, type) for key, one in vars(value).items()]
    parts += [(vars(module), key, vars(module)[key]) for module, keys in ((marshal, ("loads",)), (_io, ("open_code", "FileIO"))) for key in keys]
    codes = [(value, value.__code__) for _, _, value in parts if isinstance(value, types.FunctionType)]
    system, prefix = sys, sys.pycache_prefix

    def intact():
        return (
            system.pycache_prefix is prefix
            and all(names.get(key) is value for names, key, value in parts)
            and all(function.__code__ is code for function, code in codes)
        )

    return intact
