#!/usr/bin/env python3
"""Checks what holds the repository together, and draws it.

  tests/structure.py            each file that a comment or a document names exists, and each section that a
                                document links to; includes point down only, and no folders include each other
                                in a circle; tests use of Catch2 what both of its versions have
  tests/structure.py --draw     prints the includes between folders, with their numbers
"""
import collections
import functools
import graphlib
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# From below: a file may include files of its own room and of rooms before it.
ROOMS = ["autograd/machine", "autograd/kernels", "autograd", "autograd/ops", "autograd/reference", "autograd/checks", "nn",
         "transformer", "apps"]
FLOORS = "(?:autograd|nn|transformer|apps)"
# Rooms that can be taken away, each with those that it needs; and the documents that may point to them: the map, the
# manual, the recipes, the list of headers and the others that lead to rooms.
GUESTS = {guest: needs.split() for guest, needs in
          re.findall(r"^guest\((\w+)(?: NEEDS (.*))?\)$", (ROOT / "CMakeLists.txt").read_text(), re.M)}
MAPS = {"README.md", "apps/README.md", "apps/RECIPES.md", "apps/examples/README.md", "third_party/README.md",
        "third_party/install.sh", "tests/README.md", "tests/long.sh", "apps/START.md", ".github/CONTRIBUTING.md",
        ".github/CHANGELOG.md"}
WHOLE = {"autograd/autograd.h": "autograd/checks", "transformer/transformer.h": "apps", "transformer/include/regard.h": "apps"}  # include a whole room
SUFFIXES = ".h .cpp .md .py .sh .js .txt".split()
CODE = ".h .cpp .py .js .css .html .sh .cmake .in".split()
EXAMPLES = {"apps/RECIPES.md"}  # names files that its reader writes
CATCH = "tests/catch.h"  # the only file that knows the versions of Catch2


def room_of(path):
    if guest_of(path) and path.startswith("autograd/"):
        return "autograd/checks"  # a guest's floor lies above all of the engine
    fitting = [room for room in ROOMS if path.startswith(room + "/")]
    return WHOLE.get(path) or max(fitting, key=len, default=None)


def guest_of(path):
    """The guest to which a file belongs, or its tests; "" for the spine."""
    floor = re.match(rf"(?:tests/)?{FLOORS}/(\w+)/", path)
    return floor[1] if floor and floor[1] in GUESTS else ""


def may_know(name, guest):
    """A guest knows itself, the guests that it needs and what they need. Its tests may also need a guest in their path."""
    own = guest_of(name)
    if not own or own == guest:
        return own == guest
    return name.startswith("tests/") and f"/{guest}/" in name or any(may_know(f"apps/{need}/", guest) for need in GUESTS[own])


def taken_away(name, path):
    """True if a map, or a test in a folder of a room's name, points to this room, and it is not there."""
    room = re.match(rf"(?:tests/)?{FLOORS}/(\w+)(?=/|$)", path)
    may = room and (name in MAPS or name.startswith("tests/") and f"/{room[1]}/" in name)
    return bool(may and not (ROOT / room[0]).exists())


def files():
    inside = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if inside.stdout:  # not in a copy, or in one that git ignores
        return [name for name in inside.stdout.split("\n") if (ROOT / name).is_file()]
    walk = (pathlib.Path(folder, name) for folder, _, names in os.walk(ROOT) for name in names)
    return [str(path.relative_to(ROOT)) for path in walk if "build" not in path.relative_to(ROOT).parts]


@functools.cache
def sections(path):
    """The anchors that GitHub gives to the headings of a document."""
    text = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.M | re.S)
    titles = (re.sub(r"\[(.*?)\]\(.*?\)", r"\1", title) for title in re.findall(r"^#+ (.*)$", text, re.M))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


names = files()
endings = {"/".join(name.split("/")[i:]) for name in names for i in range(name.count("/") + 1)}
folders = "|".join(sorted({part for name in names for part in name.split("/")[:-1] if re.fullmatch(r"\w+", part)}))
named = re.compile(rf"\b((?:{folders})/[\w/]+\.(?:h|cpp|md|py|sh))\b")
faults, includes, folders_below = [], collections.Counter(), collections.defaultdict(set)
for name in names:
    if name in EXAMPLES or pathlib.Path(name).suffix not in SUFFIXES or name.startswith("tests/fuzz/inputs"):
        continue
    for number, line in enumerate((ROOT / name).read_text(errors="replace").split("\n"), 1):
        place = f"{name}:{number}"
        if name.startswith("tests/") and name.endswith((".h", ".cpp")) and name != CATCH and "Catch::" in line:
            faults.append(f"{place}: Catch:: differs between Catch2 2 and 3; use what {CATCH} offers, or add to it")
        faults += [f"{place}: there is no file {file}" for file in named.findall(line)
                   if file not in endings and not taken_away(name, file) and not taken_away(name, f"{os.path.dirname(name)}/{file}")]
        for guest in re.findall(rf"(?:\b{FLOORS}/|regard::)(\w+?)(?:_f64|_cases)?\b(?!\.(?:h|cpp))", line):
            if guest in GUESTS and name not in MAPS and not may_know(name, guest):
                faults.append(f"{place}: names the guest {guest}, which can be taken away")
        if name.endswith(".md"):
            for link, section in re.findall(r"\]\(([^)#\s:]*)(?:#([^)\s]*))?\)", line):
                target = (ROOT / name).parent / link if link else ROOT / name
                path = os.path.relpath(target, ROOT)
                if guest_of(path) and name not in MAPS and not may_know(name, guest_of(path)):
                    faults.append(f"{place}: links to the guest {guest_of(path)}, which can be taken away")
                if taken_away(name, path):
                    continue
                if not target.exists() or section and section not in sections(target):
                    faults.append(f"{place}: the link to {link}{'#' * bool(section)}{section} leads nowhere")
        include = re.match(r'#include "([^"]+)"', line)
        if include and room_of(name):
            below = include[1]
            folder, its_folder = os.path.dirname(name), os.path.dirname(below)
            includes[folder, its_folder] += 1
            if name not in WHOLE and folder != its_folder:
                folders_below[folder].add(its_folder)
            if room_of(below) and ROOMS.index(room_of(below)) > ROOMS.index(room_of(name)):
                faults.append(f"{place}: {room_of(name)} is below {room_of(below)} and must not include {below}")
# The tables of the rooms and of the guests say how many lines each has at most.
rows = re.findall(r"^\| (\[.*) \| (\d+) \|$", (ROOT / "README.md").read_text(), re.M)
spine = {folder: (cells.split(" | ")[0], int(most)) for cells, most in rows for folder in re.findall(r"\]\((\w[\w/]*?)(?:/README\.md)?\)", cells.split(" | ")[0])}
budgets = dict(re.findall(r"^\| \[(\w+)\]\([./\w]+\).*\| (\d+) \|$", (ROOT / "apps/README.md").read_text(), re.M))
most_lines = {room: most for room, most in spine.values()} | {guest: int(budgets.get(guest, 0)) for guest in GUESTS}
lines_of = collections.Counter()
for name in names:
    if not name.startswith("tests/") and (pathlib.Path(name).suffix in CODE or name.endswith("CMakeLists.txt")):
        folder = max((folder for folder in spine if name.startswith(folder + "/")), key=len, default="")
        lines_of[guest_of(name) or spine.get(folder, [""])[0]] += (ROOT / name).read_bytes().count(b"\n")
faults += [f"{room} has {lines_of[room]} lines; its row says at most {most}"
           for room, most in most_lines.items() if lines_of[room] > most]
try:
    graphlib.TopologicalSorter(folders_below).prepare()
except graphlib.CycleError as error:
    faults.append("folders include each other in a circle: " + " -> ".join(reversed(error.args[1])))
if "--draw" in sys.argv:
    for (above, below), count in sorted(includes.items()):
        if above != below:
            print(f"{above:32} -> {below:32} {count:4}")
print("\n".join(faults) or f"{len(names)} files: all names exist, all includes point down")
sys.exit(bool(faults))
