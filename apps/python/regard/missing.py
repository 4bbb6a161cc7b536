"""Names of PyTorch that regard does not have, and what to write instead."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

_layers = "nn.ModuleList([nn.{}Layer(d_model, nhead) for _ in range(layers)])"
INSTEAD = {
    "MultiheadAttention": "nn.MultiHeadAttention, with need_weights=True for the weights",
    "TransformerEncoder": _layers.format("TransformerEncoder"),
    "TransformerDecoder": _layers.format("TransformerDecoder"),
    "Transformer": "nn.TransformerEncoderLayer and nn.TransformerDecoderLayer, or regard.train",
    "BatchNorm1d": "nn.LayerNorm", "NLLLoss": "nn.CrossEntropyLoss, which takes logits",
    "Conv2d": "regard.conv2d", "Flatten": "x.flatten(1) in forward()",
    "init": "the memory of a parameter: layer.weight.numpy()[:] = ...",
    "lr_scheduler": 'a function of the step: optimizer.param_groups[0]["lr"] = optim.noam(step, d_model)',
    "einsum": "permute, reshape and @", "bmm": "x @ y", "mm": "x @ y",
    "norm": "(x * x).sum().sqrt(), whose gradient is NaN where x is 0",
    "autograd": "loss.backward() and x.grad; there are no second derivatives", "argmin": "(-x).argmax(dim)",
    "repeat": "regard.cat([x] * n)",
    "expand": "broadcasting: operations repeat an axis of extent 1",
    "long": "x.detach().numpy().astype(int); float32 serves as ids too", "int": "x.detach().numpy().astype(int)",
    "bool": "x != 0, an array of NumPy", "from_numpy": "regard.tensor(array), which copies",
    "randperm": "numpy.random.default_rng(seed).permutation(n)", "device": "x as it is: all tensors are on the CPU",
    "cuda": "x as it is: all tensors are on the CPU", "one_hot": "regard.eye(classes)[ids]",
    "nll_loss": "F.cross_entropy, which takes logits", "float": "regard.float32"}


def absent(owner: str, of_numpy: Any = None, call: str = "") -> Callable[..., Any]:
    """A __getattr__, which Python calls for a name that does not exist. What NumPy has, too, is called as in `call`."""

    def __getattr__(*of: Any) -> Any:
        name, text = of[-1], f"{owner} has no {of[-1]}"
        if name in INSTEAD:
            text += f"; use {INSTEAD[name]}"
        elif name in vars(sys.modules["regard"]) and not name.startswith("_"):
            text += f"; use regard.{name}"
        elif name.endswith("_") and not name.startswith("_"):
            text += "; operations make new tensors, and parameters change in `with regard.no_grad(): w -= ...`"
        elif not name.startswith("_") and hasattr(of_numpy, name):
            text += f"; NumPy has it, without a gradient: {call.format(name)}"
        raise AttributeError(text, name=name, obj=of[0] if len(of) > 1 else sys.modules.get(owner))

    return __getattr__
