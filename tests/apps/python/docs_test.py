"""Each public function and class has a documentation, and its example does what it shows."""

import doctest
import inspect
import re

import numpy
import pytest

import regard
import regard.nn.functional as F
import regard.nn.init
from regard import nn, optim
from support import write_configuration

ROOMS = {"regard": regard, "nn": nn, "F": F, "nn.init": nn.init, "nn.utils": nn.utils, "optim": optim,
         "reference": regard.reference, "cuda": regard.cuda, "utils.data": regard.utils.data}
HOOKS = [nn.Module.register_forward_hook, nn.MultiHeadAttention.register_weights_hook, regard.Tensor.register_hook,
         regard.results.Array]


def public():
    """The functions and classes that a user sees, each under its first name."""
    found = {}
    for room, module in ROOMS.items():
        for name in getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]):
            value = getattr(module, name)
            if callable(value) and not inspect.ismodule(value) and \
                    getattr(value, "__module__", "").startswith("regard"):
                found.setdefault(id(value), (f"{room}.{name}", value))
    return list(found.values()) + [(each.__qualname__, each) for each in HOOKS]


@pytest.fixture(scope="module")
def directory(tmp_path_factory, folder):
    """A place with model/, which a training of one second made, and the config.json of that training."""
    directory = tmp_path_factory.mktemp("examples")
    (directory / "model").symlink_to(folder / "python")
    write_configuration(directory)
    return directory


@pytest.mark.parametrize("name, value", public(), ids=[name for name, _ in public()])
def test_documentation(name, value, directory, monkeypatch):
    monkeypatch.chdir(directory)
    text = inspect.getdoc(value)
    assert ">>> " in text and (re.search(r"PyTorch|Source|\b(19|20)\d\d\b", text) or "hook" in name), name
    threads = regard.threads()
    example = doctest.DocTestParser().get_doctest(
        text, {"np": numpy, "regard": regard, "nn": nn, "optim": optim, "F": F}, name, None, 0)
    said = []
    doctest.DocTestRunner().run(example, out=said.append)
    assert not said, "".join(said)
    regard.set_threads(threads)


def test_signatures_are_those_that_help_shows():
    assert str(inspect.signature(regard.attention)).startswith("(query: 'Tensor | tuple[Tensor, int, int]', key:")
    assert inspect.signature(regard.attention).parameters["heads"].default == 1
    for name, value in public():
        if not inspect.isclass(value):
            assert inspect.signature(value).parameters or name.startswith(("cuda", "regard.")), name
    assert set(dir(optim)) == {"SGD", "Adam", "AdamW", "Optimizer", "constant", "cosine", "inverse_sqrt", "noam"}
    assert set(dir(regard)) == set(regard.__all__)


def test_a_function_that_computes_something_else_than_its_example_is_found():
    example = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3", {}, "wrong", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(example, out=lambda text: None).failed == 1
