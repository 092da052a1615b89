# Numbers in files, little endian. number FILE OFFSET BYTES; put FILE OFFSET BYTES NUMBER.
number() { od -An -t "u$3" -j "$2" -N "$3" "$1" | tr -d ' '; }
put() {
  value=$4 bytes=''
  for byte in $(seq "$3"); do
    bytes="$bytes\\$(printf %03o $((value & 255)))"
    value=$((value >> 8))
  done
  printf "$bytes" | dd of="$1" bs=1 seek="$(($2))" conv=notrunc status=none
}
