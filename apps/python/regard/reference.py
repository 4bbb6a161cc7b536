"""Attention and its gradients in plain loops: the definition, to compare the fast operation with."""

from .operations import _call, _given


def attention(query, key, value, segments=None, *, heads=1, causal=False, scale=0.0):
    """As regard.attention, but returns a pair: the result [query rows, width], and for each sentence the weights
    [heads, queries, keys]. Records no gradient."""
    return _call("reference_attention", query, key, value, _given(segments, query, key),
                 (heads, causal, (0.0, 0), scale, (), None))


def attention_backward(dout, query, key, value, segments=None, *, heads=1, causal=False, scale=0.0):
    """The gradients (dquery, dkey, dvalue) of attention() for dout = dL/dout [query rows, width]."""
    return _call("reference_attention_backward", dout, query, key, value, _given(segments, query, key),
                 (heads, causal, (0.0, 0), scale, (), None))
