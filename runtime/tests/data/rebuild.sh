#!/bin/sh
# Makes the stored artifacts and their decisions anew. For a change of the format that is meant; read what
# changes in the decisions (*.gated.txt) before it is committed.
set -eu
cd "$(dirname "$0")/../../.."
cargo build --quiet --package ctrc
ctrc="${CARGO_TARGET_DIR:-target}/debug/ctrc"
to=runtime/tests/data
for name in refund_desk travel_desk; do
  "$ctrc" build "examples/$name/policy.ctr" -o "$to/$name.ctrb"
done
for name in retail airline; do
  "$ctrc" build "stdlib-contracts/tau2/$name.ctr" -o "$to/$name.ctrb"
done
CTRC_GOLDEN=write cargo test --quiet --package ctr-runtime --test loading golden
