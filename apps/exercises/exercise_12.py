"""Exercise 12: a window of local attention

    weights[i, j] = softmax(score in the window)[i, j] e^( -(j - p_i)^2 / (2 sigma^2) )       for |j - p_i| <= D
    weights[i, j] = 0                                                                       for all other keys j
    sigma = D / 2                                  (Luong et al. 2015, section 3.2, local-p, equation 10)

A long source has many words, and most of them do not matter now. Query i looks only at the keys near its centre p_i,
which the model predicts, so it is not a whole number. At the edge of the sentence, the window has fewer keys. The
softmax goes over the keys of the window alone. The Gaussian comes after it: through it, the centre gets a gradient. So
the weights sum to less than 1, as in the paper. Fill in the function, then: python -m regard.exercise 12
"""

import numpy as np


def local_weights(score, centre, D):
    """score [n, m], centre [n]: p_i, between 0 and m - 1, D: a number. Returns weights [n, m]."""
    weights = None  # your code in place of this line
    return weights
