#!/usr/bin/env bash
# Unpacks Debian 13's nats-server (2.10) into DIR without installing it, and prints the path of the program. Needs apt, not root.
# DIR is by default where the tests look. If the program exists, nothing is done.
set -euo pipefail
dir=${1:-"$(dirname "$0")/../../../node_modules/.cache/nats-server"}
mkdir -p "$dir"
program=$(realpath "$dir")/nats-server

if [ ! -x "$program" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial"

  # Uses separate package lists and archives, so that the machine's own stay unchanged, and the machine's mirror.
  mirror=$(cat /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null |
    sed -nE 's/^(URIs: *|deb +(\[[^]]*\] +)?)([^ ]+).*/\3/p' | head -n 1) || true
  cat >"$work/trixie.sources" <<SOURCES
Types: deb
URIs: ${mirror:-http://deb.debian.org/debian}
Suites: trixie
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
  apt() {
    apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$work" -o Dir::State::lists="$work/lists" \
      -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@" >&2
  }
  apt update
  (cd "$work" && apt download nats-server && dpkg-deb -x nats-server_*.deb unpacked)

  # The program appears atomically, even if two processes unpack it at once.
  cp "$work/unpacked/usr/sbin/nats-server" "$program.$$"
  mv "$program.$$" "$program"
fi
echo "$program"
