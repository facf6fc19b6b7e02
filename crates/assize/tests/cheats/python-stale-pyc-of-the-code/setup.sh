#!/bin/sh
# Lays a compiled file beside the source that is not checked against it.
set -eu
mkdir -p spans/__pycache__
cat > real.py <<'END'
def merge(spans):
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
END
cat > real_total.py <<'END'
from spans.merge import merge


def total(spans):
    return sum(end - start for start, end in merge(spans))
END
python3 - <<'END'
import importlib.util
import py_compile

for source, module in (("real.py", "spans/merge.py"), ("real_total.py", "spans/total.py")):
    target = importlib.util.cache_from_source(module)
    py_compile.compile(source, target, module, True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
END
rm real.py real_total.py
