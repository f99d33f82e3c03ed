#!/usr/bin/env bash
# Runs an S3 server, Ceph's radosgw with one monitor and one store in memory, on three ports of 127.0.0.1. It creates DIR and removes
# it at the end, prints `ready` when it serves, and ends with its standard input. Needs Debian's radosgw, ceph-mon and ceph-osd, not root.
set -euo pipefail
dir=$(realpath -m "${1:?usage: s3-server.sh DIR PORT MONITOR_PORT MONITOR_PORT_2}")
port=${2:?}
monitors="v2:127.0.0.1:${3:?},v1:127.0.0.1:${4:?}"
fsid=11111111-2222-3333-4444-555555555555

mkdir "$dir"
finish() {
  # The caller may be gone, and bash's messages about killed jobs would then end this script.
  exec >/dev/null 2>&1
  jobs -p | xargs -r kill -9 || true
  wait || true
  rm -rf "$dir"
}
trap finish EXIT
trap 'exit 0' INT TERM
mkdir "$dir"/{mon,osd,rgw,log,run}

cat >"$dir/ceph.conf" <<CONF
[global]
fsid = $fsid
mon_host = [$monitors]
keyring = $dir/keyring
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
mon_warn_on_pool_no_redundancy = false
mon_allow_pool_size_one = true
mon_max_pg_per_osd = 1000
mon_data_avail_crit = 1
mon_data_avail_warn = 1
osd_crush_chooseleaf_type = 0
paxos_propose_interval = 0.02
paxos_min_wait = 0.01
osd_objectstore = memstore
memstore_device_bytes = 4294967296
run_dir = $dir/run
log_file = $dir/log/\$name.log
admin_socket = $dir/run/\$name.asok
pid_file =
[mon.a]
mon_data = $dir/mon
[osd.0]
osd_data = $dir/osd
[client.admin]
rgw_frontends = beast endpoint=127.0.0.1:$port
rgw_data = $dir/rgw
rgw_dns_name = 127.0.0.1
rgw_enable_usage_log = false
rgw_gc_max_objs = 1
rgw_lc_max_objs = 1
rgw_usage_max_shards = 1
rgw_num_control_oids = 1
rgw_run_sync_thread = false
CONF
export CEPH_CONF=$dir/ceph.conf

# Daemons started by root switch to another user, who cannot write here.
as=()
if [ "$(id -u)" = 0 ]; then as=(--setuser root --setgroup root); fi

# Daemons must not keep the standard input open, nor print between the lines of this script.
start() {
  "$@" -f -c "$CEPH_CONF" "${as[@]}" </dev/null >>"$dir/log/out" 2>&1 &
}
quietly() {
  "$@" </dev/null >>"$dir/log/out" 2>&1 || { tail -n 20 "$dir/log/out" >&2; return 1; }
}

quietly ceph-authtool --create-keyring "$dir/keyring" --gen-key -n mon. --cap mon 'allow *'
quietly ceph-authtool "$dir/keyring" --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *'
quietly monmaptool --create --fsid "$fsid" --addv a "[$monitors]" "$dir/monmap"
quietly ceph-mon --mkfs -i a --keyring "$dir/keyring" --monmap "$dir/monmap" -c "$CEPH_CONF" "${as[@]}"
start ceph-mon -i a

uuid=$(cat /proc/sys/kernel/random/uuid)
quietly ceph osd new "$uuid"
quietly ceph-authtool "$dir/keyring" --gen-key -n osd.0 --cap mon 'allow profile osd' --cap osd 'allow *'
quietly ceph auth import -i "$dir/keyring"
quietly ceph-osd -i 0 --mkfs --osd-uuid "$uuid" -c "$CEPH_CONF" "${as[@]}"
quietly ceph osd crush add osd.0 1 root=default
start ceph-osd -i 0

quietly radosgw-admin user create --uid=test --display-name=test --access-key=testaccess --secret-key=testsecret
start radosgw -n client.admin
until (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
  kill -0 $! || { tail -n 20 "$dir/log/out" >&2; exit 1; }
  sleep 0.05
done
echo ready
cat >/dev/null
