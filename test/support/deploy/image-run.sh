#!/usr/bin/env bash
# Builds the image over a base of this machine's own tools and runs it: image-run.sh PACKAGE.tgz PORT. Prints what it saw as `name=value`,
# times in ms. Needs root, podman and crun. Everything is written below a temporary folder.
set -euo pipefail
# The files of the image are for every user, whatever the umask of the tests.
umask 022
here=$(realpath "$(dirname "$0")")
package=$1 port=$2

# crun refuses a machine with both versions of cgroups, so it sees one of them, in a mount namespace of this script's own.
if [ -z "${IMAGE_RUN_INSIDE:-}" ]; then
  exec env IMAGE_RUN_INSIDE=1 unshare --mount bash "$0" "$@"
fi
if mountpoint -q /sys/fs/cgroup/unified; then
  umount -R /sys/fs/cgroup
  mount -t cgroup2 none /sys/fs/cgroup
fi

work=$(mktemp -d)
# Storage of its own, so that images and containers of the machine stay unchanged.
engine="podman --root $work/storage --runroot $work/run --storage-driver ${IMAGE_RUN_DRIVER:-overlay} --cgroup-manager cgroupfs --events-backend none"
podman() { command $engine "$@"; }
cleanup() {
  podman rm -f -t 0 first second >&2 || true
  podman umount --all >&2 || true
  umount "$work/storage/overlay" 2>/dev/null || true
  # podman removes what is left of a container in processes of its own, which may still write here.
  for _ in $(seq 50); do
    if rm -rf "$work" 2>/dev/null; then return; fi
    sleep 0.1
  done
  rm -rf "$work" || true
}
trap cleanup EXIT
now() { date +%s%3N; }

began=$(now)
# What Containerfile asks of its base: sh, coreutils and the libraries of Node. Files that are links here are copied under the same names.
mkdir -p "$work/base/tmp" "$work/base/usr/bin"
ln -s usr/bin "$work/base/bin"
tools=$(command -v sh env rm chmod mkdir chown id)
libraries=$(ldd $tools "$here/../../../node_modules/.bin/node" | grep -oE '/[^ ]+\.so[^ ]*' | sort -u)
for file in $tools $libraries; do
  mkdir -p "$work/base$(dirname "$file")"
  cp -L "$file" "$work/base$file"
done
tar -C "$work/base" -cf "$work/base.tar" .
podman import "$work/base.tar" localhost/base:test >&2
echo "base_size=$(podman image inspect localhost/base:test --format '{{.Size}}')"
echo "base_ms=$(($(now) - began))"

# `npm ci` has left the packages in npm's cache, but not the lists of their versions, which npm asks the registry for.
began=$(now)
npm_config_prefer_offline=true npm_config_fetch_timeout=20000 ENGINE="$engine" FLAGS="--isolation chroot --network host --layers=false" BASE=localhost/base:test TAG=localhost/inferlog:test \
  "$here/../../../deploy/image.sh" "$package" >&2
echo "build_ms=$(($(now) - began))"
podman image inspect localhost/inferlog:test --format \
  'size={{.Size}}
user={{.User}}
signal={{index .Config.StopSignal}}
volumes={{range $path, $_ := .Config.Volumes}}{{$path}}{{end}}
version={{index .Labels "org.opencontainers.image.version"}}'

start() {
  podman run -d --name "$1" --read-only --tmpfs /tmp:size=64m,mode=1777 --network host --cap-drop all --security-opt no-new-privileges \
    --cgroups=disabled --ulimit nofile=4096:4096 --ulimit nproc=4096:4096 --log-driver k8s-file --volume data:/var/lib/inferlog \
    --env HOST=127.0.0.1 --env "PORT=$port" --env BOOTSTRAP_API_KEY=test:0123456789abcdef localhost/inferlog:test >&2
}
# What HEALTHCHECK says. On a machine with systemd its timer asks; here nothing else does.
healthy() {
  for _ in $(seq 150); do
    if podman healthcheck run "$1" >/dev/null 2>&1; then return; fi
    sleep 0.1
  done
  podman logs "$1" >&2
  return 1
}
call() { curl -sS --max-time 20 -H 'Authorization: Key test:0123456789abcdef' "$@"; }

began=$(now)
start first
healthy first
echo "healthy_ms=$(($(now) - began))"
echo "health=$(podman inspect first --format '{{.State.Health.Status}}')"
echo "uid=$(podman exec first sh -c 'id -u' 2>/dev/null || podman exec first node -p 'process.getuid()')"
echo "root_write=$(podman exec first sh -c 'echo x >/opt/inferlog/x' 2>/dev/null && echo possible || echo refused)"
echo "node=$(podman exec first node --version)"
id=$(call "http://127.0.0.1:$port/sandbox/echo" -H 'Prefer: wait=15' -H 'Content-Type: application/json' -d '{"value":"kept"}' |
  sed -nE 's/.*"id": ?"([^"]+)".*/\1/p')
echo "completed=$(call "http://127.0.0.1:$port/requests/$id" | grep -c '"status": \?"COMPLETED"' || true)"
began=$(now)
podman stop -t 10 first >&2
echo "stop_ms=$(($(now) - began))"
echo "exit=$(podman inspect first --format '{{.State.ExitCode}}')"
podman rm first >&2

start second
healthy second
echo "kept=$(call "http://127.0.0.1:$port/requests/$id" | grep -c '"status": \?"COMPLETED"' || true)"
echo "verified=$(podman exec second inferlog log verify --json >/dev/null && echo yes || echo no)"
podman stop -t 10 second >&2
