#!/bin/sh
set -eu
mkdir -p "$(dirname tools/askpass)"
printf '#!/bin/sh\n: > "%s"\n' '@MARKER@' > tools/askpass
chmod +x tools/askpass
git config core.askPass "$PWD/tools/askpass"
