"""Attention with any mask."""

from __future__ import annotations

from typing import Any

import numpy

from ._core import Tensor, matmul, softmax, transpose
from .faces import face
from .function import masked_fill


@face
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Any = None, *,
                                 is_causal: bool = False, scale: float | None = None) -> Tensor:
    """softmax(scale Q K^T + mask) V with any mask, as in PyTorch: query[..., n, d_k], key[..., m, d_k],
    value[..., m, d] -> [..., n, d]. attn_mask is an array of bool, true where a query looks at a key, or an array or
    tensor of floats that is added to the scores, -inf where it does not; either is broadcast to [..., n, m]. A query
    without a key to look at gives zeros.

    This is made of a product, a softmax and a product. attention() is much faster, for the masks that it has.

    Throws Error if the shapes do not fit, TypeError for a mask of the numbers 0 and 1. Source: Vaswani et al. 2017,
    eq. 1. PyTorch: torch.nn.functional.scaled_dot_product_attention.

    >>> x = regard.randn(1, 3, 4)
    >>> regard.scaled_dot_product_attention(x, x, x, attn_mask=np.tril(np.ones((3, 3), bool))).shape
    (1, 3, 4)"""
    scores = matmul(query, transpose(key)) * (1 / query.shape[-1] ** 0.5 if scale is None else scale)
    looks = numpy.ones(scores.shape[-2:], bool)
    if is_causal:
        looks = numpy.tril(looks)
    mask = numpy.asarray(True if attn_mask is None else attn_mask.detach() if isinstance(attn_mask, Tensor)
                         else attn_mask)
    if mask.dtype == bool:
        looks = looks & mask
    elif mask.dtype.kind != "f" or mask.any() and numpy.isin(mask, (0, 1)).all():
        raise TypeError(f"scaled_dot_product_attention: attn_mask has the numbers 0 and 1, as {mask.dtype}; give "
                        "mask == 1, which is true where a query looks at a key, or floats that are added: -inf and 0")
    else:
        scores, looks = scores + attn_mask, looks & (mask > -numpy.inf)
    hidden = numpy.broadcast_to(~looks, scores.shape)
    return matmul(masked_fill(softmax(masked_fill(scores, hidden, -1e30)), hidden, 0), value)
