"""The solution of exercise 8."""

import numpy as np


def bahdanau_step(s, h, W, U, v):
    """s [n], h [m, k]: m words, W [a, n], U [a, k], v [a]. Returns weights [m] and context [k]."""
    e = np.tanh(W @ s + h @ U.T) @ v
    weights = np.exp(e - e.max())
    weights /= weights.sum()
    context = weights @ h
    return weights, context
