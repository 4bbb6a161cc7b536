"""Exercise 10: a step of Adam

    m = beta1 m + (1 - beta1) g                    the mean of the last gradients
    v = beta2 v + (1 - beta2) g^2                  the mean of their squares
    m_hat = m / (1 - beta1^t)        v_hat = v / (1 - beta2^t)
    w = w - rate m_hat / (sqrt(v_hat) + epsilon)   (Kingma and Ba 2015, algorithm 1)

g is dL/dw, and t = 1, 2, 3, ... counts the steps. m and v begin with 0, so in the first steps they are too small;
m_hat and v_hat correct it. How large is the first step, whatever the gradient?

All operations go number by number. Return new arrays. Fill in the function, then: python -m regard.exercise 10
"""

import numpy as np


def adam_step(w, g, m, v, t, rate, beta1, beta2, epsilon):
    """w, g, m, v [n]; the others are numbers. Returns the new w, the new m and the new v, each [n]."""
    new_w = new_m = new_v = None  # your code in place of this line
    return new_w, new_m, new_v
