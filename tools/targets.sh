#!/usr/bin/env bash
# Builds the runtime for the web and for bare metal, and holds the module to its size. A target that the
# toolchain has not and cannot get is told and passed over.
set -euo pipefail
cd "$(dirname "$0")/.."

# Bytes of the module without `full-regex`, and of the same compressed by gzip.
max_size=560000
max_compressed=216000

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
    cargo build --quiet -p ctr-runtime --no-default-features --release --target "$target"
    cargo build --quiet -p ctr-runtime --release --target "$target"
    echo "ctr-runtime builds for $target"
  fi
done

wasm=wasm32-unknown-unknown
if has "$wasm"; then
  cargo build --quiet -p ctr-runtime --target "$wasm" --release
  cargo build --quiet -p ctr-wasm --profile wasm --target "$wasm"
  module="$target_dir/$wasm/wasm/ctr_wasm.wasm"
  size=$(wc -c < "$module")
  compressed=$(gzip -9c "$module" | wc -c)
  echo "ctr_wasm.wasm: $size bytes, $compressed compressed"
  if [ "$size" -gt "$max_size" ] || [ "$compressed" -gt "$max_compressed" ]; then
    echo "the module has grown beyond $max_size bytes, or $max_compressed compressed" >&2
    exit 1
  fi
  if command -v node >/dev/null 2>&1; then
    node runtime/wasm/check.mjs "$module"
  else
    echo "the module was not run: there is no node" >&2
  fi
fi
