"""Exercise 9: label smoothing and its gradient

    p = softmax of each row of logits              one row for each word to be written
    q = (1 - epsilon) one_hot(target) + epsilon / V                        (Szegedy et al. 2016, section 7)
    loss = mean over the rows of ( - sum_k q_k log p_k )

A model that must give its target the probability 1 pushes the logits apart without end. Label smoothing asks for a
little less: epsilon of the probability is spread over all V words, the target among them.

Find dL/dlogits on paper: it is one short formula with p, q and the number of rows. Careful: logits can be 1000
(exercise 2), and the logarithm of 0 is infinite. Fill in the function, then: python -m regard.exercise 9
"""

import numpy as np


def smoothed_loss(logits, targets, epsilon):
    """logits [rows, V], targets [rows]: the right word of each row. Returns the loss and dlogits [rows, V]."""
    loss = dlogits = None  # your code in place of this line
    return loss, dlogits
