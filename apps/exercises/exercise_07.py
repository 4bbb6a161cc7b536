"""Exercise 7: the gradient of layer norm

    mean = mean of the row x        variance = mean of (x - mean)^2        sigma = sqrt(variance + epsilon)
    n = (x - mean) / sigma
    y = n weight + bias                            for each row (Ba et al. 2016, equation 4)

Go backward, with dy = dL/dy. All rows share weight and bias. One x_j changes its own n_j, and also mean and sigma, and
so all n of its row. With g = dy weight, the slope by n:

    dL/dx = (g - mean of g - n mean of (g n)) / sigma        means over the row

Derive it on paper first: the second term comes from the mean, the third from sigma. Then: python -m regard.exercise 7
"""

import numpy as np


def layer_norm_backward(x, weight, dy, epsilon):
    """x [rows, d], weight [d], dy [rows, d], epsilon a number. Returns dx [rows, d], dweight [d] and dbias [d]."""
    dx = dweight = dbias = None  # your code in place of this line
    return dx, dweight, dbias
