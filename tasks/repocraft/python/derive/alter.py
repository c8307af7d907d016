"""
Takes from a library what its tests ask for: symbols deleted that it does not use itself (`partial`), one operation changed in
each (`mutated`), bodies that only stand for one (`stubbed`), bodies that do their work and hand out another result (`decoys`).
Names, signatures and docstrings stay. Functions that run while the library is imported are left as they are, and whatever else
it cannot be imported without: a library that cannot be imported fails every test, and shows nothing.
"""

import ast
import collections
import functools
import random

from adapt import Edits
from library import SCOPES, Uses, absolute, flattened, handed_out

ARITHMETIC = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "+"}
COMPARED = {ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "==", ast.In: "not in",
            ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is"}

OTHER = '''
def _other_result(value):
    kind = type(value)
    if kind is bool:
        return not value
    if kind in (int, float, complex):
        return value + 1
    if kind is str:
        return value[::-1] + "x"
    if kind is bytes:
        return value[::-1] + b"x"
    if kind in (list, tuple):
        return value[1:] if len(value) else kind([None])
    if kind in (dict, set, frozenset):
        return kind()
    return None if value is not None else 1

'''


def found(library, path):
    """The module and the definition a dotted path leads to, and the class around it; None where it is none."""
    parts = path.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        module = library.modules.get(".".join(parts[:cut]))
        if module is None:
            continue
        body, owner, node = module.tree.body, None, None
        for name in parts[cut:]:
            owner, node = node, next((one for one in flattened(body) if getattr(one, "name", None) == name and isinstance(one, SCOPES)), None)
            if node is None:
                return None
            body = node.body
        return module, node, owner
    return None


def functions_of(library, path):
    """The functions behind a target: itself, or the methods of a class that are not Python's own protocol."""
    place = found(library, path)
    if place is None:
        return []
    module, node, _ = place
    if not isinstance(node, ast.ClassDef):
        return [(module, node)]
    return [(module, item) for item in flattened(node.body) if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))]


def altered(library, kind, targets, seed, share, start):
    """({path: text}, [target paths that were altered]). `start`: how the library's tests begin, which they still can."""
    chance, paths, running = random.Random(f"{seed}/{kind}"), sorted(set(targets)), start.running()
    if kind == "partial":
        used = used_by(library)
        free = [path for path in paths if may_go(library, path, used, running)]
        drawn = sorted(chance.sample(free, min(round(share * len(paths)), len(free))))
        made = functools.partial(without, library)
    else:
        drawn = [path for path in paths if chance.random() < share]
        made = functools.partial(otherwise, library, kind=kind, seed=seed, running=running)
    return made(holding(drawn, lambda paths: start.works_with(made(paths)[0])))


def holding(drawn, works):
    """As many of the drawn as there can be together, found by halving."""
    works, kept = functools.cache(works), ()

    def take(part):
        nonlocal kept
        if works(kept + part):
            kept += part
        elif len(part) > 1:
            take(part[:len(part) // 2])
            take(part[len(part) // 2:])

    take(tuple(drawn))
    return kept


def otherwise(library, paths, kind, seed, running):
    alter, edits = {"mutated": mutate, "stubbed": stub, "decoys": disguise}[kind], {}
    done = [path for path in paths if alter(library, path, edits, random.Random(f"{seed}/{kind}/{path}"), running)]
    texts = applied(edits)
    return {path: with_helper(text) for path, text in texts.items()} if kind == "decoys" else texts, done


def applied(edits):
    return {module.path: edit.applied() for module, edit in edits.items() if edit.edits}


def edits_of(edits, module):
    return edits.setdefault(module, Edits(module.source))


def runs_at_start(module, node, running):
    first = min([node.lineno] + [item.lineno for item in node.decorator_list])
    return (module.path, node.lineno) in running or (module.path, first) in running


# --- partial

def may_go(library, path, used, running):
    """Whether nothing but tests asks for it: what the library uses itself would take other tests along."""
    place = found(library, path)
    if place is None or any(runs_at_start(of, one, running) for of, one in functions_of(library, path)):
        return False
    module, node, owner = place
    users = used[("symbol", module.name, node.name) if owner is None else node.name]
    is_used = any(user != path and not user.startswith(f"{path}.") for user in users)
    return not is_used and (owner is None or node.name not in handed_out(owner))


def used_by(library):
    """Definitions, as ("symbol", module, name), and names of attributes → the dotted places in which they are used, otherwise than to import them on."""
    used = collections.defaultdict(set)
    for module in library.modules.values():
        Using(library, module, used).visit(module.tree)
    return used


class Using(Uses):
    def __init__(self, library, module, used):
        super().__init__(library, module)
        self.used, self.within = used, [module.name]

    def visit_FunctionDef(self, node):
        self.within.append(node.name)
        super().visit_FunctionDef(node)
        self.within.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_ClassDef(self, node):
        self.within.append(node.name)
        super().visit_ClassDef(node)
        self.within.pop()

    def on_member(self, node):
        self.note(node.attr)

    def on_chain(self, chain, targets):
        known = [target for target in targets if target is not None]
        for what in [*known, *[link.attr for link in chain[len(known):]]]:
            self.note(what)

    def on_name(self, _node, target):
        self.note(target)

    def note(self, what):
        self.used[what].add(".".join(self.within))


def without(library, paths):
    edits = {}
    for path in paths:
        module, node, owner = found(library, path)
        for same in [one for one in flattened(owner.body if owner else module.tree.body) if getattr(one, "name", None) == node.name]:
            replace_whole(edits_of(edits, module), same, "pass")
    drop_imports(library, set(paths), edits)
    return applied(edits), list(paths)


def replace_whole(edit, node, text):
    """With its decorators."""
    first = min([node.lineno] + [item.lineno for item in node.decorator_list])
    column = len(edit.lines[node.lineno - 1]) - len(edit.lines[node.lineno - 1].lstrip())
    start, end = edit.starts[first - 1] + column, edit.starts[node.end_lineno - 1] + node.end_col_offset
    edit.edits = [one for one in edit.edits if not start <= one[0] < end]
    if not any(one[0] <= start and end <= one[1] for one in edit.edits):
        edit.edits.append((start, end, text.encode()))


def drop_imports(library, deleted, edits):
    gone = {tuple(path.rsplit(".", 1)) for path in deleted}
    for module in library.modules.values():
        for node in module.imports:
            source = absolute(node, module.package)
            kept = [alias for alias in node.names if not leads_to(library, source, alias.name, gone)]
            if len(kept) < len(node.names):
                text = ast.unparse(ast.ImportFrom(module=node.module, names=kept, level=node.level)) if kept else "pass"
                replace_outside(edits_of(edits, module), node, text)
        for node in module.tree.body:
            if isinstance(node, ast.Assign) and any(getattr(target, "id", None) == "__all__" for target in node.targets):
                drop_exports(library, module, node, gone, edits)


def leads_to(library, module, name, gone):
    target = library.resolve(module, name)
    return target is not None and target[0] == "symbol" and target[1:] in gone


def drop_exports(library, module, node, gone, edits):
    if not isinstance(node.value, (ast.List, ast.Tuple)):
        return
    kept = [item for item in node.value.elts if not (isinstance(item, ast.Constant) and leads_to(library, module.name, item.value, gone))]
    if len(kept) < len(node.value.elts):
        replace_outside(edits_of(edits, module), node.value, ast.unparse(ast.List(elts=kept, ctx=ast.Load())))


def replace_outside(edit, node, text):
    """Unless it lies in something that goes as a whole."""
    start = edit.starts[node.lineno - 1] + node.col_offset
    if not any(one[0] <= start < one[1] for one in edit.edits):
        edit.replace(node, text)


# --- stubbed, decoys, mutated: the bodies of functions

def each_function(library, path, edits, running):
    for module, node in functions_of(library, path):
        edit = edits_of(edits, module)
        body = body_of(node)
        if not body or runs_at_start(module, node, running) or is_hidden(node) or body[0].lineno == node.lineno:
            continue
        span = (edit.starts[body[0].lineno - 1] + body[0].col_offset, edit.starts[body[-1].end_lineno - 1] + body[-1].end_col_offset)
        if not any(span[0] <= one[0] < span[1] for one in edit.edits):
            yield edit, node, body, span


def is_hidden(node):
    """Python's own protocol, except making and comparing; overloads."""
    decorators = {getattr(item, "attr", getattr(item, "id", "")) for item in node.decorator_list}
    protocol = node.name.startswith("__") and node.name.endswith("__") and node.name not in ("__call__", "__eq__", "__getitem__", "__iter__", "__len__")
    return protocol or bool(decorators & {"overload", "abstractmethod"})


def body_of(node):
    """Without the docstring; statements that share the definition's line are left alone."""
    first = node.body[0]
    is_doc = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return node.body[1:] if is_doc else node.body


def stub(library, path, edits, chance, running):
    texts = ["pass", "return None", "raise NotImplementedError", "return {}"]
    done = False
    for edit, _node, _body, (start, end) in each_function(library, path, edits, running):
        edit.edits.append((start, end, texts[chance.randrange(len(texts))].encode()))
        done = True
    return done


def disguise(library, path, edits, _chance, running):
    done = False
    for edit, node, body, (start, end) in each_function(library, path, edits, running):
        results = [one for one in own_nodes(body) if isinstance(one, (ast.Return, ast.Yield)) and one.value is not None]
        if results:
            for one in results:
                at = one.value
                # Twice, for `return a, b`.
                edit.edits.append((place(edit, at), place(edit, at), b"_other_result(("))
                edit.edits.append((end_place(edit, at), end_place(edit, at), b"))"))
        elif isinstance(body[-1], ast.Raise):
            continue
        else:
            edit.edits.append((start, end, b"return _other_result(None)"))
        done = True
    return done


def place(edit, node):
    return edit.starts[node.lineno - 1] + node.col_offset


def end_place(edit, node):
    return edit.starts[node.end_lineno - 1] + node.end_col_offset


def own_nodes(body):
    """Not of functions in it, nor in f-strings, where Python 3.11 places some nodes wrongly."""
    todo = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, (*SCOPES, ast.JoinedStr)):
            continue
        yield node
        todo.extend(ast.iter_child_nodes(node))


def with_helper(text):
    """After the docstring and `from __future__` imports."""
    line = 0
    for node in ast.parse(text).body:
        is_doc = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        if not is_doc and not (isinstance(node, ast.ImportFrom) and node.module == "__future__"):
            break
        line = node.end_lineno
    lines = text.splitlines(keepends=True)
    if line and not lines[line - 1].endswith("\n"):
        lines[line - 1] += "\n"
    return "".join([*lines[:line], OTHER, *lines[line:]])


def mutate(library, path, edits, chance, running):
    """One operation of one function behind the target."""
    choices = []
    for edit, _node, body, _span in each_function(library, path, edits, running):
        choices += [(edit, at, text) for node in own_nodes(body) for at, text in mutations(node)]
    if not choices:
        return False
    choices.sort(key=lambda one: (id_of(one[0]), one[1].lineno, one[1].col_offset, one[2]))
    edit, at, text = choices[chance.randrange(len(choices))]
    edit.replace(at, text)
    return True


def id_of(edit):
    return edit.lines[0][:80] + str(len(edit.lines)).encode()


def mutations(node):
    """Every way to change what one operation means: (node to replace, its text)."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in COMPARED:
        yield node, f"(({ast.unparse(node.left)}) {COMPARED[type(node.ops[0])]} ({ast.unparse(node.comparators[0])}))"
    elif isinstance(node, ast.BoolOp):
        word = " and " if isinstance(node.op, ast.Or) else " or "
        yield node, "(" + word.join(f"({ast.unparse(value)})" for value in node.values) + ")"
    elif isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC and not is_text(node):
        yield node, f"(({ast.unparse(node.left)}) {ARITHMETIC[type(node.op)]} ({ast.unparse(node.right)}))"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node, f"bool({ast.unparse(node.operand)})"
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)) and not isinstance(node.test, (ast.Compare, ast.BoolOp, ast.UnaryOp)):
        yield node.test, f"(not ({ast.unparse(node.test)}))"
    elif isinstance(node, ast.Return) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, (bool, int)):
        yield node.value, repr(not node.value.value if isinstance(node.value.value, bool) else node.value.value + 1)


def is_text(node):
    return any(isinstance(leaf, (ast.JoinedStr, ast.Constant)) and isinstance(getattr(leaf, "value", ""), (str, list)) for leaf in (node.left, node.right))
