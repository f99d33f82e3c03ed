#!/usr/bin/env bash
# Unpacks Debian's promtool into DIR without installing it, and prints the path of the program. Needs apt, not root.
# DIR is by default where the tests look. If the program exists, nothing is done.
set -euo pipefail
dir=${1:-"$(dirname "$0")/../../../node_modules/.cache/promtool"}
mkdir -p "$dir"
program=$(realpath "$dir")/promtool

if [ ! -x "$program" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  (cd "$work" && apt-get download -qq prometheus >&2)
  dpkg-deb --fsys-tarfile "$work"/prometheus_*.deb | tar -x -C "$work" ./usr/bin/promtool

  # The program appears atomically, even if two processes unpack it at once.
  cp "$work/usr/bin/promtool" "$program.$$"
  mv "$program.$$" "$program"
fi
echo "$program"
