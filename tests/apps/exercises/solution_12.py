"""The solution of exercise 12."""

import numpy as np


def local_weights(score, centre, D):
    """score [n, m], centre [n]: p_i, between 0 and m - 1, D: a number. Returns weights [n, m]."""
    sigma = D / 2
    weights = np.zeros(score.shape)
    for i, p in enumerate(centre):
        window = [j for j in range(score.shape[1]) if abs(j - p) <= D]
        e = np.exp(score[i, window] - score[i, window].max())
        for j, share in zip(window, e / e.sum()):
            weights[i, j] = share * np.exp(-(j - p)**2 / (2 * sigma**2))
    return weights
