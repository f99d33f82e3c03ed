#!/usr/bin/env bash
# Builds the image of this checkout, or of a packed package: deploy/image.sh [PACKAGE.tgz]. Needs npm, and podman, buildah or docker.
#
#   TAG     name of the image (localhost/inferlog:<version>, and :latest)
#   ARCH    x64 or arm64 (that of this machine)
#   BASE    base image (Debian, see Containerfile)
#   ENGINE  command with its options, such as "podman --root /srv/images"
#   FLAGS   more options of its build command
set -euo pipefail
root=$(realpath "$(dirname "$0")/..")
package=${1:+$(realpath "$1")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ -z "${ENGINE:-}" ]; then
  for ENGINE in podman buildah docker; do command -v "$ENGINE" >/dev/null && break; done
fi
read -ra engine <<<"$ENGINE"
read -ra flags <<<"${FLAGS:-}"
case $(basename "${engine[0]}") in
  # Otherwise podman and buildah write the OCI format, which has no HEALTHCHECK.
  podman | buildah) flags+=(--format docker) ;;
  docker) ;;
esac
case ${ARCH:-$(uname -m)} in
  x64 | x86_64) cpu=x64 platform=linux/amd64 ;;
  arm64 | aarch64) cpu=arm64 platform=linux/arm64 ;;
  *) echo "image.sh: ARCH: Expected x64 or arm64" >&2 && exit 2 ;;
esac

if [ -z "$package" ]; then
  (cd "$root" && npm pack --silent --pack-destination "$work" >/dev/null)
  package=$(echo "$work"/inferlog-*.tgz)
fi
# npm runs here with this machine's configuration. Nothing of that configuration enters the image.
mkdir "$work/context"
echo '{ "private": true }' >"$work/context/package.json"
npm install --prefix "$work/context" --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error \
  --os=linux --cpu="$cpu" --libc=glibc "$package" >/dev/null
version=$(sed -nE 's/^  "version": "(.*)",$/\1/p' "$work/context/node_modules/inferlog/package.json")
revision=$(git -C "$root" rev-parse HEAD 2>/dev/null || echo unknown)

[ -z "${BASE:-}" ] || flags+=(--build-arg "BASE=$BASE")
if [ -n "${TAG:-}" ]; then tags=(-t "$TAG"); else tags=(-t "localhost/inferlog:$version" -t localhost/inferlog:latest); fi
"${engine[@]}" build "${flags[@]}" --platform "$platform" --build-arg "VERSION=$version" --build-arg "REVISION=$revision" \
  "${tags[@]}" -f "$root/deploy/Containerfile" "$work/context"
