#!/bin/sh
# The first process of a node, in network, mount, UTS, IPC and PID namespaces of its own: makes the node's
# view of the file system, configures its network, and keeps containerd, kubelet and kube-proxy running.
# When it ends, the kernel ends the whole node.
#
# Takes from its environment: NODE_NAME, NODE_DIR (the node's folder on the host), PROGRAMS (Kubernetes'
# programs), CACHE (folder of caches), NODE_ADDRESS (with prefix), SERVICE_RANGE, POD_ROUTES ("RANGE VIA" lines of the other nodes).
set -eu

here=/var/lib/.node

mount --make-rprivate /

# Mounts of the host that the node does not see anyway (containers of other programs, mostly) would stay in
# use for as long as the node lives.
awk '{ print $2 }' /proc/mounts | grep -E "^(/run|/var/lib|/var/log|$CACHE)/" | tac | while read -r mounted; do
  case "$NODE_DIR/ $PROGRAMS/" in
    *"$mounted/"*) ;;
    *) umount -l "$mounted" 2>/dev/null || true ;;
  esac
done

# /var/lib and /var/log are the node's own; its configuration and logs appear in them under a fixed path.
mkdir -p "$NODE_DIR/var-lib/.node/etc" "$NODE_DIR/var-lib/.node/bin" "$NODE_DIR/var-lib/.node/logs" "$NODE_DIR/var-log"
mount --bind "$NODE_DIR/etc" "$NODE_DIR/var-lib/.node/etc"
mount --bind "$NODE_DIR/logs" "$NODE_DIR/var-lib/.node/logs"
mount --bind "$PROGRAMS" "$NODE_DIR/var-lib/.node/bin"
mount --bind "$NODE_DIR/var-log" /var/log
mount --rbind "$NODE_DIR/var-lib" /var/lib
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock

# Pods with Bidirectional mounts need every mount shared - inside of the node. /var/run, a link to /run, is
# looked up by its literal name, so the root counts as well.
mount --make-rshared /

hostname "$NODE_NAME"

# The host plugs the cable in once it knows this process.
tries=0
until ip link show eth0 >/dev/null 2>&1; do
  tries=$((tries + 1))
  [ "$tries" -lt 300 ] || { echo "no eth0 after 30 s"; exit 1; }
  sleep 0.1
done
ip link set lo up
ip address add "$NODE_ADDRESS" dev eth0
ip link set eth0 up
echo 1 >/proc/sys/net/ipv4/ip_forward
# A packet to a service needs some route before kube-proxy's rules give it its real destination.
ip route add "$SERVICE_RANGE" dev eth0
echo "$POD_ROUTES" | while read -r range via; do
  [ -z "$range" ] || ip route add "$range" via "$via"
done

keep_running() {
  name=$1
  shift
  while :; do
    "$@" >>"$here/logs/$name.log" 2>&1 || true
    echo "$name ended, starting it again"
    sleep 1
  done
}

export PATH="$here/bin:$PATH"
keep_running containerd containerd --config "$here/etc/containerd.toml" &
until [ -S /run/containerd/containerd.sock ]; do sleep 0.05; done
keep_running kubelet kubelet --config="$here/etc/kubelet.json" --kubeconfig="$here/etc/kubelet.kubeconfig" \
  --hostname-override="$NODE_NAME" --node-ip="${NODE_ADDRESS%/*}" &
keep_running kube-proxy kube-proxy --config="$here/etc/kube-proxy.json" --hostname-override="$NODE_NAME" &

# The shell reaps what the node's other processes leave behind.
while :; do wait; done
