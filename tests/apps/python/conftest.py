"""A directory with a corpus and a model that the program and Python have trained alike; and this model."""

import json

import pytest

import regard
from support import program, write_configuration


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    directory = tmp_path_factory.mktemp("models")
    configuration = write_configuration(directory)
    program("train", configuration, "--out", directory / "program")
    steps, validations, lines = [], [], []
    done = regard.train(json.loads(configuration.read_text()), directory / "python", on_step=steps.append,
                        on_validation=validations.append, log=lines.append)
    assert done.finished and done.step == len(steps) == steps[-1].step == steps[-1].planned_steps
    assert len(validations) == 5 and any(v.best for v in validations) and len(validations[0].translations) == 30
    assert len(lines) == 2 + len((directory / "python/metrics.jsonl").read_text().splitlines())
    return directory


@pytest.fixture(scope="session")
def model(folder):
    return regard.load(folder / "python")
