#!/usr/bin/env python3
"""Compiles everything, as far as the syntax goes, against the headers of the next Debian.

  tests/newer_headers.py BUILD_DIR [RELEASE]     RELEASE is trixie (Debian 13) unless given

The headers of Catch2, fmt, nlohmann/json, CLI11, RE2, SentencePiece and oneDNN are those in which the two Debians that
regard supports differ. The script fetches their packages, installs nothing, and gives each command of the compiler in
BUILD_DIR these headers before the system's. BUILD_DIR is configured with -DCMAKE_UNITY_BUILD=ON, so that a header is
read once for many files. It does not link or run anything; tests/fresh.sh does, in a whole system of that release."""

import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

PACKAGES = ("libcatch2-dev libfmt-dev nlohmann-json3-dev libcli11-dev libre2-dev libabsl-dev libsentencepiece-dev "
            "libprotobuf-dev libdnnl-dev").split()
MIRROR = os.environ.get("MIRROR", "http://deb.debian.org/debian")


def fetch(folder, release):
    """Unpacks the packages below `folder`."""
    for needed in ("lists/partial", "cache/archives/partial", "packages"):
        (folder / needed).mkdir(parents=True, exist_ok=True)
    (folder / "sources.list").write_text(
        f"deb [target=Packages signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] {MIRROR} {release} main\n")
    apt = ["apt-get", "-q", "-o", f"Dir::State::Lists={folder}/lists", "-o", f"Dir::Cache={folder}/cache", "-o",
           f"Dir::Etc::SourceList={folder}/sources.list", "-o", "Dir::Etc::SourceParts=-", "-o", "APT::Sandbox::User=",
           "-o", "Acquire::Retries=5"]
    subprocess.run([*apt, "update"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*apt, "download", *PACKAGES], check=True, cwd=folder / "packages", stdout=subprocess.DEVNULL)
    for package in (folder / "packages").glob("*.deb"):
        subprocess.run(["dpkg", "-x", package, folder / "root"], check=True)


def commands(build, headers):
    """The compiler's commands without what is compiled twice: the libraries in double, other instruction sets."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        words = shlex.split(entry["command"])
        target = words[words.index("-o") + 1]
        if any(part in target for part in ("_f64.dir", "_avx2.dir", "_avx512.dir", "test_main.dir", "nanobind")):
            continue
        at = words.index("-o")
        yield (entry["file"], entry["directory"],
               [*words[:at], "-isystem", headers, "-fsyntax-only", *(word for word in words[at + 2:] if word != "-c")])


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    build, release = Path(sys.argv[1]).resolve(), (*sys.argv, "trixie")[2]
    folder = build / f"headers-{release}"
    if not (folder / "root").exists():
        fetch(folder, release)

    def compile_one(command):
        file, directory, words = command
        done = subprocess.run(words, cwd=directory, capture_output=True, text=True)
        return file, done.returncode, done.stderr

    failed = count = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, code, errors in pool.map(compile_one, commands(build, str(folder / "root/usr/include"))):
            count += 1
            failed += code != 0
            if code != 0:
                print(f"{file} does not compile with the headers of {release}:\n{errors}")
    print(f"{count} files compiled with the headers of {release}, {failed} failed")
    sys.exit(failed > 0 or count == 0)


if __name__ == "__main__":
    main()
