"""The solution of exercise 13."""

import numpy as np


def reinforce(logits, samples, rewards, baseline):
    """logits [n], samples [K]: the choices a_k, rewards [K], baseline: a number. Returns dlogits [n]."""
    e = np.exp(logits - logits.max())
    p = e / e.sum()
    dlogits = np.zeros(len(logits))
    for a, r in zip(samples, rewards):
        slope = -p
        slope[a] += 1
        dlogits += (r - baseline) * slope / len(samples)
    return dlogits
