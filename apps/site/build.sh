#!/usr/bin/env bash
# Makes the site: all documents of the repository, its source files, and the references of C++ and Python, as static pages.
#   apps/site/build.sh [DIR]    into DIR; without it, into build/site/html. Open DIR/index.html
# It needs Python 3.11 with venv, and Doxygen. The first run installs the tools of requirements.txt into build/site/tools.
set -euo pipefail
out=$(realpath -m "${1:-$(dirname "$0")/../../build/site/html}")
cd "$(dirname "$0")/../.."
work=build/site
command -v doxygen >/dev/null || { echo "build.sh: doxygen not found; on Debian and Ubuntu: apt-get install doxygen" >&2; exit 1; }
if ! cmp -s apps/site/requirements.txt $work/tools/installed; then
  echo "Installing Sphinx (once)"
  python3 -m venv $work/tools || { echo "build.sh: python3 has no venv; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
  $work/tools/bin/pip install -q --disable-pip-version-check -r apps/site/requirements.txt
  cp apps/site/requirements.txt $work/tools/installed
fi
python=$work/tools/bin/python

rm -rf $work/xml
doxygen apps/site/Doxyfile
$python apps/site/prepare.py $work/pages $work/xml
$python -m sphinx -q -W --keep-going -j auto -c apps/site -d $work/doctrees $work/pages "$out"
$python apps/site/source_pages.py "$out"
$python apps/site/check_links.py "$out"
echo "The site: $out/index.html, $SECONDS s"
