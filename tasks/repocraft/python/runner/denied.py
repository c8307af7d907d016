"""
Calls of the system that a candidate's processes are denied: those that tell, or choose, what of a file is in the machine's memory,
and those of the kernel's keyrings.

A candidate's files are the same in every run and every container, so what is in memory of them could be a note from one run to
another; and so could a key, which the kernel keeps for a user of the machine, not of the container.
Honest code asks for the former only to be faster, and not for the latter. Other architectures than those of `CALLS` go without.
"""

import ctypes
import errno
import platform
import struct

PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, FILTER = 38, 22, 2
# Of a filter's program: load a word; compare with a constant, and how many instructions to leave out where it is so and where not.
LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
# Numbers from here on belong to another way to call, which we know nothing of.
OTHER_NUMBERS = 0x40000000
MADV_COLD, MADV_PAGEOUT = 20, 21
# By machine: how the kernel calls it, and the numbers of fadvise64, madvise, preadv2; then of mincore, add_key, request_key, keyctl.
CALLS = {
    "x86_64": (0xC000003E, 221, 28, 327, 27, 248, 249, 250),
    "aarch64": (0xC00000B7, 223, 233, 286, 232, 217, 218, 219),
}
# io_uring_setup, process_madvise, cachestat: the same everywhere.
IO_URING_SETUP, PROCESS_MADVISE, CACHESTAT = 425, 440, 451


def deny():
    """For this process and all it starts, for good; OSError where the kernel does not do it."""
    known = CALLS.get(platform.machine())
    if known is None:
        return
    code = b"".join(struct.pack("HBBI", *instruction) for instruction in program(*known))
    instructions = ctypes.create_string_buffer(code, len(code))
    filter_of = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(instructions))
    libc = ctypes.CDLL(None, use_errno=True)
    for call in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, FILTER, ctypes.c_char_p(filter_of), 0, 0)):
        if libc.prctl(*call) != 0:
            raise OSError(ctypes.get_errno(), "the kernel takes no filter of calls")


def program(architecture, fadvise, madvise, preadv2, *refused):
    """(what to do, skipped where so, skipped where not, constant) for each instruction."""
    yield from ((LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), refuse(errno.ENOSYS), (LOAD, 0, 0, NUMBER))
    yield from ((AT_LEAST, 0, 1, OTHER_NUMBERS), refuse(errno.ENOSYS))
    for call in (*refused, IO_URING_SETUP, PROCESS_MADVISE, CACHESTAT):
        yield from ((EQUAL, 0, 1, call), refuse(errno.ENOSYS))
    # Advice may be ignored.
    yield from ((EQUAL, 0, 1, fadvise), refuse(0))
    yield from ((EQUAL, 0, 4, preadv2), argument(5), (EQUAL, 1, 0, 0), refuse(errno.EOPNOTSUPP), (RETURN, 0, 0, ALLOW))
    yield from ((EQUAL, 0, 4, madvise), argument(2), (EQUAL, 1, 0, MADV_COLD), (EQUAL, 0, 1, MADV_PAGEOUT), refuse(errno.EINVAL))
    yield (RETURN, 0, 0, ALLOW)


def refuse(error):
    return RETURN, 0, 0, REFUSE | error


def argument(number):
    return LOAD, 0, 0, ARGUMENTS + 8 * number
