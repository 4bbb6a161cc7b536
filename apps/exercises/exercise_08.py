"""Exercise 8: a step of Bahdanau's attention

    e_j = v . tanh(W s + U h_j)
    weights = softmax of e
    context = sum_j weights_j h_j                  (Bahdanau et al. 2015, appendix A.1.2; they write W_a, U_a, v_a)

A recurrent decoder has the state s and is about to write a word. The encoder has left a state h_j for each word of the
source. The step aligns (which h_j fit s?) and attends (their mean).

NumPy: W @ s is a product of matrix and vector, and h @ U.T has U h_j in row j. Then: python -m regard.exercise 8
"""

import numpy as np


def bahdanau_step(s, h, W, U, v):
    """s [n], h [m, k]: m words, W [a, n], U [a, k], v [a]. Returns weights [m] and context [k]."""
    weights = context = None  # your code in place of this line
    return weights, context
