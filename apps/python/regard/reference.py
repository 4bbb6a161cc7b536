"""Attention and its gradients in plain loops: the definition, to compare the fast operation with."""

from ._core import reference_attention as attention, reference_attention_backward as attention_backward

__all__ = ["attention", "attention_backward"]
