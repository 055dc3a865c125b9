#!/bin/sh
# Tries the set-up of Neovim and Emacs against `ctrc lsp`, where they are installed; says so where they are not.
set -eu
cd "$(dirname "$0")/.."
skip() { echo "SKIPPED: $1" >&2; }

. tools/linker.sh
. tools/z3.sh
if [ -z "${CTRC:-}" ]; then
  cargo build --quiet --release --package ctrc
  CTRC=${CARGO_TARGET_DIR:-$PWD/target}/release/ctrc
fi
PATH=$(dirname "$(realpath "$CTRC")"):$PATH
export PATH

if command -v nvim >/dev/null && nvim --headless --clean -c 'lua os.exit(vim.lsp.enable and 0 or 1)' 2>/dev/null; then
  # The parser for the colours, where there is a compiler.
  parser=$(mktemp -d)
  trap 'rm -rf "$parser"' EXIT
  mkdir "$parser/parser"
  source=grammar/tree-sitter/src
  if cc -O1 -fPIC -shared -I "$source" "$source/parser.c" -o "$parser/parser/ctr.so"; then
    export CTRC_NVIM_PARSER="$parser"
  fi
  nvim --headless --clean -l editors/neovim/test.lua
else
  skip "Neovim 0.11 or later is not installed"
fi

if command -v emacs >/dev/null && emacs --batch -l editors/emacs/eglot.el >/dev/null 2>&1; then
  emacs --batch -l editors/emacs/test.el
else
  skip "Emacs with eglot is not installed"
fi
