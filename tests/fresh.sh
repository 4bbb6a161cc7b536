#!/usr/bin/env bash
# Runs both commands of the README in bare Debian systems, as somebody does who has just cloned the repository.
#   tests/fresh.sh [FOLDER [RELEASE ...]]     FOLDER keeps the bare systems, build/fresh unless given;
#                                             RELEASE is bookworm (Debian 12) and trixie (Debian 13) unless given
# It tries the last commit. It needs root, debootstrap and a network; MIRROR=URL takes the packages from another server.
# There is no /dev/pts in these systems, so the tests that need a terminal are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
mkdir -p "${1:-build/fresh}"
folder=$(realpath "${1:-build/fresh}")
shift || true
[[ $# -gt 0 ]] || set -- bookworm trixie
[[ $EUID -eq 0 ]] || { echo "fresh.sh: needs root, for debootstrap and chroot" >&2; exit 1; }
command -v debootstrap >/dev/null || { echo "fresh.sh: needs debootstrap: apt-get install debootstrap" >&2; exit 1; }

# Runs a command in the clone of a system, with nothing of this machine's environment. What it mounts and what it
# starts ends with it.
inside() {  # SYSTEM COMMAND
  unshare --mount --pid --fork --kill-child --mount-proc="$1/proc" \
    env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot "$1" sh -c "cd /root/regard && $2"
}

# Runs one of the two commands, and prints a cell of the table: minutes, or FAILED.
timed() {  # SYSTEM COMMAND LOG
  local begin=$SECONDS
  if inside "$1" "$2" >"$3" 2>&1 </dev/null; then
    printf '%d:%02d' $(((SECONDS - begin) / 60)) $(((SECONDS - begin) % 60))
  else
    echo FAILED
    echo "$2 failed; the end of $3:" >&2
    tail -n 30 "$3" >&2
  fi
}

table="| release | apps/demo.sh | tests/run.sh | bfloat16 | int8 |"$'\n'"|---|---|---|---|---|"
for release in "$@"; do
  bare=$folder/$release.bare system=$folder/$release
  if [[ ! -e "$bare" ]]; then
    rm -rf "$bare.part"
    debootstrap --variant=minbase "$release" "$bare.part" "${MIRROR:-http://deb.debian.org/debian}" \
      >"$folder/$release.debootstrap.log"
    mv "$bare.part" "$bare"
  fi
  rm -rf --one-file-system "$system"
  cp -a --reflink=auto "$bare" "$system"
  git clone -q --no-hardlinks . "$system/root/regard"
  demo=$(timed "$system" apps/demo.sh "$folder/$release.demo.log")
  tests=$(timed "$system" tests/run.sh "$folder/$release.tests.log")
  version=$(inside "$system" "build/apps/regard/regard --version" || true)
  product() { sed -n "s/^$1 *//p" <<<"$version"; }
  table+=$'\n'"| $release | $demo | $tests | $(product bfloat16) | $(product int8) |"
done
echo "$table"
[[ "$table" != *FAILED* ]]
