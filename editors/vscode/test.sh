#!/bin/sh
# Tests the extension for VS Code; says so where it cannot.
set -eu
cd "$(dirname "$0")"
skip() { echo "SKIPPED: the extension for VS Code: $1" >&2; exit 0; }
command -v node >/dev/null && command -v npm >/dev/null || skip "there is no Node.js"
[ "$(node -p 'Number(process.versions.node.split(".")[0]) >= 20')" = true ] || skip "Node.js is older than 20"
# What is installed already is installed again only where the list has changed. Without a network this ends soon.
if ! cmp -s package-lock.json node_modules/.installed; then
  npm ci --prefer-offline --fetch-retries=1 --fetch-retry-mintimeout=2000 --fetch-retry-maxtimeout=5000 --no-audit --no-fund --ignore-scripts --silent || skip "its packages cannot be installed"
  cp package-lock.json node_modules/.installed
fi
npm run --silent lint
npm test --silent
