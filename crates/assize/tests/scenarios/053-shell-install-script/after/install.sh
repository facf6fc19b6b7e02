#!/bin/sh
# Installs the board for the current user. Can be run again.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
bin="$HOME/.local/bin"
units="$HOME/.config/systemd/user"

mkdir -p "$bin" "$units"
install -m 755 "$here/board" "$bin/board"
install -m 644 "$here/board.service" "$units/board.service"

# Without a user session there is nothing to reload or restart.
if command -v systemctl >/dev/null; then
    systemctl --user daemon-reload 2>/dev/null || true
    systemctl --user try-restart board.service 2>/dev/null || true
fi

echo installed
