#!/usr/bin/env bash
# Makes a Python environment with what apps/bench/compare.sh compares regard with: PyTorch and CTranslate2.
#   apps/bench/setup_peers.sh [DIRECTORY]     build/peers unless given; needs python3 with venv, and a network
set -euo pipefail
cd "$(dirname "$0")/../.."
directory=${1:-build/peers}

python3 -m venv "$directory"
# PyTorch for processors alone, where that index can be reached; the one from PyPI brings gigabytes for GPUs.
"$directory/bin/pip" install --quiet torch==2.13.0 ctranslate2==4.8.5 numpy \
  --extra-index-url https://download.pytorch.org/whl/cpu
"$directory/bin/python" -c 'import ctranslate2, torch
print(f"PyTorch {torch.__version__}, CTranslate2 {ctranslate2.__version__}")'
