"""
Puts a library under other names: packages, modules, functions and classes by a thesaurus (`renamed`), or the same names at
other places (`moved`). Methods, arguments and values keep their names, since adaptation does not rename them either.
"""

import ast
import builtins
import keyword
import random
import re

from adapt import Edits
from library import Uses, absolute

DOTTED = r"(?<![\w.])(?:%s)(?:\.[A-Za-z_]\w*)+"


class Names:
    """Which module and which definition is called what."""

    def __init__(self, modules=None, symbols=None):
        self.modules, self.symbols = modules or {}, symbols or {}

    def module(self, dotted):
        return self.modules.get(dotted, dotted)

    def of(self, target):
        """The new last part of what a name leads to; None where it keeps its own."""
        if target is None:
            return None
        if target[0] == "module":
            return self.module(target[1]).rpartition(".")[2] if target[1] in self.modules else None
        return self.symbols.get(target[1:])

    def path(self, target):
        if target[0] == "module":
            return self.module(target[1])
        return f"{self.module(target[1])}.{self.symbols.get(target[1:], target[2])}"


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


def renamed_names(library, texts, settings, thesaurus, seed):
    """The plan of `renamed`. `texts`: what else names the library in strings (its tests)."""
    chance = random.Random(f"{seed}/names").randrange(1 << 30)
    identifiers = {leaf for module in library.modules.values() for leaf in identifiers_of(module.tree)}
    kept = kept_names(library, texts)
    modules = {}
    if settings["modules"]:
        for dotted in library.modules:
            parts = dotted.split(".")
            new = [settings["package"] if place == 0 and part == settings["top"] else word_of(part, thesaurus, chance)
                   for place, part in enumerate(parts)]
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


def definitions(body):
    from library import flattened

    return [node for node in flattened(body) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))]


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


def kept_names(library, texts):
    """Names that are reached otherwise than by name alone: in a string, as the tail of a visitor's method, out of a class body."""
    kept = set(bound_twice(library))
    trees = [module.tree for module in library.modules.values()] + [parsed for parsed in map(parsed_or_none, texts) if parsed]
    for tree in trees:
        told = docstrings(tree) | exports(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told:
                kept.update(re.findall(r"[A-Za-z_]\w*", node.value) if len(node.value) < 80 and " " not in node.value else ())
            elif isinstance(node, ast.ClassDef):
                kept.update(handed_out(node))
                for item in node.body:
                    if isinstance(item, ast.FunctionDef) and re.match(r"_\w+_[A-Za-z]\w*$", item.name):
                        kept.add(item.name.rpartition("_")[2])
    return kept


def bound_twice(library):
    """Names a module binds in several ways that lead to different things: defined for one platform, imported for another."""
    for module in library.modules.values():
        for name, ways in module.bound.items():
            if len({library.followed(module.name, name, how, 0) for how in ways}) > 1:
                yield name


def handed_out(node):
    """Names a class body binds and also reads at its own level: which of both is meant changes while it runs."""
    from library import stored_names, flattened

    stored = {name for item in flattened(node.body) for name in stored_names(item)}
    stored |= {item.name for item in definitions(node.body)}
    return stored & {leaf.id for item in node.body for leaf in ast.walk(item) if isinstance(leaf, ast.Name)}


def parsed_or_none(text):
    try:
        return ast.parse(text)
    except SyntaxError:
        return None


def docstrings(tree):
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            found.add(id(node.value))
    return found


def exports(tree):
    """The strings of `__all__`."""
    found = set()
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, (ast.AnnAssign, ast.AugAssign)) else []
        if any(isinstance(target, ast.Name) and target.id == "__all__" for target in targets) and node.value is not None:
            found.update(id(leaf) for leaf in ast.walk(node.value) if isinstance(leaf, ast.Constant))
    return found


def moved_names(library, texts, settings, seed):
    """The plan of `moved`: modules that know nothing of their place go into new folders beside them."""
    chance = random.Random(f"{seed}/places")
    modules = {dotted: dotted for dotted in library.modules}
    groups = settings["groups"]
    for dotted, module in sorted(library.modules.items()):
        parent, _, last = dotted.rpartition(".")
        place = chance.random()
        is_leaf = parent and not module.path.endswith("__init__.py") and not last.startswith("__")
        if is_leaf and place < 0.8 and not knows_its_place(module, settings):
            modules[dotted] = f"{parent}.{groups[int(place * 1000) % len(groups)]}.{last}"
    return Names({dotted: new for dotted, new in modules.items() if new != dotted})


def knows_its_place(module, settings):
    names = {leaf for leaf in identifiers_of(module.tree)}
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
        if new is not None and node.id == own_name(target):
            self.edits.replace(node, new)

    def on_chain(self, chain, targets):
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
        asname = alias.asname
        if asname == alias.name.rpartition(".")[2]:
            asname = new.rpartition(".")[2]
        return f"{new} as {asname}" if asname else new

    def taken(self, source, alias):
        """Where a `from` import finds its name now, and how it is written there."""
        if alias.name == "*":
            return self.names.module(source), "*"
        target = self.library.resolve(source, alias.name)
        place, name = self.names.module(source), alias.name
        if target == ("module", f"{source}.{alias.name}"):
            place, _, name = self.names.module(target[1]).rpartition(".")
        elif target is not None and own_name(target) == alias.name:
            name = self.names.of(target) or alias.name
        asname = alias.asname
        if asname is not None and target is not None and asname == own_name(target):
            asname = self.names.of(target) or asname
        return place, f"{name} as {asname}" if asname and asname != name else name

    def strings(self):
        docs, exported = docstrings(self.module.tree), exports(self.module.tree)
        joined = {id(leaf) for node in ast.walk(self.module.tree) if isinstance(node, ast.JoinedStr) for leaf in ast.walk(node)}
        dotted = re.compile(DOTTED % "|".join(map(re.escape, sorted(self.library.packages))))
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
    parts = path.split(".")
    at, used = ("module", parts[0]), 1
    while used < len(parts) and at[0] == "module":
        following = library.resolve(at[1], parts[used])
        if following is None:
            break
        at, used = following, used + 1
    if at[1] not in library.modules:
        return None
    return ".".join([names.path(at), *parts[used:]])


def rewritten(library, names):
    """Path → text of every module under its new names and at its new place."""
    return {new_path(module, names): Rewriting(library, module, names).text() for module in library.modules.values()}


def new_path(module, names):
    place = names.module(module.name).replace(".", "/")
    return place + ("/__init__.py" if module.path.endswith("__init__.py") else ".py")
