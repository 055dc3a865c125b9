#!/bin/sh
# Runs ctrc for pre-commit: the one on the path, or one that is built from these sources once.
set -eu
if command -v ctrc >/dev/null 2>&1; then
  exec ctrc "$@"
fi
here=$(cd "$(dirname "$0")/.." && pwd)
ctrc=$here/target/hook/bin/ctrc
if [ ! -x "$ctrc" ]; then
  if ! command -v cargo >/dev/null 2>&1; then
    echo "ctrc is not on the path, and there is no cargo to build it with: install one of them" >&2
    exit 2
  fi
  echo "building ctrc, once" >&2
  cargo install --quiet --locked --path "$here/compiler/driver" --root "$here/target/hook" >&2
fi
exec "$ctrc" "$@"
