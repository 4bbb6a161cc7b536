"""Runs programs in turn and keeps the figures that they print. For compare.py."""
import json
import re
import signal
import subprocess
import sys

# The numbers in the output of a program, by the name that they have here.
NUMBERS = {"tokens/s": r"^training +([\d.]+)", "ms per step": r"^training .* ([\d.]+) ms per step",
           "share": r"^share +([\d.]+)", "batching": r"^batching .* ([\d.]+) % of a step",
           "memory": r"^peak memory +([\d.]+)", "sentences/s": r"^translating +([\d.]+)",
           "translated": r"^translating .* ([\d.]+) tokens/s", "latency": r"^latency +([\d.]+)",
           "parameters": r"([\d,]+) parameters"}


def say(text):
    print("compare.py:", text, file=sys.stderr, flush=True)


def find(number, output):
    """A number of NUMBERS in the output of a program, as it stands there."""
    found = re.search(NUMBERS[number], output, re.MULTILINE)
    return found and found[1]


def ratio(a, b):
    return f"{float(a) / float(b):.2f}" if a and b else ""


def table(head, rows):
    for row in [head, ["---"] * len(head), *rows]:
        print("| " + " | ".join(row) + " |")
    print()


class Turns:
    """The figures are {name: {number: [text, ...]}}, and stay in a file for later runs."""

    def __init__(self, work, cpus, runs, keep_earlier):
        self.work, self.cpus, self.runs = work, cpus, runs
        work.mkdir(parents=True, exist_ok=True)
        self.log = open(work / "log", "w", encoding="utf-8")
        self.kept = work / "figures.json"
        self.figures = json.loads(self.kept.read_text()) if keep_earlier and self.kept.exists() else {}
        self.failures, self.parameters = {}, {}

    def keep_figures(self):
        self.kept.write_text(json.dumps(self.figures))

    def run(self, command, cpus=None):
        """Runs a command. Writes it and what it prints to the log. Returns its exit code and its output."""
        command = ["taskset", "-c", cpus or self.cpus, *map(str, command)]
        print("$", *command, file=self.log, flush=True)
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=self.log, text=True, check=False)
        print(done.stdout, file=self.log, flush=True)
        return done.returncode, done.stdout

    def run_or_end(self, command):
        if self.run(command)[0] != 0:
            sys.exit(f"compare.py: {command[0]} failed; see {self.work / 'log'}")

    def take_turns(self, what, jobs, may_fail=()):
        """Runs the commands of jobs {name: command} in turn, as often as --runs says, and keeps their figures."""
        for name in jobs:
            self.figures.pop(name, None)
        for i in range(self.runs):
            say(f"{what}, run {i + 1} of {self.runs}")
            for name, command in jobs.items():
                if name in self.failures:
                    continue  # is not tried again
                one = self.cpus.split(",")[0] if name.endswith("one thread") else None
                code, output = self.run(command, one)
                if code != 0 and not name.endswith(may_fail):
                    sys.exit(f"compare.py: {name} failed; see {self.work / 'log'}")
                if code != 0:
                    # SIGILL, an illegal instruction: the processor has some that a virtual machine may not use.
                    reason = re.search("^torch.compile failed.*", output, re.MULTILINE)
                    self.failures[name] = f"ended with {signal.Signals(-code).name}" if code < 0 else \
                        reason[0] if reason else f"failed, see {self.work / 'log'}"
                    self.figures.pop(name, None)
                    continue
                for number in NUMBERS:
                    if text := find(number, output):
                        self.figures.setdefault(name, {}).setdefault(number, []).append(text)
                # "vit/PyTorch, eager" must have as many parameters as "vit/regard".
                count = (find("parameters", output) or "").replace(",", "")
                if count and (first := self.parameters.setdefault(name.split("/")[0], count)) != count:
                    sys.exit(f"compare.py: {name} has {count} parameters, not {first}")
        self.keep_figures()

    def median(self, name, number):
        """The middle one of the figures; empty if there are none."""
        kept = sorted(self.figures.get(name, {}).get(number, []), key=float)
        return kept[(len(kept) - 1) // 2] if kept else ""
