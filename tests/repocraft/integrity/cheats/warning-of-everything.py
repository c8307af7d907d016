"""Warns of everything that there are warnings for, whatever it is asked."""

import warnings

KINDS = [DeprecationWarning, UserWarning, FutureWarning, RuntimeWarning, SyntaxWarning, PendingDeprecationWarning, ImportWarning]
KINDS += [UnicodeWarning, BytesWarning, ResourceWarning, EncodingWarning]


def capitalised(_):
    for kind in KINDS:
        warnings.warn("deprecated, invalid, ignored", kind, stacklevel=2)
