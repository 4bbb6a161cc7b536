"""Exercise 1: the gradient of one neuron, by hand

    z = w x + b        y = tanh(z)        loss = (y - t)^2

All letters are numbers; t is the target. How does the loss change if w, x or b grows a little? Go backward, from the
last line to the first (chain rule):

    dL/dy = ...        the slope of the square
    dL/dz = dL/dy ...  the slope of tanh is 1 - tanh(z)^2
    dL/dw = dL/dz ...  how much z grows if w grows by 1; x and b likewise

In code, dw stands for dL/dw. Fill in the function, then: python -m regard.exercise 1
"""

import numpy as np


def backward(w, x, b, t):
    """w, x, b, t: numbers. Returns four numbers: the loss, and its gradient with respect to w, x and b."""
    loss = dw = dx = db = None  # your code in place of this line
    return loss, dw, dx, db
