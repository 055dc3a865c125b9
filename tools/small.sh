#!/usr/bin/env bash
# The runtime's tests with less code (feature `small`), which has to decide as the quick one does: with all else, and
# without what would be accepted (`narrowing`), where a contract that asks for a repair blocks.
set -euo pipefail
cd "$(dirname "$0")/.."

tests=(--lib --test conformance --test sessions --test keyed --test registers)
cargo test --quiet -p ctr-runtime --features small "${tests[@]}"
cargo test --quiet -p ctr-runtime --no-default-features --features small,full-regex "${tests[@]}"
