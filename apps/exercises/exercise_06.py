"""Exercise 6: sinusoidal positions

    table[pos, 2i]     = sin(pos / 10000^(2i/d))
    table[pos, 2i + 1] = cos(pos / 10000^(2i/d))   (Vaswani et al. 2017, section 3.5)

Attention does not know the order of the words: if the words change places, the outputs change places with them, and
nothing else happens. So a vector for the position is added to each word. Each pair of columns (2i, 2i + 1) is the hand
of a clock. The first clock turns by 1 radian from word to word, the last one about 10000 times more slowly.

pos = 0, 1, ..., n - 1 and i = 0, 1, ..., d/2 - 1. When your table is right, look at table @ table.T: on what does the
entry [s, t] depend? Fill in the function, then: python -m regard.exercise 6
"""

import numpy as np


def positions(n, d):
    """n positions, even width d. Returns the table [n, d]."""
    table = None  # your code in place of this line
    return table
