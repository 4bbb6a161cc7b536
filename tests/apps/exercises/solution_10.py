"""The solution of exercise 10."""

import numpy as np


def adam_step(w, g, m, v, t, rate, beta1, beta2, epsilon):
    """w, g, m, v [n]; t, rate, beta1, beta2, epsilon are numbers. Returns the new w, the new m and the new v, each [n]."""
    new_m = beta1 * m + (1 - beta1) * g
    new_v = beta2 * v + (1 - beta2) * g**2
    m_hat = new_m / (1 - beta1**t)
    v_hat = new_v / (1 - beta2**t)
    new_w = w - rate * m_hat / (np.sqrt(v_hat) + epsilon)
    return new_w, new_m, new_v
