#!/bin/sh
# place-kernel.sh VMLINUZ OUT: the same kernel as a file that boots without decompressing. Offsets into the header are
# those of Linux's boot protocol; a loader puts what follows the header to 1 MiB.
set -eu
from=$1 out=$2
work=$(mktemp -d)

. "$(dirname "$0")/bytes.sh"

setup=$((($(number "$from" 0x1f1 1) + 1) * 512))
tail -c +$((setup + $(number "$from" 0x248 4) + 1)) "$from" | head -c $(($(number "$from" 0x24c 4) - 4)) |
  zstd -dcq >"$work/vmlinux"
objcopy -O binary -R .init.scratch "$work/vmlinux" "$work/kernel"
size=$(stat -c %s "$work/kernel")

# The kernel is made for 16 MiB and runs at every multiple of 2 MiB.
made=$((0x1000000)) loaded=$((0x100000)) runs=$((0x200000))
as --32 -o "$work/stub.o" --defsym "KERNEL_ENTRY=$(($(number "$work/vmlinux" 24 8) - made + runs))" \
  "$(dirname "$0")/place-kernel.s"
ld -m elf_i386 --oformat binary -Ttext 0 -e start -o "$work/stub" "$work/stub.o"
truncate -s $((runs - loaded)) "$work/stub"
needed=$((runs - loaded + $(number "$from" 0x260 4)))

{ head -c "$setup" "$from" && cat "$work/stub" "$work/kernel"; } >"$out"
put "$out" 0x000 2 0  # not a program for UEFI
put "$out" 0x1f4 4 $(((runs - loaded + size + 15) / 16))  # length, in units of 16 bytes
put "$out" 0x234 1 0  # not to be put elsewhere
put "$out" 0x236 2 0  # no other entry point than the 32-bit one
put "$out" 0x248 8 0  # no payload to look into
put "$out" 0x258 8 "$loaded"
put "$out" 0x260 4 "$needed"  # memory from there on
put "$out" 0x264 4 0  # no entry point for UEFI
rm -r "$work"
