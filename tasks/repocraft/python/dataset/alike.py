"""Near duplicates: tasks of one subject that ask the same in other numbers."""

import ast
import io
import tokenize

RUN = 4
SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}
MASKED = {tokenize.NUMBER: "0", tokenize.STRING: '""'}


def parted(drafts, sample, near):
    """(drafts without near duplicates, the others). A kept task stands before a new one, then file order decides.

    `near` is the share of the runs of tokens of their tests that two drafts have in common; 0 lets all stand.
    """
    if not near:
        return drafts, []
    chosen, seen, duplicates = set(), {}, []
    for draft in sorted(drafts, key=lambda draft: sample.entry_of(draft) is None):
        runs = runs_of(draft)
        same_subject = seen.setdefault(draft["targets"][0], [])
        if any(likeness(runs, other) >= near for other in same_subject):
            duplicates.append(draft)
        else:
            same_subject.append(runs)
            chosen.add(id(draft))
    return [draft for draft in drafts if id(draft) in chosen], duplicates


def runs_of(draft):
    """Runs of tokens of a draft's tests, names as they are written and literals masked; their set-up may well be the same."""
    names = {name.rpartition("::")[2] for name in draft["functions"]}
    tests = [node for node in ast.walk(ast.parse(draft["test_code"])) if getattr(node, "name", None) in names and hasattr(node, "args")]
    lines, tokens = draft["test_code"].split("\n"), []
    for test in tests:
        text = "\n".join(lines[test.body[0].lineno - 1 : test.end_lineno])
        tokens += [MASKED.get(token.type, token.string) for token in tokenized(text) if token.type not in SKIPPED]
    return {tuple(tokens[start : start + RUN]) for start in range(max(1, len(tokens) - RUN + 1))}


def tokenized(body):
    try:
        # A body without its head is indented, so it is a block of one.
        return list(tokenize.generate_tokens(io.StringIO(f"if True:\n{body}").readline))
    except (tokenize.TokenError, IndentationError):
        return []


def likeness(one, other):
    return len(one & other) / max(1, len(one | other))
