"""Small models for the tests, and the program `regard`."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import regard

PROGRAM = os.environ["REGARD_PROGRAM"]


def program(*arguments, stdin=""):
    """Runs the program and returns its standard output."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=stdin, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def python(code, *arguments):
    """Starts another Python with this code."""
    return subprocess.Popen([sys.executable, "-c", code, *map(str, arguments)], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def checksum(model):
    return hashlib.sha256((Path(model) / "weights.safetensors").read_bytes()).hexdigest()


def write_configuration(directory, **training):
    """A corpus, and the configuration of a training of one second that learns to reverse some letters."""
    toy = directory / "toy"
    regard.toy("reverse", toy, train=400, validation=30, test=200)
    configuration = {
        "data": {"source": f"{toy}/train.source", "target": f"{toy}/train.target",
                 "validation_source": f"{toy}/validation.source", "validation_target": f"{toy}/validation.target"},
        "model": {"preset": "toy", "d_model": 32, "heads": 2, "d_ff": 64, "encoder_layers": 1, "decoder_layers": 1},
        "training": {"epochs": 5, "batch_tokens": 256, "schedule": "constant", "learning_rate": 0.01, "log_every": 4,
                     **training}}
    path = directory / "config.json"
    path.write_text(json.dumps(configuration))
    return path
