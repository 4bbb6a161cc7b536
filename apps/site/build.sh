#!/usr/bin/env bash
# Makes the site: all documents of the repository, its source files, and the references of C++ and Python, as static pages.
#   apps/site/build.sh [DIR]    into build/site/html, and copies it to DIR if one is given. Open index.html there
# It needs Python 3.11 with venv, and Doxygen. The first run installs the tools of requirements.txt into build/site/tools.
set -euo pipefail
copy=${1:+$(realpath -m "$1")}
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

rm -rf $work/xml $work/html  # a file that is no longer made must not stay
doxygen apps/site/Doxyfile
$python apps/site/prepare.py $work/pages $work/xml
$python -m sphinx -q -W --keep-going -j auto -c apps/site -d $work/doctrees $work/pages $work/html
$python apps/site/source_pages.py $work/html
$python apps/site/check_links.py $work/html
if [[ -n "$copy" ]]; then mkdir -p "$copy" && cp -r $work/html/. "$copy"; fi
echo "The site: ${copy:-$PWD/$work/html}/index.html, $SECONDS s"
