#!/usr/bin/env bash
# Takes rooms away in a copy of the repository, and shows that all else builds and passes. A room is a guest of
# CMakeLists.txt; the guests that need it go with it.
#   tests/without.sh ROOM …     without these rooms: builds everything, runs the tests of the spine
#   tests/without.sh all        without each guest, one after another
#   tests/without.sh spine      without all guests at once; then the steps of the demo
set -euo pipefail
cd "$(dirname "$0")/.."
guests=$(sed -n 's/^guest(\([a-z_]*\).*)$/\1/p' CMakeLists.txt)
work=$PWD/build/without

# with_needing ROOM …: these rooms, and those that need them. In the list, a guest stands after those that it needs.
with_needing() {
  local all=" $* " room needs need
  while read -r room needs; do
    for need in $needs; do
      if [[ $all == *" $need "* && $all != *" $room "* ]]; then all+="$room "; fi
    done
  done < <(sed -n 's/^guest(\(.*\))$/\1/p' CMakeLists.txt)
  echo $all
}

# The folders of a guest on all floors.
floors() { echo {,tests/}{autograd,nn,transformer,apps}/"$1"; }

lines_of() { cat $(git ls-files "$@" | grep -E '\.(h|cpp|py|js|css|html|sh|cmake|in|txt)$') </dev/null | wc -l; }

# copy_without ROOM …: the repository in $work/source, without these rooms.
copy_without() {
  rm -rf "$work/source"
  mkdir -p "$work/source"
  git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -t "$work/source" 2>/dev/null || true
  for room in "$@"; do
    grep -qx "$room" <<<"$guests" || { echo "without.sh: there is no guest $room in CMakeLists.txt" >&2; exit 1; }
    (cd "$work/source" && rm -rf $(floors "$room") && sed -i "/^guest($room[ )]/d" CMakeLists.txt)
  done
}

# With ccache, what does not change from room to room is compiled once.
fast=(-DCMAKE_UNITY_BUILD=ON)
if command -v ccache >/dev/null; then fast+=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
if command -v ninja >/dev/null; then fast+=(-G Ninja); fi

# build TARGET CMAKE_OPTION …
build() {
  cmake "${fast[@]}" -S "$work/source" -B "$work/build" -DREGARD_WERROR=ON "${@:2}" >"$work/log"
  cmake --build "$work/build" -j "$(nproc)" --target "$1" >"$work/log" || { cat "$work/log"; exit 1; }
}

# without ROOM …
without() {
  local begin=$SECONDS
  set -- $(with_needing "$@")
  copy_without "$@"
  build all -DREGARD_TESTS=ON
  # A program of tests that has passed without another room is not run again if it is the same, bit by bit.
  local tests=structure new="" program key
  for test in {autograd,nn,transformer,apps,program}_tests; do
    program=$work/build/apps/regard/regard
    [[ $test == apps_* || $test == program_* ]] || program=
    key="$test $(cat "$work/build/tests/$test" $program | sha256sum)"
    grep -qsxF "$key" "$work/passed" && continue
    tests+="|$test" new+="$key"$'\n'
  done
  ctest --test-dir "$work/build" --output-on-failure -j 2 -R "^($tests)\$" >"$work/log" || { cat "$work/log"; exit 1; }
  printf %s "$new" >>"$work/passed"
  local folders=()
  for room in "$@"; do folders+=($(floors "$room")); done
  echo "without $*: all else builds and passes, $((SECONDS - begin)) s; $(lines_of "${folders[@]}") lines are gone"
}

case ${1:-} in
  all) for room in $guests; do without "$room"; done ;;
  spine)
    begin=$SECONDS
    copy_without $guests
    build regard -DREGARD_TESTS=OFF
    spine=$(lines_of . ':!tests' $(for room in $guests; do floors "$room"; done | tr ' ' '\n' | sed 's/^/:!/'))
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
