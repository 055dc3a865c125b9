#!/usr/bin/env bash
# Builds the runtime for the web and for bare metal, and holds the module to its size. A target that the
# toolchain has not and cannot get is told and passed over.
set -euo pipefail
cd "$(dirname "$0")/.."

# Bytes of the module without `full-regex`, and of the same compressed by gzip; `lean` is without `repair`, too.
max_size=598000
max_compressed=242000
max_lean_size=494000
max_lean_compressed=202000

target_dir="${CARGO_TARGET_DIR:-target}"

has() {
  if [ -d "$(rustc --print sysroot)/lib/rustlib/$1/lib" ]; then return 0; fi
  if command -v rustup >/dev/null 2>&1 && timeout 120 rustup target add "$1" >/dev/null 2>&1; then return 0; fi
  echo "not built for $1: the toolchain does not have it, and it could not be downloaded" >&2
  return 1
}

for target in thumbv7em-none-eabihf riscv32imac-unknown-none-elf; do
  if has "$target"; then
    # Without and with the expressions that are compiled when they are loaded: both need no std.
    cargo build --quiet -p ctr-runtime --no-default-features --features small --release --target "$target"
    cargo build --quiet -p ctr-runtime --release --target "$target"
    echo "ctr-runtime builds for $target"
  fi
done

# module NAME MAX_SIZE MAX_COMPRESSED ARGUMENT...: builds a variant of the module, measures it and runs it.
module() {
  local name=$1 most=$2 most_compressed=$3 size compressed
  shift 3
  cargo build --quiet -p ctr-wasm --profile wasm --target "$wasm" "$@"
  local file="$target_dir/$wasm/wasm/ctr_wasm.wasm"
  size=$(wc -c < "$file")
  compressed=$(gzip -9c "$file" | wc -c)
  echo "ctr_wasm.wasm, $name: $size bytes, $compressed compressed"
  if [ "$size" -gt "$most" ] || [ "$compressed" -gt "$most_compressed" ]; then
    echo "the module has grown beyond $most bytes, or $most_compressed compressed" >&2
    exit 1
  fi
  if command -v node >/dev/null 2>&1; then
    node runtime/wasm/check.mjs "$file"
  else
    echo "the module was not run: there is no node" >&2
  fi
}

wasm=wasm32-unknown-unknown
if has "$wasm"; then
  cargo build --quiet -p ctr-runtime --target "$wasm" --release
  module lean "$max_lean_size" "$max_lean_compressed" --no-default-features
  # Last, so that it is the one that stays.
  module full "$max_size" "$max_compressed"
fi
