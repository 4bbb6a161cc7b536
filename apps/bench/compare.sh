#!/usr/bin/env bash
# Measures regard, PyTorch and CTranslate2 in turn, and prints the figures as tables.
#
#   apps/bench/compare.sh CORPUS_DIR [OPTION ...]
#
# CORPUS_DIR (or REGARD_CORPUS) holds a parallel corpus in subwords: train.en, train.de and a test source.
#   --runs N             each figure is the median of this many runs; default 5
#   --only PART,...      some of: tiny-training base-training recurrent captions tiny-translation base-translation start;
#                        the tables also show the figures of earlier runs, which are kept in --work
#   --quick              one run of few steps, to test that everything works; its figures mean little
#   --compile-limit S    stop torch.compile after this many seconds; default 900, 60 with --quick
#   --test NAME          the test source in CORPUS_DIR; default test_2016_flickr.en
#   --regard PROGRAM     default build/apps/regard/regard
#   --torch PYTHON       a Python with PyTorch; default build/peers/bin/python (apps/bench/setup_peers.sh)
#   --ctranslate2 PYTHON a Python with CTranslate2; default the same
#   --tiny-model DIR, --base-model DIR   models to translate with; default: models trained briefly and kept in --work
#   --work DIR           for models, batches and logs; default build/compare
#   --cpus A,B           the two processors to run on; default 0,1
#
# If PyTorch or CTranslate2 is missing, its columns stay empty; without PyTorch, regard makes the batches. All programs
# run on the same two processors with two threads, in turn (A, B, C, A, B, C, ...), so that other work of the machine
# slows them equally. If bfloat16 or torch.compile fails on this machine, its figure is "-" or missing, with the reason.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
die() { echo "compare.sh: $*" >&2; exit 1; }

corpus=${REGARD_CORPUS:-} runs=5 quick= test=test_2016_flickr.en regard=build/apps/regard/regard
only=
torch=build/peers/bin/python ctranslate2=build/peers/bin/python
tiny_model= base_model= compile_limit= work=build/compare cpus=0,1
while (($#)); do
  case $1 in
    --quick) quick=1 runs=1 ;;
    --help) sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"; exit ;;
    --runs | --only | --compile-limit | --test | --regard | --torch | --ctranslate2 | --*-model | --work | --cpus)
      (($# > 1)) || die "$1 needs a value; see --help"
      case $1 in
        --runs) runs=$2 ;;
        --only) only=$2 ;;
        --compile-limit) compile_limit=$2 ;;
        --test) test=$2 ;;
        --regard) regard=$2 ;;
        --torch) torch=$2 ;;
        --ctranslate2) ctranslate2=$2 ;;
        --tiny-model) tiny_model=$2 ;;
        --base-model) base_model=$2 ;;
        --work) work=$2 ;;
        --cpus) cpus=$2 ;;
        *) die "there is no option $1; see --help" ;;
      esac
      shift ;;
    --*) die "there is no option $1; see --help" ;;
    *) corpus=$1 ;;
  esac
  shift
done
[[ $runs =~ ^[1-9][0-9]*$ ]] || die "--runs $runs: give a number of at least 1"
[[ -n $compile_limit ]] || compile_limit=${quick:+60}
[[ -n $corpus ]] || die "give the directory of the corpus; see --help"
for file in train.en train.de "$test"; do [[ -f $corpus/$file ]] || die "there is no $corpus/$file"; done
[[ -x $regard ]] || die "there is no program $regard; build it, or give --regard PROGRAM"

# Environment variables for threads and kernels would change the programs unequally. A value of OPENBLAS_CORETYPE
# takes precedence over the choice of OpenBLAS and regard, and may name slow kernels.
unset OPENBLAS_CORETYPE OPENBLAS_NUM_THREADS OPENBLAS_L2_SIZE MKL_NUM_THREADS OMP_NUM_THREADS OMP_PROC_BIND
unset OMP_WAIT_POLICY KMP_BLOCKTIME KMP_AFFINITY REGARD_SIMD
# All three programs use GNU OpenMP. Their waiting threads spin as long as regard's do by default.
export GOMP_SPINCOUNT=10000
one_cpu=${cpus%%,*}
on_two() { taskset -c "$cpus" "$@"; }
on_one() { taskset -c "$one_cpu" "$@"; }

[[ -n $only ]] || rm -rf "$work/figures"
mkdir -p "$work/figures"
log=$work/log
: > "$log"
has_torch= has_ctranslate2=
"$torch" -c 'import torch' 2> /dev/null && has_torch=1
"$ctranslate2" -c 'import ctranslate2' 2> /dev/null && has_ctranslate2=1

say() { echo "compare.sh: $*" >&2; }

# run COMMAND ...: writes its output to $output and the log. Returns the exit code of the command.
run() {
  local code=0
  echo "\$ $*" >> "$log"
  output=$("$@" 2>> "$log") || code=$?
  printf '%s\n' "$output" >> "$log"
  return $code
}

# record NAME LINE FIELD: keeps a number of the last output: word FIELD of the line that begins with LINE.
record() { awk -v line="$2" -v field="$3" '$0 ~ "^" line { print $field }' <<< "$output" >> "$work/figures/$1"; }

# median NAME: the median of the numbers kept; nothing if there are none.
median() {
  [[ -s $work/figures/$1 ]] || return 0
  sort -g "$work/figures/$1" | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'
}

# row CELL ...: prints a row of a table.
row() {
  printf '| %s ' "$@"
  echo '|'
}
# head_row CELL ...: prints the head of a table.
head_row() {
  row "$@"
  printf '|---%.0s' "$@"
  echo '|'
}

# ratio A B: A / B; empty if A or B is empty.
ratio() { [[ -z $1 || -z $2 ]] || awk -v a="$1" -v b="$2" 'BEGIN { printf "%.2f", a / b }'; }

# larger A B: succeeds if A is a number and B is empty or smaller.
larger() { [[ -n $1 ]] && awk -v a="$1" -v b="${2:-0}" 'BEGIN { exit !(a > b) }'; }

# share FILE1 FILE2: the percentage of lines that are equal in both files.
share() { awk 'NR == FNR { line[NR] = $0; next } line[FNR] == $0 { n++ } END { printf "%.1f", 100 * n / FNR }' "$1" "$2"; }

source "$here/compare_training.sh"
source "$here/compare_translation.sh"

wanted() { [[ -z $only || ,$only, == *,$1,* ]]; }
known=,tiny-training,base-training,recurrent,captions,tiny-translation,base-translation,start,
for part in ${only//,/ }; do [[ $known == *,$part,* ]] || die "--only $part: there is no such part; see --help"; done

if wanted tiny-training; then measure_training tiny 0.3; fi
if wanted base-training; then measure_training base 0.1; fi
if wanted recurrent; then measure_recurrent; fi
if wanted captions; then measure_captions; fi
prepare_models
if wanted tiny-translation; then measure_translation tiny; fi
if wanted base-translation; then measure_translation base; fi
if wanted start; then measure_start; fi

# measured NAME ...: succeeds if there are figures with one of these names.
measured() {
  local name
  for name in "$@"; do [[ ! -s $work/figures/$name ]] || return 0; done
  return 1
}
print_machine
if measured {tiny,base}.regard; then print_training; fi
if measured recurrent.none.256.regard; then print_recurrent; fi
if measured captions.xu2015.regard; then print_captions; fi
if measured {tiny,base}.regard.sentences start; then print_translation; fi
