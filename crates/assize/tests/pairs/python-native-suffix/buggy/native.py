"""Text searches by the C library, for data that is too large to copy."""

import ctypes

_libc = ctypes.CDLL(None)
_libc.strchr.argtypes = [ctypes.c_char_p, ctypes.c_int]
_libc.strchr.restype = ctypes.c_void_p


def suffix(data, separator):
    """Return what follows the first ``separator`` in ``data``, or ``None`` if there is none."""
    found = _libc.strchr(data, ord(separator))
    if found == 0:
        return None
    return ctypes.string_at(found)[1:]
