#!/usr/bin/env bash
# Builds the runtime for the web and for bare metal, and holds the module to its size. A target that the
# toolchain has not and cannot get is told and passed over.
set -euo pipefail
cd "$(dirname "$0")/.."

# Bytes of each module as rustc makes it, and after wasm-opt (Debian's package `binaryen`), where that is there.
lean=(367000 324000)
full=(534000 472000)
default=(473000 418000)

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

# shrink FROM TO: what wasm-opt makes of a module; false where there is none. Nothing lies in the first kilobyte
# of memory but the end of the stack.
shrink() {
  command -v wasm-opt >/dev/null 2>&1 || return 1
  wasm-opt -Oz --converge --low-memory-unused --enable-bulk-memory --enable-sign-ext --enable-mutable-globals \
    --enable-nontrapping-float-to-int --strip-debug --strip-producers --strip-target-features "$1" -o "$2"
}

# within NAME FILE MAX_SIZE: tells a module's size, and that it is not beyond it.
within() {
  local size
  size=$(wc -c < "$2")
  echo "$1: $size bytes, $(gzip -9c "$2" | wc -c) compressed by gzip"
  if [ "$size" -gt "$3" ]; then
    echo "it has grown beyond $3 bytes" >&2
    exit 1
  fi
}

# module NAME MAX_SIZE MAX_SHRUNK ARGUMENT...: builds a variant of the module, measures it and runs it.
module() {
  local name=$1 most=$2 most_shrunk=$3
  shift 3
  cargo build --quiet -p ctr-wasm --profile wasm --target "$wasm" "$@"
  local folder="$target_dir/$wasm/wasm"
  local file="$folder/ctr_wasm.$name.wasm"
  cp "$folder/ctr_wasm.wasm" "$file"
  within "module $name" "$file" "$most"
  if shrink "$file" "$folder/shrunk.wasm"; then
    mv "$folder/shrunk.wasm" "$file"
    within "module $name after wasm-opt" "$file" "$most_shrunk"
  else
    echo "there is no wasm-opt: the module stays as it is" >&2
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
  module lean "${lean[@]}" --no-default-features
  module full "${full[@]}" --features full
  module default "${default[@]}"
fi
