"""What may be imported: the standard library, the candidate, and installed packages; the candidate's own code only those
packages that its project declares as dependencies. The same rule for everybody, the reference included."""

import builtins
import os
import sys
import sysconfig
from importlib.machinery import PathFinder

# Functions of this module find Python's own names here: what the candidate does to those of `builtins` reaches none of them.
__builtins__ = dict(vars(builtins))


def admit(roots, folder, dependencies):
    """
    Makes the candidate importable, behind everything installed, so that it cannot stand in for what judges it: its own
    code finds its modules first. Refuses strays, links followed. `dependencies`: top-level names; null = all that is installed.
    """
    paths = sysconfig.get_paths()
    installed = [paths["purelib"], paths["platlib"]]
    sys.path += roots
    allowed = [paths["stdlib"], paths["platstdlib"], *installed, *roots, folder]
    inside = tuple(os.path.realpath(path) + os.sep for path in allowed)
    sys.meta_path.insert(0, guard(inside, tuple(roots), None if dependencies is None else frozenset(dependencies)))


def lacks_package(error, roots, exists=os.path.exists, join=os.path.join):
    """Whether a statement of the candidate imports what is no part of it: what it says is a hint, so it may be lied to."""
    try:
        place, trace = "", error.__traceback__
        while trace is not None:
            path = trace.tb_frame.f_code.co_filename
            if path != __file__ and not path.startswith("<frozen "):
                place = path
            trace = trace.tb_next
        if type(error.name) is not str:
            return False
        top = error.name.partition(".")[0]
        own = any(exists(join(root, top)) or exists(join(root, top + ".py")) for root in roots)
        return place.startswith(tuple(root.rstrip("/") + "/" for root in roots)) and not own
    except Exception:
        return False


def guard(allowed, roots, dependencies):
    """A finder in front of the ordinary one."""
    find, realpath, getframe = PathFinder.find_spec, os.path.realpath, sys._getframe
    paths = sysconfig.get_paths()
    library, packages = (tuple(paths[name] + os.sep for name in names) for names in (("stdlib", "platstdlib"), ("purelib", "platlib")))
    candidate = tuple(root + os.sep for root in roots)
    standard = sys.stdlib_module_names
    own_path = list(roots)

    def by_candidate():
        """Python's own library imports on behalf of whoever calls it; a thread that begins there may be anybody's."""
        frame = getframe(2)
        while frame is not None and is_library(frame.f_code.co_filename):
            frame = frame.f_back
        return frame is None or frame.f_code.co_filename.startswith(candidate)

    def is_library(path):
        return path.startswith("<frozen ") or (path.startswith(library) and not path.startswith(packages))

    class Guard:
        @staticmethod
        def find_spec(name, path=None, target=None):
            top = name.partition(".")[0]
            foreign = dependencies is not None and top not in dependencies and top not in standard and by_candidate()
            spec = find(name, own_path if foreign and path is None else path, target)
            if spec is None and foreign:
                # Said here: the finders behind this one would look everywhere.
                raise ModuleNotFoundError(f"No module named {name!r}: neither the candidate's nor a declared dependency", name=name)
            if spec is None:
                return None
            places = [spec.origin] if spec.has_location and spec.origin else list(spec.submodule_search_locations or ())
            for place in places:
                place = realpath(place) + os.sep
                if not place.startswith(allowed):
                    raise ImportError(f"import of {name} from {place} is refused: outside the candidate", name=name)
                if foreign and not place.startswith(candidate):
                    raise ModuleNotFoundError(f"import of {name} is refused: no declared dependency", name=name)
            return spec

        @staticmethod
        def invalidate_caches():
            PathFinder.invalidate_caches()

    return Guard
