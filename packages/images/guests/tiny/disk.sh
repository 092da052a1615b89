#!/bin/sh
# disk.sh KERNEL INITRD ARGUMENTS VIRTIO OUT: a disk that a BIOS boots (boot-sector.s). ARGUMENTS is a file, VIRTIO the
# program of virtio-disk.c.
set -eu
kernel=$1 initrd=$2 arguments=$3 virtio=$4 out=$5
here=$(dirname "$0") work=$(mktemp -d)
. "$here/bytes.sh"

sectors() { echo $((($(stat -c %s "$1") + 511) / 512)); }
setup=$(($(number "$kernel" 0x1f1 1) + 1))
head -c $((setup * 512)) "$kernel" >"$work/setup"
tail -c +$((setup * 512 + 1)) "$kernel" >"$work/kernel"
head -c 511 "$arguments" | tr '\n' '\0' >"$work/arguments"

put "$work/setup" 0x210 1 0xff                          # an unknown boot loader
put "$work/setup" 0x211 1 $(($(number "$kernel" 0x211 1) | 0x80)) # that leaves a heap
put "$work/setup" 0x218 4 $((0x4000000))                # initrd
put "$work/setup" 0x21c 4 "$(stat -c %s "$initrd")"
put "$work/setup" 0x224 2 $((0xde00))                   # end of the heap
put "$work/setup" 0x228 4 $((0x20000))                  # command line

as --32 -o "$work/boot.o" --defsym "VIRTIO_SECTORS=$(sectors "$virtio")" --defsym "SETUP_SECTORS=$setup" --defsym "KERNEL_SECTORS=$(sectors "$work/kernel")" \
  --defsym "INITRD_SECTORS=$(sectors "$initrd")" "$here/boot-sector.s"
ld -m elf_i386 --oformat binary -Ttext 0x7c00 -e start -o "$work/boot" "$work/boot.o"

cp "$initrd" "$work/initrd"
cp "$virtio" "$work/virtio"
for part in virtio kernel initrd arguments; do truncate -s %512 "$work/$part"; done
cat "$work/boot" "$work/virtio" "$work/setup" "$work/kernel" "$work/initrd" "$work/arguments" >"$work/disk"
truncate -s %1M "$work/disk"
qemu-img convert -f raw -O qcow2 "$work/disk" "$out"
rm -r "$work"
