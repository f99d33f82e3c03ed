#!/usr/bin/env bash
# Installs Lighthouse into a folder of its own, and measures views of the console on a server with data.
# Prints a line for each view, or for those whose names are given, and fails where performance is below 95. It takes a minute for each view and wants an idle machine.
set -euo pipefail
cd "$(dirname "$0")/../../.."
export PATH="$PWD/node_modules/.bin:$PATH"
dir=node_modules/.cache/lighthouse
version=13.5.0

if [ ! -d "$dir/node_modules/lighthouse" ]; then
  mkdir -p "$dir"
  npm install --prefix "$dir" --ignore-scripts --no-save --no-audit --no-fund "lighthouse@$version" >&2
fi
exec node test/support/console/Lighthouse.ts "$PWD/$dir/node_modules/lighthouse/core/index.js" "$@"
