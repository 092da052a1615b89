#!/bin/sh
# node-labeller FOLDER: writes what libvirt and QEMU of this image can do on this node, for virt-handler to label the
# node with, and then waits for its end: the container also keeps the image on the node. The file `complete` appears
# last.
set -eu
folder=$1
kind=qemu
[ -c /dev/kvm ] && kind=kvm
printf 'stdio_handler = "file"\nnamespaces = []\nsecurity_driver = "none"\nuser = "root"\ngroup = "root"\n' >/etc/libvirt/qemu.conf
log=/var/log/libvirt/node-labeller
libvirtd --timeout 60 -p /run/node-labeller.pid 2>"$log" &
ask() { virsh -q -c qemu:///system "$@"; }
attempt=0
until ask version >/dev/null 2>&1; do
  attempt=$((attempt + 1))
  [ $attempt -lt 120 ] || { cat "$log" >&2; exit 1; }
  sleep 0.5
done

rm -f "$folder/complete"
machine="--virttype $kind --arch x86_64 --machine q35"
# A KVM that no guest can use counts as none.
ask domcapabilities $machine >"$folder/virsh_domcapabilities.xml" 2>/dev/null || {
  machine='--virttype qemu --arch x86_64 --machine q35'
  ask domcapabilities $machine >"$folder/virsh_domcapabilities.xml"
}
ask hypervisor-cpu-baseline --features $machine "$folder/virsh_domcapabilities.xml" >"$folder/supported_features.xml" || :
ask capabilities >"$folder/capabilities.xml"
: >"$folder/complete"

kill "$(cat /run/node-labeller.pid)" || :
wait || :
exec sleep infinity
