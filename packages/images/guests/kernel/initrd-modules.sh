#!/bin/sh
# initrd-modules.sh FOLDER NAME…: copies kernel modules with all that they need to FOLDER, numbered in load order, without
# the types for BPF programs, which the kernel would read at the first module.
set -eu
folder=$1
shift
mkdir -p "$folder"
release=$(ls /kernel/usr/lib/modules)
count=100
for name in "$@"; do
  modprobe -d /kernel -S "$release" --show-depends "$name" | sed -n 's/^insmod \(\S*\).*/\1/p' | while read -r file; do echo "$file"; done
done | awk '!seen[$0]++' | while read -r file; do
  objcopy --strip-debug -R .BTF "$file" "$folder/$count-$(basename "$file")"
  count=$((count + 1))
done
