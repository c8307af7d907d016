"""
Puts a library under other names: packages, modules, functions and classes by a thesaurus (`renamed`), or the same names at
other places (`moved`). Methods, arguments and values keep their names, since adaptation does not rename them either.
"""

import ast
import builtins
import contextlib
import keyword
import random
import re

from adapt import Edits
from library import Uses, absolute, chain_of, definitions, handed_out

# A path of the library in a string: dotted, or alone where code in the string imports it.
PATH = r"(?<![\w.])(?:%s)(?:\.[A-Za-z_]\w*)+|(?:(?<=\bfrom )|(?<=\bimport ))(?:%s)\b"


class Names:
    """Which module and which definition is called what."""

    def __init__(self, modules=None, symbols=None):
        self.modules, self.symbols = modules or {}, symbols or {}

    def module(self, dotted):
        return self.modules.get(dotted, dotted)

    def of(self, target):
        """
        What a name that leads there is called now; None where it keeps its own. Modules below the package are imported
        under the names they had, so that nobody has to know where else a file binds those.
        """
        if target is None:
            return None
        if target[0] == "module":
            return None if "." in target[1] else self.modules.get(target[1])
        return self.symbols.get(target[1:])


def own_name(target):
    return target[1].rpartition(".")[2] if target[0] == "module" else target[2]


def synonym(identifier, thesaurus, chance):
    """Another name of the same style for every word the thesaurus knows; the same where it knows none."""
    lead = identifier[: len(identifier) - len(identifier.lstrip("_"))]
    parts = re.split(r"(_+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]))", identifier[len(lead):])
    return lead + "".join(in_style(part, thesaurus, chance) for part in parts if part)


def in_style(word, thesaurus, chance):
    known = thesaurus.get(word.lower())
    if not known:
        return word
    other = known[chance % len(known)]
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other[0].upper() + other[1:] if word[0].isupper() else other


def renamed_names(library, tests, compiled, settings, thesaurus, seed):
    """The plan of `renamed`. `tests`: texts that use the library; `compiled`: names that its compiled modules hold."""
    chance = random.Random(f"{seed}/names").randrange(1 << 30)
    identifiers = {leaf for module in library.modules.values() for leaf in identifiers_of(module.tree)}
    kept = compiled | kept_names(library, tests)
    modules, offered = {}, offered_modules(library)
    if settings["modules"]:
        for dotted in library.modules:
            parts = dotted.split(".")
            new = [part if ".".join(parts[: place + 1]) in offered else word_of(part, thesaurus, chance) for place, part in enumerate(parts)]
            new[0] = settings["package"] if parts[0] == settings["top"] else new[0]
            modules[dotted] = ".".join(fixed(parts, new, settings["fixedModules"]))
        modules = without_clashes(modules)
    symbols, called = {}, {}
    for module in library.modules.values():
        for node in definitions(module.tree.body):
            new = called.setdefault(node.name, other_name(node.name, thesaurus, chance, identifiers, kept))
            if new is not None and is_pure(module.name, settings):
                symbols[(module.name, node.name)] = new
    return Names(modules, symbols)


def fixed(parts, new, pattern):
    """Modules that must keep their names (they are found by them at run time) keep everything below the package too."""
    for place in range(1, len(parts)):
        if re.search(pattern, ".".join(parts[: place + 1])):
            return new[:place] + parts[place:]
    return new


def is_pure(dotted, settings):
    return settings["symbolModules"] is None or re.search(settings["symbolModules"], dotted) is not None


def word_of(part, thesaurus, chance):
    return part if part.startswith("__") else synonym(part, thesaurus, chance)


def without_clashes(modules):
    """Two modules of one parent never get one name: the second keeps its own."""
    taken, final = set(), {}
    for dotted in sorted(modules):
        parent, _, last = dotted.rpartition(".")
        lead = f"{final[parent]}." if parent in final else f"{parent}." if parent else ""
        new = lead + modules[dotted].rpartition(".")[2]
        siblings_keep = f"{parent}.{new.rpartition('.')[2]}" if parent else new
        final[dotted] = lead + last if new in taken or (siblings_keep != dotted and siblings_keep in modules) else new
        taken.add(final[dotted])
    return final


def other_name(name, thesaurus, chance, identifiers, kept):
    if (name.startswith("__") and name.endswith("__")) or name in kept:
        return None
    new = synonym(name, thesaurus, chance)
    free = new not in identifiers and not keyword.iskeyword(new) and not hasattr(builtins, new) and new.isidentifier()
    return new if new != name and free else None


def identifiers_of(tree):
    for node in ast.walk(tree):
        for field in ("id", "attr", "arg", "name", "asname"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                yield value


def kept_names(library, tests):
    """Names that are reached otherwise than by name alone: in a string, from a registry, as the tail of a visitor's method, out of a class body."""
    kept = set(bound_twice(library))
    classes = {node.name for module in library.modules.values() for node in definitions(module.tree.body) if isinstance(node, ast.ClassDef)}
    for module in list(library.modules.values()):
        kept |= kept_in(library, module, classes)
    for text in tests:
        with contextlib.suppress(SyntaxError), library.beside("its_test", text) as module:
            kept |= kept_in(library, module, classes) | told_names(module)
    return kept


def told_names(module):
    """What a test's strings name among other words, such as a class in the message it expects."""
    texts = [node.value for node in ast.walk(module.tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return {name for text in texts for name in re.findall(r"[A-Za-z]\w*", text) if "_" in name or not name.islower()}


def kept_in(library, module, classes):
    kept, told = set(), docstrings(module.tree) | set(map(id, exports(module.tree)))
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
            kept.update(re.findall(r"[A-Za-z_]\w*" if len(node.value) < 80 and " " not in node.value else CALLED, node.value))
        elif isinstance(node, ast.ClassDef):
            kept.update(handed_out(node))
            for item in node.body:
                if isinstance(item, ast.FunctionDef):
                    # `_print_Add`, `from_Ring`: found by the name of a class.
                    family, _, tail = item.name.rpartition("_")
                    kept.update({tail} if family.startswith("_") else {tail} & classes)
    reached = Reached(library, module)
    reached.visit(module.tree)
    return kept | reached.registered | (reached.members & classes) | reached.misplaced


# In a string of several words: what code in it would call.
CALLED = r"\b([A-Za-z_]\w*)(?=\()"


class Reached(Uses):
    """
    What a module reaches otherwise than by name: attributes of what is no module (registries hand their classes out as
    members), definitions handed to a registry's decorator, names in f-strings that Python 3.11 places wrongly.
    """

    def __init__(self, library, module):
        super().__init__(library, module)
        self.lines = module.source.encode().split(b"\n")
        self.members, self.registered, self.misplaced = set(), set(), set()

    def on_member(self, node):
        self.members.add(node.attr)

    def on_chain(self, chain, targets):
        known = [target for target in targets if target is not None]
        self.members.update(link.attr for link in chain[len(known):])
        if not is_at(self.lines, chain[0]):
            self.misplaced.update(target[2] for target in known if target[0] == "symbol")

    def on_name(self, node, target):
        if not is_at(self.lines, node):
            self.misplaced.add(node.id)

    def on_definition(self, node, target):
        if target is not None:
            makers = [item.func if isinstance(item, ast.Call) else item for item in node.decorator_list]
            if any(self.is_registry(maker) for maker in makers):
                self.registered.add(node.name)

    def is_registry(self, maker):
        """`@library.filter`: an attribute of something made here, not of a module or of what comes from outside."""
        chain = chain_of(maker) if isinstance(maker, ast.Attribute) else []
        if not chain or self.is_of_module(maker):
            return False
        ways = self.module.bound.get(chain[0].id, [])
        return self.lookup(chain[0].id) is not None or any(how[0] == "here" for how in ways)


def is_at(lines, name):
    line = lines[name.lineno - 1] if name.lineno <= len(lines) else b""
    return line[name.col_offset:].startswith(name.id.encode())


def bound_twice(library):
    """Names a module binds in several ways that lead to different things: defined for one platform, imported for another."""
    for module in library.modules.values():
        for name, ways in module.bound.items():
            if len({library.followed(module.name, name, how) for how in ways}) > 1:
                yield name


def docstrings(tree):
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found.add(id(node.value))
    return found


def exports(tree):
    """The strings of `__all__`, however it is filled."""
    for node in tree.body:
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            filled, told = (node.targets if isinstance(node, ast.Assign) else [node.target]), [node.value]
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
            filled, told = [node.value.func.value], node.value.args
        else:
            continue
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in filled):
            yield from (leaf for part in told if part for leaf in ast.walk(part) if isinstance(leaf, ast.Constant))


def offered_modules(library):
    """Modules that a package's `__all__` names and nobody imports there: whoever imports everything of it has them."""
    told = {(name, leaf.value) for name, module in library.modules.items() for leaf in exports(module.tree)}
    return {f"{package}.{name}" for package, name in told if name not in library.modules[package].bound} & set(library.modules)


def moved_names(library, settings, seed):
    """The plan of `moved`: modules that know nothing of their place go into new folders beside them."""
    chance = random.Random(f"{seed}/places")
    modules = {dotted: dotted for dotted in library.modules}
    groups = settings["groups"]
    offered = offered_modules(library)
    for dotted, module in sorted(library.modules.items()):
        parent, _, last = dotted.rpartition(".")
        place = chance.random()
        is_leaf = parent and not module.path.endswith("__init__.py") and not last.startswith("__")
        if is_leaf and place < 0.8 and dotted not in offered and not knows_its_place(module, settings):
            modules[dotted] = f"{parent}.{groups[int(place * 1000) % len(groups)]}.{last}"
    return Names({dotted: new for dotted, new in modules.items() if new != dotted})


def knows_its_place(module, settings):
    names = set(identifiers_of(module.tree))
    return bool(names & {"__file__", "__path__", "__package__", "import_module"}) or re.search(settings["fixedModules"], module.name) is not None


class Rewriting(Uses):
    """Writes a module's text under the new names."""

    def __init__(self, library, module, names):
        super().__init__(library, module)
        self.names, self.edits = names, Edits(module.source)

    def text(self):
        self.visit(self.module.tree)
        self.strings()
        return self.edits.applied()

    def on_name(self, node, target):
        new = self.names.of(target)
        if new is not None and node.id == own_name(target) and is_at(self.edits.lines, node):
            self.edits.replace(node, new)

    def on_chain(self, chain, targets):
        if not is_at(self.edits.lines, chain[0]):
            return
        for place in range(len(targets) - 1, -1, -1):
            target = targets[place]
            if target is None:
                continue
            if place and target[0] == "symbol" and chain[place].attr != target[2]:
                continue
            text = self.chain_text(chain, targets, place)
            if text is not None:
                self.edits.replace(chain[place], text)
            return

    def chain_text(self, chain, targets, place):
        root = targets[0]
        text = (self.names.of(root) if chain[0].id == own_name(root) else None) or chain[0].id
        at = root
        for link, target in zip(chain[1:place + 1], targets[1:place + 1]):
            if target[0] == "module" and at[0] == "module" and target[1] == f"{at[1]}.{link.attr}":
                text += self.names.module(target[1])[len(self.names.module(at[1])):]
            else:
                new = self.names.of(target) if link.attr == own_name(target) else None
                text += "." + (new or link.attr)
            at = target
        return text

    def on_definition(self, node, target):
        new = self.names.of(target)
        if new is not None and target == ("symbol", self.module.name, node.name):
            line = node.lineno - 1
            word = {"FunctionDef": "def", "AsyncFunctionDef": "def", "ClassDef": "class"}[type(node).__name__]
            raw = self.edits.lines[line].decode()
            at = re.compile(rf"\b{word}\s+({re.escape(node.name)})\b").search(raw)
            if at:
                start = self.edits.starts[line] + len(raw[: at.start(1)].encode())
                self.edits.edits.append((start, start + len(node.name.encode()), new.encode()))

    def on_global(self, node):
        names = [self.names.of(self.library.resolve(self.module.name, name)) or name for name in node.names]
        if names != node.names:
            self.edits.replace(node, "global " + ", ".join(names))

    def on_import(self, node):
        if isinstance(node, ast.Import):
            aliases = [self.plain(alias) for alias in node.names]
            if any(new is not None for new in aliases):
                texts = [new or ast.unparse(alias) for new, alias in zip(aliases, node.names)]
                self.edits.replace(node, "import " + ", ".join(texts))
            return
        source = absolute(node, self.module.package)
        if source.split(".")[0] not in self.library.packages:
            return
        groups = {}
        for alias in node.names:
            place, text = self.taken(source, alias)
            groups.setdefault(place, []).append(text)
        self.edits.replace(node, "; ".join(f"from {place} import {', '.join(texts)}" for place, texts in groups.items()))

    def plain(self, alias):
        if alias.name not in self.library.modules:
            return None
        new = self.names.module(alias.name)
        return f"{new} as {alias.asname}" if alias.asname else new

    def taken(self, source, alias):
        """Where a `from` import finds its name now, and how it is written there."""
        if alias.name == "*":
            return self.names.module(source), "*"
        target = self.library.resolve(source, alias.name)
        place, name = self.names.module(source), alias.name
        if target is not None and target[0] == "module" and "." in target[1]:
            place, _, name = self.names.module(target[1]).rpartition(".")
            bound = alias.asname or alias.name
            return place, name if bound == name else f"{name} as {bound}"
        if target is not None and own_name(target) == alias.name:
            name = self.names.of(target) or alias.name
        asname = alias.asname
        if asname is not None and target is not None and asname == own_name(target):
            asname = self.names.of(target) or asname
        return place, f"{name} as {asname}" if asname and asname != name else name

    def strings(self):
        docs, exported = docstrings(self.module.tree), set(map(id, exports(self.module.tree)))
        joined = {id(leaf) for node in ast.walk(self.module.tree) if isinstance(node, ast.JoinedStr) for leaf in ast.walk(node)}
        packages = "|".join(map(re.escape, sorted(self.library.packages)))
        dotted = re.compile(PATH % (packages, packages))
        for node in ast.walk(self.module.tree):
            if not (isinstance(node, ast.Constant) and isinstance(node.value, str)) or id(node) in docs or id(node) in joined:
                continue
            if id(node) in exported:
                new = self.names.of(self.library.resolve(self.module.name, node.value))
                if new is not None:
                    self.edits.replace(node, repr(new))
            elif dotted.search(node.value):
                raw = ast.get_source_segment(self.module.source, node)
                self.edits.replace(node, dotted.sub(lambda found: self.dotted(found.group()), raw))

    def dotted(self, path):
        """A dotted path in a string: as far as it leads into the library."""
        return renamed_path(self.library, self.names, path) or path


def renamed_path(library, names, path):
    """The modules it names, and the name in the last of them: reached through it, wherever it is made."""
    parts = path.split(".")
    at, used = parts[0], 1
    while used < len(parts) and f"{at}.{parts[used]}" in library.modules:
        at, used = f"{at}.{parts[used]}", used + 1
    if at not in library.modules:
        return None
    rest = parts[used:]
    target = library.resolve(at, rest[0]) if rest else None
    if target is not None and own_name(target) == rest[0]:
        rest[0] = names.of(target) or rest[0]
    return ".".join([names.module(at), *rest])


def rewritten(library, names):
    """Path → text of every module under its new names and at its new place."""
    return {new_path(module, names): Rewriting(library, module, names).text() for module in library.modules.values()}


def new_path(module, names):
    place = names.module(module.name).replace(".", "/")
    return place + ("/__init__.py" if module.path.endswith("__init__.py") else ".py")
