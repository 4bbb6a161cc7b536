#!/usr/bin/env bash
# Takes rooms away in a copy of the repository, and shows that all else builds and passes. A room is a guest of
# apps/CMakeLists.txt.
#   tests/without.sh ROOM …     without these rooms: builds everything, runs the tests of the spine
#   tests/without.sh all        without each guest, one after another
#   tests/without.sh spine      without all guests at once; then the steps of the demo
set -euo pipefail
cd "$(dirname "$0")/.."
guests=$(sed -n '/^set(guests$/,/^)$/s/^  //p' apps/CMakeLists.txt)
work=$PWD/build/without

lines_of() { cat $(git ls-files "$@" | grep -E '\.(h|cpp|py|js|css|html|sh|cmake|in|txt)$') </dev/null | wc -l; }

# with_users ROOM …: these rooms, and those that cannot be there without them.
with_users() {
  printf '%s\n' "$@"
  for room in "$@"; do grep -lw "regard::$room" apps/*/CMakeLists.txt | cut -d / -f 2; done
}

# copy_without ROOM …: the repository in $work/source, without these rooms.
copy_without() {
  rm -rf "$work/source"
  mkdir -p "$work/source"
  git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$work/source" 2>/dev/null || true
  for room in $(with_users "$@"); do
    grep -qx "$room" <<<"$guests" || { echo "without.sh: there is no guest $room in apps/CMakeLists.txt" >&2; exit 1; }
    rm -rf "$work/source/apps/$room" "$work/source/tests/apps/$room"
    sed -i "/^  $room\$/d" "$work/source/apps/CMakeLists.txt"
  done
}

# With ccache, the files that do not change from room to room are compiled once.
if command -v ccache >/dev/null; then
  fast=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DCMAKE_UNITY_BUILD=OFF)
else
  fast=(-DCMAKE_UNITY_BUILD=ON)
fi
if command -v ninja >/dev/null; then fast+=(-G Ninja); fi

# build TARGET CMAKE_OPTION …
build() {
  cmake "${fast[@]}" -S "$work/source" -B "$work/build" -DREGARD_WERROR=ON "${@:2}" >"$work/log"
  cmake --build "$work/build" -j "$(nproc)" --target "$1" >"$work/log" || { cat "$work/log"; exit 1; }
}

# without ROOM …
without() {
  local begin=$SECONDS
  copy_without "$@"
  build all -DREGARD_TESTS=ON
  ctest --test-dir "$work/build" --output-on-failure -j 2 \
    -R '^(structure|autograd_tests|nn_tests|transformer_tests|apps_tests|program_tests)$' >"$work/log" ||
    { cat "$work/log"; exit 1; }
  local folders=()
  for room in "$@"; do folders+=("apps/$room" "tests/apps/$room"); done
  echo "without $*: all else builds and passes, $((SECONDS - begin)) s; $(lines_of "${folders[@]}") lines are gone"
}

case ${1:-} in
  all) for room in $guests; do without "$room"; done ;;
  spine)
    begin=$SECONDS
    copy_without $guests
    build regard -DREGARD_TESTS=OFF
    spine=$(lines_of . ':!tests' $(sed 's/^/:!apps\//' <<<"$guests"))
    cd "$work/source"
    tests/structure.py
    regard=$work/build/apps/regard/regard
    rm -rf build && mkdir build
    $regard toy sentences --train 2000 --out build/toy >"$work/log"
    $regard train apps/configs/sentences.json --set training.steps=20 --out build/model >"$work/log"
    $regard evaluate build/model --source build/toy/test.source --reference build/toy/test.target >"$work/log"
    head -n 1 build/toy/test.source | $regard translate build/model --attention >"$work/log"
    echo "the spine alone builds and runs, $((SECONDS - begin)) s; it has $spine lines without its tests"
    ;;
  "" | -*) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 1 ;;
  *) without "$@" ;;
esac
