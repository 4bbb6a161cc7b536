"""Exercise 11: a step of beam search

    candidate (k, w) has the score  scores[k] + log p(w | hypothesis k)        (Sutskever et al. 2014, section 3.2)

A search keeps the best `beam` beginnings of a translation, the hypotheses. Each may go on with each of the V words. Of
all these candidates, the best `beam` stay (all, if there are fewer). They may all come from one hypothesis: then the
others die out. parents says which hypothesis each candidate continues, tokens with which word; best first.

NumPy: np.argsort(-x, axis=None) has the places in the whole matrix, largest number first, counted row by row:
place // V is the row, and place % V the column. Fill in the function, then: python -m regard.exercise 11
"""

import numpy as np


def beam_step(scores, log_probabilities, beam):
    """scores [live], log_probabilities [live, V] of the next word. Returns three arrays [min(beam, live V)]."""
    parents = tokens = new_scores = None  # your code in place of this line
    return parents, tokens, new_scores
