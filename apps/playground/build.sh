#!/usr/bin/env bash
# Makes the playground: a page that trains models in the browser, as a folder of static files.
#   apps/playground/build.sh     into build/playground. Any web server can serve the folder
# On a Debian. It installs emscripten if it is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
work=build/wasm
out=build/playground
# The scripts of the page in their order: those of the room explore that it shares, then its own.
explore=apps/explore/page
page=apps/playground/page

source third_party/wasm.sh $work
emcmake cmake -S apps/playground/engine -B $work/engine -DCMAKE_BUILD_TYPE=Release -DCMAKE_FIND_ROOT_PATH="$prefix" \
  -DCMAKE_CXX_FLAGS="$wasm_flags" >/dev/null
cmake --build $work/engine -j "$(nproc)" --target engine
mkdir -p $out
# emcc's own -O2 fails in the version of Debian 12, so the parts are optimised here.
wasm-opt -O2 --enable-simd --enable-exception-handling $work/engine/engine.wasm -o $out/engine.wasm
cp $work/engine/engine.js apps/playground/worker.js $out
cat $explore/{elements,words,state,frame,weights,heat_map,translate,attention,heads,search,start}.js \
  $page/{engine,settings,past,watch,inside,take,tour,main}.js >$out/page.js
cat {$explore,$page}/style.css >$out/style.css
cp $page/index.html $out
echo "Built. Serve it: python3 -m http.server --directory $out; then open http://localhost:8000"
