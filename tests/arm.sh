#!/usr/bin/env bash
# Builds for 64-bit ARM on an x86-64 Debian and runs the tests in qemu, an emulator of the processor.
#   tests/arm.sh [BUILD_DIR [CMAKE_OPTION ...]]     BUILD_DIR is build/arm64 unless given
# ARM's libraries are unpacked below BUILD_DIR; of this machine's packages, only the cross-compiler and qemu are
# added. An emulated processor says nothing about speed, and orders memory as x86-64 does.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${1:-build/arm64}"
build=$(realpath "${1:-build/arm64}")
shift || true

third_party/install.sh --arm

# apt in a world of its own that has no packages yet, so it finds everything that these need.
sysroot=$build/sysroot
if [[ ! -e "$sysroot/complete" ]]; then
  apt=$build/apt
  mkdir -p "$apt"/{state/lists/partial,cache/archives/partial} "$sysroot"
  : >"$apt/status"
  apt_get=(apt-get -qq -o Dir::State="$apt/state" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt/cache"
           -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User="$(id -un)")
  "${apt_get[@]}" update
  "${apt_get[@]}" install --download-only -y --no-install-recommends \
    libopenblas0-pthread libgomp1 libstdc++6 libfmt-dev nlohmann-json3-dev libcli11-dev zlib1g-dev libutf8proc-dev \
    libsentencepiece-dev libre2-dev libzip-dev libyaml-cpp-dev catch2
  for package in "$apt"/cache/archives/*.deb; do dpkg -x "$package" "$sysroot"; done
  # The link that the package's installation would have made.
  ln -sf openblas-pthread/libopenblas.so.0 "$sysroot/usr/lib/aarch64-linux-gnu/libopenblas.so.0"
  touch "$sysroot/complete"
fi

cmake -S . -B "$build" -DCMAKE_TOOLCHAIN_FILE=third_party/arm64.cmake -DCMAKE_FIND_ROOT_PATH="$sysroot" \
  "$@" -DREGARD_TESTS=ON
cmake --build "$build" -j "$(nproc)"
# Without program_tests: emulated, --version measures 0 GFLOP/s, and the test of a model that is too large for any
# memory had not ended after three minutes.
ctest --test-dir "$build" --output-on-failure -E program_tests
