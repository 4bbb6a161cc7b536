"""What PyTorch has and regard does not: which name or argument to write instead."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

_whole = "an array of whole numbers, np.array(data), or x.long() of a tensor; float32 serves as ids too"
_leave_out = "leave it out: "
_cpu = "x as it is: all tensors are on the CPU"
INSTEAD = {
    "MultiheadAttention": "nn.MultiHeadAttention, with need_weights=True for the weights",
    "Transformer": "nn.TransformerEncoder and nn.TransformerDecoder, or regard.train",
    "BatchNorm1d": "nn.LayerNorm", "BatchNorm2d": "nn.LayerNorm", "RMSNorm": "nn.LayerNorm",
    "RNN": "nn.GRU or nn.LSTM", "NLLLoss": "nn.CrossEntropyLoss, which takes logits",
    "KLDivLoss": "(p * (p.log() - q.log())).sum()", "Conv1d": "regard.conv2d with planes (1, length)",
    "Conv2d": "regard.conv2d", "ParameterList": "an attribute for each parameter, or nn.ModuleList of modules",
    "ELU": "nn.GELU or nn.SiLU", "Softplus": "(1 + x.exp()).log()",
    "lr_scheduler": 'a function of the step: optimizer.param_groups[0]["lr"] = optim.noam(step, d_model)',
    "RMSprop": "optim.Adam", "Adagrad": "optim.Adam", "LBFGS": "optim.Adam",
    "autograd": "loss.backward() and x.grad; there are no second derivatives, and regard.gradient_difference "
                "approximates them", "func": "loss.backward() and x.grad",
    "cholesky": "numpy.linalg", "linalg": "x.norm(), or numpy.linalg of x.detach().numpy()",
    "from_numpy": "regard.tensor(array), which copies", "as_tensor": "regard.tensor(data), which copies",
    "FloatTensor": "regard.tensor(data)", "LongTensor": _whole, "DoubleTensor": "regard.tensor(data, regard.float64)",
    "Generator": "regard.manual_seed(seed), or regard.Random(seed)",
    "int64": _whole, "int32": _whole, "long": _whole, "int": _whole, "bool": "x != 0, an array of bool",
    "float": "regard.float32", "double": "regard.float64",
    "float16": "regard.float32: regard computes in float32 and float64",
    "bfloat16": "regard.float32: regard computes in float32 and float64",
    "half": "x as it is: regard computes in float32 and float64", "type": "x.dtype; x.float() and x.double() convert",
    "cuda": _cpu, "mps": _cpu, "pin_memory": _cpu, "backends": _leave_out + "each run has the same bits",
    "use_deterministic_algorithms": _leave_out + "each run has the same bits",
    "compile": _leave_out + "the operations are compiled already",
    "jit": _leave_out + "the operations are compiled already; regard.save keeps the weights of a module",
    "inference_mode": "regard.no_grad()", "enable_grad": "less of regard.no_grad(): gradients are on without it",
    "is_grad_enabled": "x.requires_grad of a result", "set_grad_enabled": "regard.no_grad()",
    "set_default_dtype": "dtype=regard.float64 where a tensor is made, and model.double()",
    "set_default_device": _leave_out + "all tensors are on the CPU", "distributed": "regard.train, under MPI",
    "scatter_": "x[index] = values for a tensor without history", "register_parameter": "module.name = nn.Parameter(x)",
    "register_full_backward_hook": "x.register_hook(hook) of a result, or register_forward_hook",
    "add_module": "module.name = other", "vmap": "a batch: the operations take leading axes"}

_masks = "causal=True hides what comes later; regard.scaled_dot_product_attention(q, k, v, attn_mask) takes any mask"
_packed = ("nothing is padded: the sentences stand one after another, x[rows, d], and offsets=[0, 3, 5] say where each "
           "begins")
_one_way = "leave it out: there is one way to compute it"
ARGUMENTS = {
    **dict.fromkeys(("attn_mask", "src_mask", "tgt_mask", "memory_mask", "mask"), _masks),
    **dict.fromkeys(("key_padding_mask", "src_key_padding_mask", "tgt_key_padding_mask", "memory_key_padding_mask",
                     "padding_idx"), _packed),
    **dict.fromkeys(("amsgrad", "fused", "foreach", "capturable", "inplace", "non_blocking", "memory_format",
                     "num_workers", "pin_memory", "approximate", "add_bias_kv", "add_zero_attn"), _one_way),
    "is_causal": "causal=True", "tgt_is_causal": "causal=True", "embed_dim": "d_model", "num_heads": "heads",
    "nhead": "heads", "d_ff": "dim_feedforward", "kdim": "an nn.Linear before it, for keys of another width",
    "vdim": "an nn.Linear before it, for values of another width",
    "bias": "leave it out: this layer always has its biases", "average_attn_weights": "weights.mean(1)",
    "dropout_p": "nn.MultiHeadAttention(d_model, heads, dropout)", "elementwise_affine": "regard.layer_norm(x)",
    "maximize": "(-loss).backward()", "nesterov": "momentum alone, or optim.Adam", "dampening": "momentum alone",
    "out": "y = f(x): a result is a new tensor", "generator": "regard.manual_seed(seed)",
    "weight": "the mean of -x.log_softmax().gather(1, target[:, None]) * weight",
    "dtype": "x.float() or x.double(), or model.double()", "max_norm": "nn.utils.clip_grad_norm_"}


def advised(error: TypeError, options: Mapping[str, Any]) -> TypeError:
    """The error of a call with these named arguments; one that regard does not have gets the name to write instead."""
    text = str(error)
    for name in options:
        supported = text.split("Invoked with")[0]
        if name in ARGUMENTS and (f"unexpected keyword argument '{name}'" in text or "takes no arguments" in text or
                                  "incompatible function arguments" in text and f"{name}:" not in supported):
            return TypeError(f"there is no argument {name} here; instead: {ARGUMENTS[name]}\n{text}")
    return error


class device(str):
    """Where tensors are: device("cpu"), and nowhere else.

    Throws Error for another one. PyTorch: torch.device.

    >>> regard.randn(2, 3, device=regard.device("cpu")).device
    device(type='cpu')"""

    def __new__(cls, name: str = "cpu") -> device:
        if str(name).split(":")[0] != "cpu":
            raise sys.modules["regard"].Error(f'there is no device "{name}": regard computes on the CPU; write "cpu"')
        return super().__new__(cls, "cpu")

    @property
    def type(self) -> str:
        """The name."""
        return str(self)

    def __repr__(self) -> str:
        return "device(type='cpu')"


def on_cpu(options: dict[str, Any]) -> dict[str, Any]:
    """The named arguments of a call without the device, which may be "cpu"."""
    if options.get("device", "") not in ("", None):
        device(options["device"])
    return {name: value for name, value in options.items() if name != "device"}


class Advising(type):
    """A class whose constructor says what to write instead of an argument of PyTorch."""

    def __call__(cls, *arguments: Any, **options: Any) -> Any:
        try:
            return super().__call__(*arguments, **(on_cpu(options) if "device" in options else options))
        except TypeError as error:
            raise advised(error, options) from None


def absent(owner: str, of_numpy: Any = None, call: str = "") -> Callable[..., Any]:
    """A __getattr__, which Python calls for a name that does not exist. What NumPy has, too, is called as in `call`."""

    def __getattr__(*of: Any) -> Any:
        name, text = of[-1], f"{owner} has no {of[-1]}"
        regard = sys.modules["regard"]
        public = not name.startswith("_")
        if name in INSTEAD:
            text += "; " + "use " * (not INSTEAD[name].startswith(("leave ", "nothing "))) + INSTEAD[name]
        elif name in vars(regard) and public:
            text += f"; use regard.{name}"
        elif public and hasattr(regard, "Tensor") and name in vars(regard.Tensor):
            text += f"; use x.{name}(...) of a tensor x"
        elif name.endswith("_") and public:
            text += "; operations make new tensors, and parameters change in `with regard.no_grad(): w -= ...`"
        elif public and hasattr(of_numpy, name):
            text += f"; NumPy has it, without a gradient: {call.format(name)}"
        elif public and hasattr(sys.modules["numpy"], name):
            text += f"; NumPy has it, without a gradient: numpy.{name}(x.detach().numpy())"
        elif public:
            text += f"; dir({owner.split()[-1].replace('Tensor', 'regard.Tensor')}) lists what there is"
        raise AttributeError(text, name=name, obj=of[0] if len(of) > 1 else sys.modules.get(owner))

    return __getattr__
