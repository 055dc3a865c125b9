# Sourced by the scripts of this repository: makes sure that there is the solver Z3 with its headers, which `ctrc check` is
# linked with (package libz3-dev on Debian and Ubuntu, z3 elsewhere).
have_z3() {
  if command -v pkg-config >/dev/null 2>&1 && pkg-config --exists z3; then return 0; fi
  for library in /usr/lib/*/libz3.so /usr/lib/libz3.so /usr/lib64/libz3.so /usr/local/lib/libz3.so; do
    if [ -e "$library" ]; then return 0; fi
  done
  return 1
}
if ! have_z3; then
  without="build Z3 from source with \`cargo build --features vendored-z3\`, or without it: \`cargo build -p ctrc --no-default-features\`"
  if command -v apt-get >/dev/null 2>&1; then
    echo "the solver Z3 is needed: installing libz3-dev" >&2
    if [ "$(id -u)" -eq 0 ]; then as_root=""; else as_root="sudo -n"; fi
    { $as_root apt-get update -qq && $as_root apt-get install -y -qq --no-install-recommends libz3-dev; } >&2 || {
      echo "libz3-dev could not be installed: install it, or $without" >&2
      exit 1
    }
  else
    echo "the solver Z3 is needed (package libz3-dev, z3-devel or z3): install it, or $without" >&2
    exit 1
  fi
fi
