#!/bin/sh
# Builds the workspace and passes all tests.
set -eu
cd "$(dirname "$0")/.."
. tools/linker.sh
. tools/z3.sh
cargo test --workspace "$@"
