#!/usr/bin/env bash
# Measures a training on two machines, which are two network namespaces of this machine with a limited link between
# them. Needs root, iproute2, openmpi-bin and two processors.
#   apps/processes/many_machines.sh PROGRAM CONFIG.json [KEY=VALUE ...]
# CONFIG.json is a training; the further settings are given to --set. The script prints the time of a training step on one
# machine, and on two that divide the batch, for each rate of the link.
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
# The milliseconds per step between the first and the last but one logged step of a training.
step_time() {
  python3 - "$1/metrics.jsonl" <<'EOF'
import json, sys
steps = [entry for entry in map(json.loads, open(sys.argv[1])) if "gradient_norm" in entry]
first, last = steps[0], steps[-2]
print("%.1f" % (1e3 * (last["seconds"] - first["seconds"]) / (last["step"] - first["step"])))
EOF
}

rm -rf "$work/model"
"$program" train "$config" "${settings[@]}" --out "$work/model" >"$work/log"
echo "one process with one thread: $(step_time "$work/model") ms per step"
for rate in none 10gbit 1gbit 100mbit; do
  for x in a b; do
    ip netns exec regard-$x tc qdisc del dev regard-v$x root 2>/dev/null || true
    # A burst passes at full speed, so it must be small beside the messages, but a fast link needs a large one. The
    # queue is long, because a packet that is dropped stops the sender.
    case $rate in 10gbit) burst=1mb ;; 1gbit) burst=128kb ;; *) burst=32kb ;; esac
    [[ $rate == none ]] || ip netns exec regard-$x tc qdisc add dev regard-v$x root tbf rate $rate burst $burst latency 2s
  done
  rm -rf "$work/model"
  on_both "$program" train "$config" "${settings[@]}" --out "$work/model" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
  echo "two processes, rate of the link $rate: $(step_time "$work/model") ms per step"
done
