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
from . import functional as functional, init as init, utils as utils
from .containers import ModuleDict as ModuleDict, ModuleList as ModuleList, Sequential as Sequential
from .layers import (
    GELU as GELU, Dropout as Dropout, Embedding as Embedding, FeedForward as FeedForward, Flatten as Flatten,
    Identity as Identity, LayerNorm as LayerNorm, LeakyReLU as LeakyReLU, Linear as Linear, ReLU as ReLU,
    Sigmoid as Sigmoid, SiLU as SiLU, Softmax as Softmax, Tanh as Tanh)
from .losses import (
    BCEWithLogitsLoss as BCEWithLogitsLoss, CrossEntropyLoss as CrossEntropyLoss, L1Loss as L1Loss, MSELoss as MSELoss)
from .module import Module as Module, Parameter as Parameter
from .recurrences import GRU as GRU, LSTM as LSTM
from .sequences import (
    MultiHeadAttention as MultiHeadAttention, TransformerDecoder as TransformerDecoder,
    TransformerDecoderLayer as TransformerDecoderLayer,
    TransformerEncoder as TransformerEncoder, TransformerEncoderLayer as TransformerEncoderLayer)

globals()["__getattr__"] = _absent("regard.nn")
