"""The solution of exercise 7."""

import numpy as np


def layer_norm_backward(x, weight, dy, epsilon):
    """x [rows, d], weight [d], dy [rows, d], epsilon a number. Returns dx [rows, d], dweight [d] and dbias [d]."""
    mean = x.mean(axis=-1, keepdims=True)
    sigma = np.sqrt(x.var(axis=-1, keepdims=True) + epsilon)
    n = (x - mean) / sigma
    g = dy * weight
    dx = (g - g.mean(axis=-1, keepdims=True) - n * (g * n).mean(axis=-1, keepdims=True)) / sigma
    dweight = (dy * n).sum(axis=0)
    dbias = dy.sum(axis=0)
    return dx, dweight, dbias
