# For scripts that train several models and print a row for each. They source this file and set `regard` and `out`.

# as_settings KEY=VALUE ...: puts them into the array `settings`, as arguments of regard train.
as_settings() {
  local setting
  settings=()
  for setting in "$@"; do settings+=(--set "$setting"); done
}

# value NAME FILE: the number behind the name of a score in the output of regard evaluate.
value() { awk -v name="$1" 'index($0, name) == 1 { sub(name, ""); print $1; exit }' "$2"; }

# logged NAME KEY: the numbers of this key in the log of the training of a model.
logged() { awk -F "\"$2\":" 'NF > 1 { split($2, a, /[,}]/); print a[1] }' "$out/$1/metrics.jsonl"; }

parameters() { $regard inspect "$out/$1" | awk '$1 == "all" { print $NF }'; }
minutes() { logged "$1" seconds | awk 'END { printf "%.1f", $1 / 60 }'; }
