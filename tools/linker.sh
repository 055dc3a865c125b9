# Sourced by the scripts of this repository: makes sure that there is the C linker which rustc calls.
if ! command -v cc >/dev/null 2>&1; then
  echo "a C linker is needed: installing gcc" >&2
  if [ "$(id -u)" -eq 0 ]; then as_root=""; else as_root="sudo"; fi
  $as_root apt-get update -qq >&2
  $as_root apt-get install -y -qq gcc libc6-dev >&2
fi
