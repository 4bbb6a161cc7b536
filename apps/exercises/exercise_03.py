"""Exercise 3: scaled dot-product attention

    score = Q K^T / sqrt(d_k),  weights = softmax of each row of score,  out = weights V
                                                   (Vaswani et al. 2017, equation 1)

Each word asks a question (its query, a row of Q), and each word has a label (its key, a row of K) and a content (its
value, a row of V). score[i, j] says how well key j answers query i. Row i of out is the mean of the values under the
weights of query i.

Why the root? If all numbers in a query and a key have variance 1, their dot product is a sum of d_k such products
and has variance d_k. The softmax of large scores gives nearly everything to one key, and hardly any gradient passes.
When your function is right, compare the largest weight with and without the root, for five keys and d_k = 512.

Fill in the function, then: python -m regard.exercise 3
"""

import numpy as np


def softmax(x):
    """Given: the softmax of each row."""
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def attention(query, key, value):
    """query [n, d_k], key [m, d_k], value [m, d_v]. Returns weights [n, m] and out [n, d_v]."""
    weights = out = None  # your code in place of this line
    return weights, out
