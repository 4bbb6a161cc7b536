"""The solution of exercise 9."""

import numpy as np


def smoothed_loss(logits, targets, epsilon):
    """logits [rows, V], targets [rows]: the right word of each row, epsilon a number.

    Returns the loss, a number, and dlogits = dL/dlogits [rows, V]."""
    rows, V = logits.shape
    x = logits - logits.max(axis=-1, keepdims=True)
    log_p = x - np.log(np.exp(x).sum(axis=-1, keepdims=True))
    q = np.full((rows, V), epsilon / V)
    q[np.arange(rows), targets] += 1 - epsilon
    loss = -(q * log_p).sum() / rows
    dlogits = (np.exp(log_p) - q) / rows
    return loss, dlogits
