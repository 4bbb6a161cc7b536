#!/usr/bin/env bash
# Makes a Python environment with PyTorch and CTranslate2, the programs that apps/bench/compare.py needs.
#   apps/bench/setup_peers.sh [DIRECTORY]     default build/peers; needs python3 with venv, and a network
set -euo pipefail
cd "$(dirname "$0")/../.."
directory=${1:-build/peers}

python3 -m venv "$directory"
# This index has a PyTorch without GPU support. If it cannot be reached, PyPI's PyTorch brings gigabytes for GPUs.
"$directory/bin/pip" install --quiet torch==2.13.0 ctranslate2==4.8.5 numpy \
  --extra-index-url https://download.pytorch.org/whl/cpu
"$directory/bin/python" -c 'import ctranslate2, torch
print(f"PyTorch {torch.__version__}, CTranslate2 {ctranslate2.__version__}")'
