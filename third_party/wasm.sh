# For scripts that build WebAssembly on a Debian:  source third_party/wasm.sh FOLDER
# Installs emscripten if it is missing, and builds the libraries that regard needs from Debian's sources, below FOLDER: fmt,
# nlohmann/json, utf8proc and zlib. Then $prefix is where they are, and $wasm_flags are the flags of the C++ compiler.
wasm_flags="-msimd128 -fwasm-exceptions"
export NODE_PATH=/usr/share/nodejs  # Debian's acorn is here, which emcc -O2 needs; only Debian's own node knows it
mkdir -p "$1/sources"
prefix=$(realpath "$1")/prefix
third_party/install.sh --node

# apt in a world of its own, which knows sources.
if [[ ! -e "$1/complete" ]]; then (
  cd "$1/sources"
  mkdir -p apt/lists/partial
  release=$(. /etc/os-release && echo "$VERSION_CODENAME")
  echo "deb-src [target=Sources] http://deb.debian.org/debian $release main" >apt/sources.list
  apt_get=(apt-get -qq -o Dir::State="$PWD/apt" -o Dir::Cache="$PWD/apt" -o Dir::Etc::sourcelist="$PWD/apt/sources.list"
           -o Dir::Etc::sourceparts=- -o APT::Sandbox::User="$(id -un)")
  "${apt_get[@]}" update
  "${apt_get[@]}" source --download-only fmtlib nlohmann-json3 utf8proc zlib
  for archive in *.orig.tar.*; do tar xf "$archive"; done
  for source in fmtlib-* json-* utf8proc-*; do
    emcmake cmake -S "$source" -B "build-$source" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_BUILD_TYPE=Release \
      -DCMAKE_CXX_FLAGS="$wasm_flags" -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DFMT_TEST=OFF -DFMT_DOC=OFF -DJSON_BuildTests=OFF
    cmake --build "build-$source" -j "$(nproc)" --target install
  done
  cd zlib-*
  emconfigure ./configure --static --prefix="$prefix"
  emmake make libz.a install
  touch "$prefix/../complete"
) fi
