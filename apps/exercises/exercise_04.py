"""Exercise 4: the causal mask

    weights[i, j] = e^score[i, j] / sum over k <= i of e^score[i, k]     for j <= i
    weights[i, j] = 0                                                    for j > i

A decoder writes one word after another, so word i may look at the words 0 to i (itself too), and at none that comes
later (Vaswani et al. 2017, section 3.2.3). In training all words stand there already, so the later ones must be
hidden. Careful: scores can be 1000 (exercise 2), also the hidden ones.

NumPy: np.triu(np.ones((n, n)), 1) is 1 above the diagonal, and np.where(condition, a, b) chooses. Loops are welcome,
too. Fill in the function, then: python -m regard.exercise 4
"""

import numpy as np


def causal_softmax(score):
    """score [n, n]: row i belongs to query i, column j to key j. Returns weights [n, n]."""
    weights = None  # your code in place of this line
    return weights
