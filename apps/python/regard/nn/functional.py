"""The functions of regard under the name that PyTorch has for them: from regard.nn import functional as F."""

from .._core import *  # noqa: F403
from ..function import scaled_dot_product_attention as scaled_dot_product_attention
