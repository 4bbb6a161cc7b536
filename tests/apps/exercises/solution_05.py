"""The solution of exercise 5."""

import numpy as np


def attention(query, key, value):
    """Given: one head, as in exercise 3. Returns out alone."""
    score = query @ key.T / np.sqrt(query.shape[1])
    e = np.exp(score - score.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True) @ value


def multi_head(query, key, value, heads):
    """query [n, d], key [m, d], value [m, d]; heads divides d. Returns out [n, d]."""
    d_k = query.shape[1] // heads
    parts = []
    for h in range(heads):
        columns = slice(h * d_k, (h + 1) * d_k)
        parts.append(attention(query[:, columns], key[:, columns], value[:, columns]))
    out = np.concatenate(parts, axis=1)
    return out
