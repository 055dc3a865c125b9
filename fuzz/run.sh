#!/bin/sh
# Runs every fuzz target for so many seconds, one after the other: fuzz/run.sh SECONDS [TARGET...]
#
# Needs a nightly compiler and cargo-fuzz (cargo install cargo-fuzz). Inputs are taken from the
# repository's own files and kept in fuzz/corpus; an input that breaks a property is left in
# fuzz/artifacts, and belongs into fuzz/found once what it shows has been mended.
set -eu
seconds=${1:?usage: fuzz/run.sh SECONDS [TARGET...]}
shift
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- lexer parser formatter schemas traces readers

# Reads names of files, and copies those into the folder under names that say where they come from.
collect() {
    while IFS= read -r file; do
        cp "$file" "$1/$(printf %s "$file" | tr / _)"
    done
}

# Cuts a text into files at lines `---`.
cut_up() {
    awk -v into="$1/seed" 'BEGIN { file = into n++ } /^---$/ { close(file); file = into n++; next } { print > file }' "$2"
}

for target in "$@"; do
    into=fuzz/corpus/$target
    mkdir -p "$into"
    case $target in
    lexer | parser | formatter)
        words=fuzz/policies.dict
        find examples stdlib-contracts tests grammar/tests fuzz/found/policies -name '*.ctr' -size -40k | collect "$into"
        ;;
    schemas)
        words=fuzz/json.dict
        find fuzz/found/schemas compiler/front/tests/data examples tests/ui -name '*.json' -size -40k | collect "$into"
        sed 's/$/\n---/' fuzz/seeds/schemas.txt >fuzz/corpus/schemas.txt
        cut_up "$into" fuzz/corpus/schemas.txt
        ;;
    *)
        words=fuzz/json.dict
        find fuzz/found/traces runtime/tests/data examples stdlib-contracts compiler/driver/src \
            \( -name '*.json' -o -name '*.jsonl' \) -size -40k | collect "$into"
        cut_up "$into" fuzz/seeds/traces.txt
        ;;
    esac
    cargo +nightly fuzz run --sanitizer none --fuzz-dir fuzz "$target" -- \
        -max_total_time="$seconds" -timeout=10 -max_len=8000 -dict="$words" -print_final_stats=1
done
