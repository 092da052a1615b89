#!/bin/sh
# collect.sh OUT BELOW PATH…: copies programs, libraries and data with everything they load into the root OUT, as the
# loader names it. What the root BELOW already holds with the same content is left out: the layer under this one has it.
set -eu
out=$1 below=$2
shift 2

# The path under which a file really lies, as all top-level library and program folders are links into /usr.
real() { realpath --no-symlinks "$(realpath "$(dirname "$1")")/$(basename "$1")"; }

take() {
  path=$(real "$1")
  [ -e "$path" ] || { echo "collect: $1 is missing" >&2; exit 1; }
  [ ! -e "$out$path" ] || return 0
  if [ -L "$path" ]; then
    mkdir -p "$out$(dirname "$path")"
    target=$(readlink -f "$path")
    if [ -f "$target" ] && [ -f "$below$path" ] && cmp -s "$target" "$below$path"; then return 0; fi
    cp -a "$path" "$out$path"
    take "$target"
    return 0
  fi
  if [ -d "$path" ]; then
    mkdir -p "$out$(dirname "$path")"
    cp -a "$path" "$out$(dirname "$path")/"
    return 0
  fi
  cmp -s "$path" "$below$path" && return 0
  mkdir -p "$out$(dirname "$path")"
  cp -a "$path" "$out$path"
}

libraries() { ldd "$1" 2>/dev/null | sed -n 's/^.*=> \(\/[^ ]*\) .*$/\1/p; s/^\t\(\/[^ ]*\) (.*$/\1/p'; }

for wanted in "$@"; do
  take "$wanted"
  find -L "$wanted" -type f \( -perm -u+x -o -name '*.so*' \) | while read -r program; do
    libraries "$program" | while read -r library; do take "$library"; done
  done
done
