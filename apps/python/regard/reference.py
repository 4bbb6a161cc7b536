"""Attention and its gradients in plain loops: the definition, to compare the fast operation with."""

from . import _core
from .faces import face

attention = face(_core.reference_attention, "attention")
attention_backward = face(_core.reference_attention_backward, "attention_backward")

__all__ = ["attention", "attention_backward"]
