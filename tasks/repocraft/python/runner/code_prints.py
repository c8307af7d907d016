"""The form of compiled functions: two that were compiled from the same statements have the same print, whatever their names.

Read from the bytes of a code object alone: code under test may have changed the modules that explain bytecode.
"""

import dis
from hashlib import blake2b
from types import CodeType

# Everybody compiles small functions alike.
SMALLEST_INSTRUCTIONS = 24
IS_FUNCTION = 0x02  # CO_NEWLOCALS
EXTENDED = dis.EXTENDED_ARG
# What has no meaning of its own, or depends on how long other things are.
LEFT_OUT = frozenset(dis.opmap[name] for name in ("CACHE", "RESUME", "NOP", "PRECALL", "MAKE_CELL", "COPY_FREE_VARS") if name in dis.opmap)
# Where it is jumped to, and cells, which are sorted by their names.
OPERATION_ONLY = frozenset((*dis.hasjrel, *dis.hasjabs, *dis.hasfree))
CONSTANTS = frozenset(dis.hasconst)
NAMED = ((str, "str"), (tuple, "tuple"), (frozenset, "frozenset"), (CodeType, "code"), (type(...), "ellipsis"))


def prints_in(code):
    """Of all larger functions in a code object, itself among them where it is one."""
    waiting = [code]
    while waiting:
        one = waiting.pop()
        waiting.extend(constant for constant in one.co_consts if type(constant) is CodeType)
        print_ = print_of_code(one) if one.co_flags & IS_FUNCTION else None
        if print_ is not None:
            yield print_


def print_of_code(code):
    """In hexadecimal; null for a small one."""
    parts, extended, constants, data = [], 0, code.co_consts, code.co_code
    for operation, argument in zip(data[::2], data[1::2]):
        argument |= extended
        extended = argument << 8 if operation == EXTENDED else 0
        if operation == EXTENDED or operation in LEFT_OUT:
            continue
        if operation in OPERATION_ONLY:
            parts.append(f"{operation}")
        elif operation in CONSTANTS:
            parts.append(f"{operation} {constant_text(constants[argument])}" if argument < len(constants) else "?")
        else:
            parts.append(f"{operation} {argument}")
    if len(parts) < SMALLEST_INSTRUCTIONS:
        return None
    return blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def constant_text(value):
    """
    Texts may be others; numbers may not. In hexadecimal: Python refuses to print thousands of decimal digits. By exact classes:
    a code object may hold things whose class runs code of its own when it is asked anything.
    """
    kind = type(value)
    if kind is int or kind is bool:
        return hex(value)
    if kind is float or kind is complex or kind is bytes or value is None:
        return repr(value)
    return next((word for known, word in NAMED if kind is known), "other")
