#!/usr/bin/env bash
# Installs what regard needs on Debian and Ubuntu. Does nothing, and needs no root, when all is there.
#   third_party/install.sh           to build, test and run
#   third_party/install.sh --dev     also clang++, clang-format and Chromium, for contributors
#   third_party/install.sh --mpi     also Open MPI, for trainings on several processes or machines
#   third_party/install.sh --python  also what the Python package needs (apps/python)
#   third_party/install.sh --arm     also a compiler for 64-bit ARM and qemu, for tests/arm.sh
#   third_party/install.sh --node    also emscripten, for third_party/wasm.sh
set -euo pipefail

packages=(g++ make cmake libopenblas0-pthread libgomp1 libfmt-dev nlohmann-json3-dev libcli11-dev zlib1g-dev
          libutf8proc-dev libsentencepiece-dev libre2-dev libicu-dev libzip-dev libyaml-cpp-dev libpng-dev libjpeg-dev
          libmicrohttpd-dev libdnnl-dev libxml2-dev catch2)
if [[ "${1:-}" == --dev ]]; then
  # Both flavours of OpenBLAS are tested, and msgfmt checks our PO files. Formatting is pinned to clang-format 14.
  packages+=(clang libc++-dev libc++abi-dev libclang-rt-14-dev libomp-dev clang-format-14 libopenblas0-openmp
             ninja-build python3 python3-dev python3-venv libopenmpi-dev openmpi-bin gettext)
  # Ubuntu has no package with Chromium itself; without it, the tests of the page are skipped.
  grep -qx 'ID=debian' /etc/os-release && packages+=(chromium chromium-driver python3-selenium)
elif [[ "${1:-}" == --mpi ]]; then
  packages+=(libopenmpi-dev openmpi-bin)
elif [[ "${1:-}" == --python ]]; then
  packages+=(python3-dev python3-venv)
elif [[ "${1:-}" == --arm ]]; then
  packages+=(g++-aarch64-linux-gnu qemu-user-static)
elif [[ "${1:-}" == --node ]]; then
  packages+=(emscripten)
elif [[ $# -gt 0 ]]; then
  echo "usage: third_party/install.sh [--dev|--mpi|--python|--arm|--node]" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true)
  [[ "$state" == "install ok installed" ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

echo "Installing: ${missing[*]}"
if ! command -v apt-get >/dev/null; then
  echo "install.sh: apt-get not found; install these by hand: ${missing[*]}" >&2
  exit 1
fi
as_root=()
if [[ $EUID -ne 0 ]]; then
  command -v sudo >/dev/null || { echo "install.sh: needs root or sudo to install: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update -qq ||
  echo "install.sh: some lists of packages could not be fetched; trying to install without them" >&2
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
