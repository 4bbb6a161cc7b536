"""Exercise 13: REINFORCE, a gradient through a choice

    p = softmax(logits),  sample a_k with probability p,  get the reward r_k
    dL/dlogits = mean over k of (r_k - b) d log p(a_k) / dlogits            (Williams 1992; Xu et al. 2015, equation 12)

Hard attention chooses one place to look at. A choice has no slope, so no gradient passes through it. But one can ask
which choices were worth it: L is the expected reward, sum_a p(a) r(a), and the right side estimates its gradient from
samples alone. The baseline b makes the estimate less noisy and does not change its mean.

First find d log p(a) / dlogits on paper: it has a one-hot vector and p. Careful: logits can be 1000 (exercise 2).
Fill in the function, then: python -m regard.exercise 13
"""

import numpy as np


def reinforce(logits, samples, rewards, baseline):
    """logits [n], samples [K]: the choices a_k, rewards [K], baseline: a number. Returns dlogits [n]."""
    dlogits = None  # your code in place of this line
    return dlogits
