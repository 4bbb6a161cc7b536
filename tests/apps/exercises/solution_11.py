"""The solution of exercise 11."""

import numpy as np


def beam_step(scores, log_probabilities, beam):
    """scores [live]: of the hypotheses, log_probabilities [live, V]: of the next word of each, beam: a number.

    Returns parents, tokens and new_scores, each [min(beam, live V)]."""
    candidates = scores[:, None] + log_probabilities
    best = np.argsort(-candidates, axis=None)[:beam]
    V = candidates.shape[1]
    parents = best // V
    tokens = best % V
    new_scores = candidates[parents, tokens]
    return parents, tokens, new_scores
