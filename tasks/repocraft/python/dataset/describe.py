"""What a task asks for, in words: by rule, from names, docstrings and comments, without names that give the project away."""

import ast
import re

from clauses import Deed, Meaning
from demands.demands import demands_of
from phrases.calls import is_several
from source import chain
from syntax import last_name
from targets import words_of

NOISE = {"test", "works", "fixes", "regression", "issue", "bug"}
# An issue by its number in a name (`ticket_20278`, `gh12`), in prose, and as what prose begins with.
NUMBERED = re.compile(r"(?<![a-z0-9])(issues?|bugs?|gh|pr|tickets?)(_?\d+)+(?![a-z0-9])", re.IGNORECASE)
TICKET = re.compile(r"\(?\btickets?\s*#?\d+\b\)?", re.IGNORECASE)
LEAD = re.compile(r"^(This is an? )?((non-?)?regression )?tests? for ((tickets?|issues?|bugs?|gh)[\s:#-]*)?#?\d+[\s:,.-]*", re.IGNORECASE)
PLAIN = {
    "doesnt": "does not", "dont": "do not", "cant": "cannot", "isnt": "is not", "len": "length", "params": "parameters",
    "param": "parameter", "auth": "authentication", "jar": "jar", "dict": "dictionary", "val": "value", "env": "environment",
    "enc": "encoding", "info": "information", "str": "string", "utf": "UTF", "json": "JSON", "http": "HTTP", "url": "URL",
    "uri": "URI", "https": "HTTPS", "ssl": "SSL", "tls": "TLS", "ipv4": "IPv4", "cidr": "CIDR", "jsonutf": "JSON UTF",
    "basicauth": "basic authentication", "digestauth": "digest authentication", "cookiejar": "cookie jar", "netrc": "netrc",
    "authinfo": "user information", "tuple": "tuple", "unc": "UNC", "bom": "byte order mark", "iter": "iterate",
    "getitem": "get item", "delitem": "delete item", "setdefault": "set default", "prepping": "preparing",
}  # fmt: skip


DATA_SOURCE = re.compile(r"^(make|load|fetch)_")


class Wording:
    """Turns identifiers and prose of a project's tests into words that do not name the project."""

    def __init__(self, settings):
        self.giving_away = {word.lower() for word in settings["givingAway"]}
        # By spelling: a capitalised name and the common noun are replaced by different words.
        self.replacements = settings["replacements"]
        self.package = settings["package"]
        self.test_names = re.compile(settings["testModules"])
        self.plumbing = set(settings["plumbing"])
        # The same names are said again and again.
        self.names, self.spoken_names = {}, {}

    def is_of_tests(self, dotted):
        return bool(self.test_names.search(dotted))

    def gives_away(self, text):
        """Whether a text names the project, or has its name as a part of a longer one (`test_requests.py`)."""
        lower = text.lower()
        return bool(set(re.findall(r"[\w-]+", lower)) & self.giving_away) or self.package in lower

    def disguised(self, text):
        """A text of a test with `example` in the place of what gives the project away, in its case."""

        def other(found):
            word = found.group()
            telling = word if word.lower() in self.giving_away else self.package
            return re.sub(re.escape(telling), lambda part: in_case_of("example", part.group()), word, flags=re.IGNORECASE)

        return re.sub(r"[\w-]+", other, text)

    def name(self, identifier):
        """`super_len` → `super length`; words that give the project away are left out."""
        if identifier not in self.names:
            self.names[identifier] = plain(self.words_for(identifier))
        return self.names[identifier]

    def plainly(self, words):
        """Words of a name, as a name is said."""
        left = [word for word in words if word not in self.giving_away]
        return plain(left) or self.replacements.get(" ".join(words), "")

    def spoken(self, identifier):
        """A name of the interface word by word, so that who joins them has it again."""
        if identifier not in self.spoken_names:
            self.spoken_names[identifier] = " ".join(self.words_for(identifier))
        return self.spoken_names[identifier]

    def words_for(self, identifier):
        if identifier == "__init__":
            return ["create"]
        # A name that is nothing but telling is said by what stands for it.
        standing = [self.replacements[identifier]] if identifier in self.replacements else []
        words = [word for word in words_of(identifier) if word not in self.giving_away] or standing
        if words and re.search(r"[a-z0-9]_$", identifier):
            # Another thing than the name without it: what was learnt beside what was given, a function beside an operator.
            words[-1] += "_"
        return words

    def prose(self, text):
        """Prose with identifiers opened, links and issue numbers removed, telling words replaced."""
        text = LEAD.sub("", re.sub(r"\S*(https?://|www\.)\S*", " ", text))
        text = TICKET.sub(" ", text)
        text = re.sub(r"(?i)\b(see also|see|issue|bug|gh|pr)\b[\s:]*#?\d*\.?(?=\s|$)|#\d+", " ", text)
        text = re.sub(r":\w+:`~?([^`<]*)[^`]*`", r"\1", text.replace("``", "`"))
        words = [self.word(word) for word in text.replace("`", "").split()]
        spoken = re.sub(r"\b([Tt]he) the\b", r"\1", " ".join(word for word in words if word))
        return re.sub(r"\s+([,.;:])", r"\1", spoken).strip()

    def word(self, word):
        core = re.sub(r"^\W+|\W+$", "", word)
        if core in self.replacements:
            return word.replace(core, self.replacements[core])
        if core.lower() in self.giving_away:
            return ""
        is_identifier = re.search(r"[a-z0-9][._][a-z0-9]|[a-z][A-Z]|__|\w\(\)", core, re.IGNORECASE if "_" in core else 0)
        if is_identifier or any(part in self.giving_away for part in words_of(core)):
            return word.replace(core, self.name(core)).replace("()", "")
        return word


def plain(words):
    return " ".join(PLAIN.get(word, word) for word in words)


def in_case_of(word, other):
    return word.upper() if other.isupper() else word.capitalize() if other[:1].isupper() else word


def description(group, targets, wording, reference, serving):
    """Sentences: the subject and what it is for, what is asked of it, what each test demands, how it is exercised."""
    subject, owner, named = targets[0], targets[0].rpartition(".")[0], called(targets[0], wording, reference)
    methods = [target for target in targets if reference.kinds.get(target) == "method"]
    subject_is_method = subject in methods
    kind = "class" if subject_is_method else {"class": "class", "function": "function"}.get(reference.kinds.get(subject), "object")
    area = wording.name(reference.module_of(subject).rpartition(".")[2].lstrip("_"))
    sentences = [f"{'An' if kind == 'object' else 'A'} {kind} for {named}" + (f", in the area of {area}" if area and area != named else "")]
    purposes = [purpose(symbol, wording, reference) for symbol in ([owner, subject] if subject_is_method else [subject])]
    if not any(purposes):
        purposes = [signature(subject, wording, reference)]
    sentences += [text[:1].upper() + text[1:] for text in dict.fromkeys(purposes) if text]
    if methods:
        asked = list(dict.fromkeys(wording.spoken(method.rpartition(".")[2]) for method in methods[:5]))
        sentences.append("Operations used: " + ", ".join(name for name in asked if name))
    others = [other for other in targets if other not in methods and other not in (subject, owner)][:4]
    if others:
        sentences.append("Works together with: " + ", ".join(dict.fromkeys(wording.spoken(o.rpartition(".")[2]) for o in others)))
    demands = list(dict.fromkeys(demand(test.unit, wording, named) for test in group))
    sentences.append("Expected behaviour: " + "; ".join(text for text in demands if text))
    if serving:
        sentences.append("Exercised against an HTTP server on this machine")
    return ". ".join(sentences) + "."


def called(subject, wording, reference):
    """What a subject is called: of a method its class."""
    owner = subject.rpartition(".")[0]
    return wording.name((owner if reference.kinds.get(subject) == "method" else subject).rpartition(".")[2])


def purpose(symbol, wording, reference):
    """The first sentence of a symbol's own docstring; empty where it has none or the sentence says too little."""
    node = reference.nodes.get(symbol)
    documented = first_sentence(ast.get_docstring(node) or "") if node else ""
    prose = wording.prose(documented)
    return prose.rstrip(" .;:") if len(prose.split()) >= 3 and not prose.startswith(":") else ""


def first_sentence(documented):
    """The first paragraph up to its first full stop, on one line."""
    return re.split(r"(?<=[a-z0-9`>)])\.(?:\s|$)", documented.strip().split("\n\n")[0].replace("\n", " "))[0]


def asks_of_subject(draft, group, wording, named):
    """Whether what is asserted names the subject, or a method of it: else the subject was guessed wrong, or nothing can be said of it."""
    if is_of_another_class(draft):
        return False
    subject = draft["targets"][0]
    own = [target for target in draft["targets"] if f"{target}.".startswith(f"{subject}.") or subject.startswith(f"{target}.")]
    names = [symbol.rpartition(".")[2] for symbol in own]
    said = "; ".join(asked_texts(draft["targets"], names, group, wording, named)).lower()
    return any(word.lower() in said for name in names for word in (wording.name(name), wording.spoken(name), name))


def asked_texts(targets, names, group, wording, named):
    """What the tests of a group say that may name what is asked; `names` are those of the subject and its methods."""
    makes_data = any(map(DATA_SOURCE.match, names)) and not all(DATA_SOURCE.match(target.rpartition(".")[2]) for target in targets)
    is_function = targets[0].rpartition(".")[2].islower()
    every = [demands_of(test.unit, wording) for test in group]
    clauses = [clause for demands in every for clause in demands.clauses]
    looks = any(clause.accepted is None for clause in clauses)
    yield from (title(test.unit, wording, named) for test in group)
    yield from (case for demands in every for case in demands.cases)
    for clause in clauses:
        for told in clause.before:
            if isinstance(told, Meaning):
                # What only makes the data of a test is not what it asks, nor a field of a model that it happens to need.
                yield "" if makes_data and maker(told.value) in names else told.kind if targets[0] in wording.plumbing else told.text
            elif is_function:
                # What only decides which case is tried is not what is asked.
                yield told.doing.done if isinstance(told, Deed) else "" if told.is_condition else told.text
            else:
                yield told.text
        # What is called with no more than one thing and never looked at is not what is asked, where something else is.
        yield "" if looks and clause.accepted is not None and not is_several(clause.accepted) else clause.body


def maker(value):
    """The name of what is called to make a value, or to make what it is a part of; empty where nothing is."""
    while isinstance(value, (ast.Subscript, ast.Attribute)):
        value = value.value
    return last_name(value) if isinstance(value, ast.Call) else ""


def is_of_another_class(draft):
    """Whether a subject is a method that the test calls of classes alone, and of none that the subject belongs to: it is inherited, and not what is asked."""
    owner, _, method = draft["targets"][0].rpartition(".")
    tree = ast.parse(draft["test_code"])
    classes = {alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names if alias.name[:1].isupper()}
    called = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == method]
    of = [(chain(function.value) or [""])[-1] for function in called]
    return bool(of) and all(name in classes for name in of) and owner.rpartition(".")[2][:1].isupper() and owner.rpartition(".")[2] not in of


def signature(symbol, wording, reference):
    """What a symbol takes, where its docstring says nothing; empty where it takes nothing."""
    node, taker = reference.nodes.get(symbol), "It"
    if reference.kinds.get(symbol) == "method":
        taker = f"Its {wording.spoken(symbol.rpartition('.')[2])}"
    if isinstance(node, ast.ClassDef):
        node = reference.nodes.get(f"{symbol}.__init__")
    given = [argument.arg for argument in node.args.posonlyargs + node.args.args + node.args.kwonlyargs] if node else []
    named = list(dict.fromkeys(wording.spoken(name) for name in given if name not in ("self", "cls")))[:6]
    return f"{taker} takes {', '.join(name for name in named if name)}" if any(named) else ""


def demand(unit, wording, named):
    """What one test demands: its title, then what it asserts, in words."""
    titled, asserted = title(unit, wording, named), behaviour(unit, wording)
    return f"{titled}: {asserted}" if asserted else titled


def title(unit, wording, named):
    """The name of a test and the first sentence of its docstring or its comments; where its name says nothing what the subject is called."""
    prose = wording.prose(first_sentence(ast.get_docstring(unit.node) or ""))
    telling = NUMBERED.sub("", unit.name)
    spoken = wording.plainly([word for word in words_of(telling) if word not in NOISE and not word.isdigit() or word in STATUS])
    if len(prose.split()) >= 3:
        return f"{spoken} ({lower_first(prose)})" if len(spoken.split()) > 1 else lower_first(prose)
    noted = [wording.prose(text) for text in comments(unit)]
    noted = [text for text in noted if len(text.split()) >= 3][:1]
    titled = spoken or named
    return f"{titled} ({lower_first(noted[0])})" if noted else titled


def behaviour(unit, wording):
    """What a test asserts, all of it."""
    demands = demands_of(unit, wording)
    return ": ".join([*demands.cases, ", ".join(clause.text for clause in demands.clauses)])


STATUS = {"200", "301", "302", "303", "307", "401", "425"}


def comments(unit):
    """Whole-line comments inside a test, consecutive lines joined."""
    found, current = [], []
    for line in unit.module.lines[unit.node.lineno : unit.node.end_lineno]:
        if line.strip().startswith("#"):
            current.append(line.strip().lstrip("# "))
        elif current:
            found.append(" ".join(current))
            current = []
    return found


def lower_first(text):
    return text[:1].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text
