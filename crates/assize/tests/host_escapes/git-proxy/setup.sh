#!/bin/sh
set -eu
git config remote.origin.url git://example.org/store
git config core.gitProxy "tools/proxy"
mkdir -p "$(dirname tools/proxy)"
printf '#!/bin/sh\n: > "%s"\n' '@MARKER@' > tools/proxy
chmod +x tools/proxy
