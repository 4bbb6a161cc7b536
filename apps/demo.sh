#!/usr/bin/env bash
# One command on a fresh machine: installs what is missing, builds, makes a toy corpus, trains a small
# Transformer on it, and translates sentences that it has never seen.
set -euo pipefail
cd "$(dirname "$0")/.."

third_party/install.sh
mkdir -p build
echo "Building (some minutes, the first time)"
# A new build has the rooms that the demo needs, and compiles several files as one; an old one keeps its settings.
new=()
[[ -e build/CMakeCache.txt ]] || new=(-DCMAKE_UNITY_BUILD=ON -DREGARD_GUESTS=none)
{ cmake -S . -B build -DCMAKE_BUILD_TYPE=Release -DREGARD_TESTS=OFF "${new[@]}" &&
    cmake --build build --target regard -j "$(nproc)"; } >build/demo.log 2>&1 ||
  { tail -n 30 build/demo.log; echo "demo: the build failed; all of it is in build/demo.log" >&2; exit 1; }
regard=build/apps/regard/regard

echo "1. A toy corpus: a small grammar, English to French and English to Korean"
$regard toy sentences --out build/toy
echo
echo "2. Training"
$regard train apps/configs/sentences.json --out build/model --overwrite
echo
echo "3. Test sentences, none of which was in the training corpus"
$regard evaluate build/model --source build/toy/test.source --reference build/toy/test.target
echo
echo "4. Some of them"
head -n 8 build/toy/test.source | $regard translate build/model | paste -d '\n' <(head -n 8 build/toy/test.source) - |
  sed 'N; s/^\(.*\)\n\(.*\)$/  \1\n      \2/'
echo
echo "5. Where the decoder looked: a column for each source word, a row for each word it wrote"
sed -n '/^>>fr<</{p;q}' build/toy/test.source | $regard translate build/model --attention
echo "Your turn: $regard translate build/model"
echo "Or look inside: cmake build -DREGARD_GUESTS=all >/dev/null && cmake --build build -j $(nproc) --target regard && $regard explore build/model"
