#!/bin/sh
set -eu
commit=$(git cat-file commit HEAD | sed '/^committer /a gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ==\n -----END PGP SIGNATURE-----' | git hash-object -t commit -w --stdin)
git update-ref HEAD "$commit"
git config log.showSignature true
mkdir -p "$(dirname tools/gpg)"
printf '#!/bin/sh\n: > "%s"\n' '@MARKER@' > tools/gpg
chmod +x tools/gpg
git config gpg.program "$PWD/tools/gpg"
