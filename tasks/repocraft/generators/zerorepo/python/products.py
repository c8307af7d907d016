"""Checks what a model wrote for a unit and makes it a patch to the symbols the unit owns: by syntax tree, never by pattern."""

import ast
import io
import textwrap
import tokenize


class Bad(Exception):
    """The text cannot be a product; the message says why, for the model."""


def normalised(unit, code):
    """A product {imports, helpers, source} made of what was written, with its edits applied."""
    product = {"imports": list(code.get("imports", [])), "helpers": code.get("helpers", ""), "source": code["source"]}
    if code.get("edits"):
        # What could not stand must not stay in the way of what repairs it.
        imports, helpers, own, _ = taken_apart(unit, product)
        product = {"imports": imports, "helpers": "\n\n\n".join(text for _, text in helpers), "source": own or ""}
    for edit in code.get("edits", []):
        product = edited(unit, product, edit)
    imports, helpers, own, problems = taken_apart(unit, product)
    if problems:
        raise Bad(problems[0])
    check_design(unit, statements_of(own)[0])
    return suffixed(unit, imports, helpers, own)


def taken_apart(unit, product):
    """Imports, helpers [(names, text)], the symbol itself (None where it is missing), and what cannot stand, as sentences."""
    statements, helpers, own, problems = [], [], None, []
    for text in product["imports"]:
        statements += kept(problems, parsed_imports, text)
    for text in (product["helpers"], product["source"]):
        for node in kept(problems, statements_of, text):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                statements += kept(problems, parsed_imports, segment(text, node))
            elif is_definition(node) and node.name == unit["name"]:
                if own is not None:
                    problems.append(f"{unit['name']} is defined twice")
                own = segment(text, node)
            elif is_docstring(node) or is_main_guard(node):
                continue
            elif not names_of(node):
                problems.append(f"line {node.lineno}: only imports, definitions and constants may stand at the top of the code")
            elif taken := sorted(set(names_of(node)) & set(unit["siblings"])):
                problems.append(f"{taken[0]} is another unit of this file and must not be defined here")
            else:
                helpers.append((names_of(node), segment(text, node)))
    imports = [line for node in statements for line in kept(problems, import_lines, unit, node)]
    if own is None:
        problems.append(f"{unit['name']} is not defined")
    return sorted(set(imports)), helpers, own, problems


def kept(problems, part, *about):
    """What a part gives; where it is refused nothing, and why is among the problems."""
    try:
        return part(*about)
    except Bad as error:
        problems.append(str(error))
        return []


def import_lines(unit, node):
    """The import as it can stand: what is in the same file is there anyway, and must not be hidden."""
    in_file = {*unit["siblings"], unit["name"]}
    if isinstance(node, ast.ImportFrom) and node.module == unit["module"]:
        node.names = [alias for alias in node.names if alias.name not in in_file or alias.asname not in (None, alias.name)]
    for alias in node.names:
        name = alias.asname or alias.name.split(".")[0]
        if name in in_file:
            raise Bad(f"{ast.unparse(node)[:100]}: {name} is a unit of this file; import the other one under another name")
    return [ast.unparse(node)] if node.names and getattr(node, "module", "") != "__future__" else []


def suffixed(unit, imports, helpers, own):
    """Helpers carry the unit's name, so that two units of a file cannot have helpers of one name."""
    renamed = {}
    for names, _ in helpers:
        for name in names:
            if not name.endswith("__" + unit["name"]):
                renamed[name] = f"_{name.lstrip('_')}__{unit['name']}"
    texts = [rename(text, renamed) for _, text in helpers]
    return {"imports": imports, "helpers": "\n\n\n".join(texts), "source": rename(own, renamed)}


def rename(text, names):
    """Names replaced token by token; attributes and keyword arguments stay."""
    if not names:
        return text
    out, tokens = [], list(tokenize.generate_tokens(io.StringIO(text).readline))
    lines = text.splitlines(keepends=True)
    edits = []
    for index, token in enumerate(tokens):
        if token.type != tokenize.NAME or token.string not in names:
            continue
        before = tokens[index - 1].string if index else ""
        after = tokens[index + 1].string if index + 1 < len(tokens) else ""
        inside = sum(1 if one.string in "([{" else -1 for one in tokens[:index] if one.type == tokenize.OP and one.string in "()[]{}" and one.string)
        if before == "." or (after == "=" and inside > 0):
            continue
        edits.append((token.start, token.end, names[token.string]))
    for (row, start), (_, end), name in reversed(edits):
        line = lines[row - 1]
        lines[row - 1] = line[:start] + name + line[end:]
    out.append("".join(lines))
    return "".join(out)


def edited(unit, product, edit):
    kind, name, source = edit["kind"], edit.get("name", ""), textwrap.dedent(edit["source"]).strip("\n")
    if kind == "imports":
        return {**product, "imports": [source]}
    nodes = statements_of(source)
    if kind == "method":
        owner, _, method = name.rpartition(".")
        if len(nodes) != 1 or not isinstance(nodes[0], (ast.FunctionDef, ast.AsyncFunctionDef)):
            raise Bad(f"the edit of {name} is not one method")
        owner = owner or unit["name"]
        for part in ("source", "helpers"):
            for node in statements_of(product[part]):
                if isinstance(node, ast.ClassDef) and node.name == owner:
                    return {**product, part: with_method(product[part], node, method, source)}
        raise Bad(f"there is no class {owner} to edit")
    wanted = (ast.Assign, ast.AnnAssign) if kind == "assignment" else (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found = [node for node in nodes if isinstance(node, wanted) and name in names_of(node)]
    if not found:
        raise Bad(f"the edit of {name} does not hold {name}")
    for part in ("source", "helpers"):
        for node in statements_of(product[part]):
            if name in names_of(node):
                return {**product, part: replaced(product[part], node, source)}
    if name == unit["name"]:
        return {**product, "source": source}
    return {**product, "helpers": (product["helpers"] + "\n\n\n" + source).strip("\n")}


def with_method(text, owner, name, source):
    indent = " " * owner.body[0].col_offset
    method = textwrap.indent(source, indent)
    for node in owner.body:
        if is_definition(node) and node.name == name:
            return replaced(text, node, method.lstrip(" "))
    lines = text.splitlines()
    end = owner.end_lineno
    return "\n".join([*lines[:end], "", method, *lines[end:]])


def replaced(text, node, source):
    lines = text.splitlines()
    start = min([node.lineno] + [one.lineno for one in getattr(node, "decorator_list", [])])
    indent = " " * node.col_offset
    body = source if source.startswith(indent) else indent + source
    return "\n".join([*lines[:start - 1], body, *lines[node.end_lineno:]])


def check_design(unit, node):
    """The symbol has the kind, the parameters and the methods that were designed."""
    if unit["kind"] == "class":
        if not isinstance(node, ast.ClassDef):
            raise Bad(f"{unit['name']} has to be a class")
        have = {one.name: one for one in node.body if is_definition(one)}
        for method in unit["methods"]:
            if method["name"] not in have:
                raise Bad(f"{unit['name']} lacks the method {method['name']}")
            check_parameters(f"{unit['name']}.{method['name']}", method["signature"], have[method["name"]])
        return
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        raise Bad(f"{unit['name']} has to be a function")
    check_parameters(unit["name"], unit["signature"], node)


def check_parameters(name, signature, node):
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return
    try:
        wanted = ast.parse(f"def wanted{signature}: pass").body[0].args
    except SyntaxError:
        return
    if shape(wanted) != shape(node.args):
        raise Bad(f"{name} has the parameters ({ast.unparse(node.args)}), designed was {signature}")


def shape(args):
    def names(many):
        return [one.arg for one in many]

    return (
        names(args.posonlyargs + args.args), names(args.kwonlyargs), len(args.defaults),
        bool(args.vararg), bool(args.kwarg),
    )


def parsed_imports(text):
    nodes = statements_of(text)
    for node in nodes:
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            raise Bad(f"not an import: {text.strip()[:100]}")
        if isinstance(node, ast.ImportFrom) and (node.level or any(alias.name == "*" for alias in node.names)):
            raise Bad(f"imports have to be absolute and by name: {text.strip()[:100]}")
    return nodes


def statements_of(text):
    return parsed(text).body


def parsed(text):
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None)
        raise Bad(f"not Python: {getattr(error, 'msg', error)}" + (f" (line {line})" if line else "")) from None


def segment(text, node):
    start = min([node.lineno] + [one.lineno for one in getattr(node, "decorator_list", [])])
    return "\n".join(text.splitlines()[start - 1 : node.end_lineno])


def is_definition(node):
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))


def is_docstring(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def is_main_guard(node):
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def names_of(node):
    if is_definition(node):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [name.id for target in node.targets for name in ast.walk(target) if isinstance(name, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    return []
