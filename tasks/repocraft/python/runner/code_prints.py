"""The form of compiled functions: two that were compiled from the same statements have the same print, whatever their names."""

import dis
from hashlib import blake2b

# Everybody compiles small functions alike.
SMALLEST_INSTRUCTIONS = 24
# What has no meaning of its own, or depends on how long other things are.
LEFT_OUT = {"CACHE", "RESUME", "NOP", "EXTENDED_ARG", "PRECALL", "MAKE_CELL", "COPY_FREE_VARS"}
# Where it is jumped to, and cells, which are sorted by their names.
OPERATION_ONLY = {*dis.hasjrel, *dis.hasjabs, *dis.hasfree}


def prints_in(code):
    """Of all larger functions in a code object, itself among them where it is one."""
    waiting = [code]
    while waiting:
        one = waiting.pop()
        waiting.extend(constant for constant in one.co_consts if isinstance(constant, type(code)))
        print_ = print_of_code(one) if one.co_flags & 0x02 else None  # CO_NEWLOCALS: no module.
        if print_ is not None:
            yield print_


def print_of_code(code):
    """In hexadecimal; null for a small one."""
    parts = []
    for instruction in dis.get_instructions(code):
        if instruction.opname in LEFT_OUT:
            continue
        if instruction.opcode in OPERATION_ONLY:
            parts.append(instruction.opname)
        elif instruction.opcode in dis.hasconst:
            parts.append(f"{instruction.opname} {constant_text(instruction.argval)}")
        else:
            parts.append(f"{instruction.opname} {instruction.arg}")
    if len(parts) < SMALLEST_INSTRUCTIONS:
        return None
    return blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def constant_text(value):
    """Texts may be others; numbers may not. In hexadecimal: Python refuses to print thousands of decimal digits."""
    if isinstance(value, int):
        return hex(value)
    return repr(value) if isinstance(value, (float, complex, bytes, type(None))) else type(value).__name__
