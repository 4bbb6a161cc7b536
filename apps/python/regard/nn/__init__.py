"""Layers, as in torch.nn: modules with parameters of PyTorch's names, over the operations of regard.

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.hidden = nn.Linear(2, 8)
            self.out = nn.Linear(8, 1)

        def forward(self, x):
            return self.out(self.hidden(x).tanh())

Sentences of one length are a batch, x[batch, length, d_model]. Sentences of any length are packed: their rows stand
one after another, x[rows, d_model], and `offsets` say where each begins and where the last one ends ([0, 3, 5] for
three and two words). If you forget the offsets, x[rows, d_model] is one sentence. Initial weights are those of
regard's C++ layers. In training, each call of a dropout draws from regard.manual_seed.
"""

from ..missing import absent as _absent
from . import functional as functional, utils as utils
from .layers import (
    GELU as GELU, CrossEntropyLoss as CrossEntropyLoss, Dropout as Dropout, Embedding as Embedding,
    FeedForward as FeedForward, LayerNorm as LayerNorm, Linear as Linear, MSELoss as MSELoss, ReLU as ReLU,
    Sigmoid as Sigmoid, SiLU as SiLU, Tanh as Tanh)
from .module import Module as Module, ModuleList as ModuleList, Parameter as Parameter, Sequential as Sequential
from .sequences import (
    GRU as GRU, LSTM as LSTM, MultiHeadAttention as MultiHeadAttention,
    TransformerDecoderLayer as TransformerDecoderLayer, TransformerEncoderLayer as TransformerEncoderLayer)

globals()["__getattr__"] = _absent("regard.nn")
