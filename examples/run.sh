#!/bin/sh
# Builds ctrc and shows what it does on the refund desk: check, test, build, replay.
set -eu
cd "$(dirname "$0")/.."

. tools/linker.sh
. tools/z3.sh
cargo build --release --package ctrc
ctrc="${CARGO_TARGET_DIR:-target}/release/ctrc"
desk=examples/refund_desk
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

run() {
  echo
  echo "\$ ctrc $*"
  "$ctrc" "$@"
}

run check "$desk/policy.ctr"
run test "$desk/policy.ctr"
run build "$desk/policy.ctr" -o "$out/desk.ctrb"
run replay -l "$out/desk.ctrb" "$desk/sessions/good.jsonl"
# This session breaks the policy: the exit code is 1.
run replay -l "$out/desk.ctrb" "$desk/sessions/hasty.jsonl" || test $? -eq 1
run replay -l "$out/desk.ctrb" --view gated "$desk/sessions/hasty.jsonl" || test $? -eq 1
