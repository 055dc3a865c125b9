#!/bin/sh
# Builds the workspace and passes all tests.
set -eu
cd "$(dirname "$0")/.."
. tools/linker.sh
cargo test --workspace "$@"
