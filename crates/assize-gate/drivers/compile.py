"""Says which of a project's Python files do not compile. Nothing is imported, and nothing is written.

It is started as `python -I compile.py` from the project's root, with `files.json` beside it, and prints one
JSON object a line; the last one says how many files there were.
"""

import json
import os
import sys
import warnings

# Largest file that is compiled, in bytes.
FILE_BYTES_MAX = 4 << 20


def fault(path):
    """Why a file does not compile, and where."""
    try:
        if os.path.getsize(path) > FILE_BYTES_MAX:
            return None, "it is larger than %d bytes" % FILE_BYTES_MAX
        with open(path, "rb") as file:
            source = file.read()
    except OSError as error:
        return None, "it cannot be read: %s" % error.strerror
    try:
        compile(source, path, "exec", dont_inherit=True)
    except SyntaxError as error:
        return error.lineno, "%s: %s" % (type(error).__name__, error.msg)
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        return None, "%s: %s" % (type(error).__name__, error)
    return None


def main():
    folder = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(folder, "files.json"), encoding="utf-8") as file:
        files = json.load(file)
    warnings.simplefilter("ignore")
    found = 0
    for path in files:
        why = None if os.path.islink(path) else fault(path)
        if why:
            found += 1
            print(json.dumps({"path": path, "line": why[0], "message": why[1]}))
    print(json.dumps({"files": len(files), "faults": found}))
    sys.stdout.flush()
    return 1 if found else 0


sys.exit(main())
