"""Deletes targets from a library that it does not use itself, with their imports and exports."""

import ast
import collections

from library import Uses, absolute, flattened, handed_out
from places import applied, edits_of, found, functions_of, is_among


def may_go(library, path, used, running):
    """Whether nothing but tests asks for it: what the library uses itself would take other tests along."""
    place = found(library, path)
    if place is None or any(is_among(running, of, one) for of, one in functions_of(library, path)):
        return False
    module, node, owner = place
    users = used[("symbol", module.name, node.name) if owner is None else node.name]
    is_used = any(user != path and not user.startswith(f"{path}.") for user in users)
    return not is_used and (owner is None or node.name not in handed_out(owner))


def used_by(library):
    """
    Definitions, as ("symbol", module, name), and names of attributes → the dotted places in which they are used, otherwise
    than to import them on.
    """
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
