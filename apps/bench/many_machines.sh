#!/usr/bin/env bash
# Measures trainings on two machines, which are two network namespaces of this machine with a limited link between them,
# and fits a model of the time. Needs root, iproute2, openmpi-bin and two processors.
#   apps/bench/many_machines.sh PROGRAM CONFIG.json [KEY=VALUE ...]
# CONFIG.json is a training; the further settings are given to --set. The script prints, for each rate of the link, the
# time of the sum of gradients of several sizes, the fit alpha + beta n of these times, and the time of a training step
# beside the model of it. At the end it prints what the model says for more machines.
#
# The model: a step on P machines, each with a batch as large as the one of a single machine, takes
#   C + alpha (P - 1) + beta n 2 (P - 1) / P
# C is the step of one process, alpha the time per partner, beta the time per number that is sent and received, n the
# number of parameters. The model ignores that the sum overlaps with the backward pass. The two
# machines of the measurement divide one batch, so there the model is C/2 + alpha + beta n.
set -euo pipefail
program=$(realpath "$1")
config=$2
shift 2
settings=(--set training.shards=2 --set training.threads=1 --set training.log_every=10 --set training.steps=31
          --set validation.every_steps=1000 --set checkpoints.save_every=1000)
for setting in "$@"; do settings+=(--set "$setting"); done
work=$(mktemp -d)

remove() {
  ip netns del regard-a 2>/dev/null || true
  ip netns del regard-b 2>/dev/null || true
}
trap 'remove; rm -r "$work"' EXIT
remove
for x in a b; do ip netns add regard-$x; done
ip link add regard-va netns regard-a type veth peer name regard-vb netns regard-b
ip -n regard-a addr add 10.77.0.1/24 dev regard-va
ip -n regard-b addr add 10.77.0.2/24 dev regard-vb
for x in a b; do
  ip -n regard-$x link set lo up
  ip -n regard-$x link set regard-v$x up
done

# mpirun starts its helper on the other machine with this command instead of ssh.
cat >"$work/agent" <<'EOF'
#!/bin/sh
shift  # the host
exec ip netns exec regard-b unshare --uts sh -c "hostname machine-b; $*"
EOF
chmod +x "$work/agent"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
on_both() {
  ip netns exec regard-a unshare --uts sh -c 'hostname machine-a; exec "$@"' sh \
    mpirun --mca plm_rsh_agent "$work/agent" --mca btl tcp,self --mca pml ob1 --mca btl_tcp_if_include 10.77.0.0/24 \
    --mca oob_tcp_if_include 10.77.0.0/24 --bind-to none --host 10.77.0.1,10.77.0.2 "$@"
}
# The seconds per step in the last line of the log with a step, and those of the first line.
step_time() {
  python3 - "$1/metrics.jsonl" <<'EOF'
import json, sys
steps = [entry for entry in map(json.loads, open(sys.argv[1])) if "gradient_norm" in entry]
first, last = steps[0], steps[-2]
print("%.1f" % (1e3 * (last["seconds"] - first["seconds"]) / (last["step"] - first["step"])))
EOF
}

model_of() { awk '$1 == "model" {print $2}' "$work/log"; }

rm -rf "$work/model"
"$program" train "$config" "${settings[@]}" --out "$work/model" >"$work/log"
alone=$(step_time "$work/model")
parameters=$(model_of)
echo "one process with one thread: $alone ms per step; $parameters parameters"
: >"$work/fits"
for rate in none 10gbit 1gbit 100mbit; do
  for x in a b; do
    ip netns exec regard-$x tc qdisc del dev regard-v$x root 2>/dev/null || true
    # A burst passes at full speed, so it must be small beside the messages, but a fast link needs a large one. The
    # queue is long, because a packet that is dropped stops the sender.
    case $rate in 10gbit) burst=1mb ;; 1gbit) burst=128kb ;; *) burst=32kb ;; esac
    [[ $rate == none ]] || ip netns exec regard-$x tc qdisc add dev regard-v$x root tbf rate $rate burst $burst latency 2s
  done
  echo "rate of the link: $rate"
  : >"$work/times"
  for numbers in 1000 100000 1000000 4000000; do
    on_both "$program" bench reduction --numbers "$numbers" --runs 9 >"$work/out"
    awk -v n="$numbers" '/tree/ {tree = $NF} /Allreduce/ {print "  " n " numbers: " tree " ms, MPI_Allreduce " $NF " ms"}' "$work/out"
    awk -v n="$numbers" '/tree/ {print n, $NF}' "$work/out" >>"$work/times"
  done
  # alpha is the time of the smallest message, beta the growth until the largest.
  awk -v rate="$rate" 'NR == 1 {n=$1; t=$2} END {print rate, t, ($2-t)/($1-n)}' "$work/times" >>"$work/fits"
  rm -rf "$work/model"
  on_both "$program" train "$config" "${settings[@]}" --out "$work/model" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  tail -n 1 "$work/fits" | awk -v c="$alone" -v n="$parameters" -v step="$(step_time "$work/model")" \
    '{printf "  alpha %.3f ms, beta %.3f ns; a step: %.1f ms, by the model %.1f ms\n", $2, 1e6*$3, step, c/2+$2+$3*n}'
done
echo "milliseconds per step by the model, and the share of the machines that is used:"
awk -v c="$alone" -v n="$parameters" '{
  printf "  %-8s", $1
  for (i = split("2 8 64 1000", machines); i > 0; --i) order[i] = machines[i]
  for (i = 1; i <= 4; ++i) {
    p = order[i]; t = c + $2 * (p-1) + $3 * n * 2 * (p-1) / p
    printf "  %5d: %8.1f ms %3.0f %%", p, t, 100 * c / t
  }
  printf "\n" }' "$work/fits"
