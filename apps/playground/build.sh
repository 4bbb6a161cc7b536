#!/usr/bin/env bash
# Makes the playground: a page that trains models in the browser, as a folder of static files.
#   apps/playground/build.sh [FOLDER]     FOLDER is build/playground unless given. Any web server can serve it
# On a Debian. It installs emscripten if it is missing, and keeps what it compiles in build/wasm.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${1:-build/playground} work=build/wasm
# The page: scripts of the room explore, and its own, in their order.
shared=apps/explore/page own=apps/playground/page
scripts=($shared/{elements,words,state,frame,weights,heat_map,translate,attention,heads,search,start}.js
         $own/{engine,settings,past,watch,inside,take,tour,main}.js)
styles=({$shared,$own}/style.css)

source third_party/wasm.sh $work
generator=()
if command -v ninja >/dev/null; then generator=(-G Ninja); fi
emcmake cmake "${generator[@]}" -S apps/playground/engine -B $work/engine -DCMAKE_FIND_ROOT_PATH="$prefix" \
  -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS="$wasm_flags" -DCMAKE_CXX_FLAGS_RELEASE="-Os -DNDEBUG" >/dev/null
cmake --build $work/engine -j "$(nproc)" --target engine

mkdir -p "$out"
cp $work/engine/engine.{js,wasm} apps/playground/worker.js $own/index.html "$out"
cat "${scripts[@]}" >"$out/page.js"
cat "${styles[@]}" >"$out/style.css"
bytes=0
for file in "$out"/*.{html,css,js,wasm}; do bytes=$((bytes + $(gzip -9c "$file" | wc -c))); done
echo "The playground is in $out: $((bytes / 1000)) kB compressed. To open it:"
echo "  python3 -m http.server -d $out     and http://localhost:8000 in a browser"
