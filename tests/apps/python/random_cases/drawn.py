"""What the files of cases share: random tensors, and calls that must be refused."""

import math

import numpy

import regard


def refused(function, *errors):
    """True if the call was refused with a sentence."""
    try:
        function()
    except (regard.Error, *errors) as error:
        assert len(str(error)) > 20, error
        return True
    return False


def array(random, *shape):
    return numpy.array([random.gauss(0, 1) for _ in range(math.prod(shape))]).reshape(shape)


def leaf(random, *shape):
    return regard.tensor(array(random, *shape), requires_grad=True)


def shape_of(random):
    return tuple(random.choice([1, 2, 3, 5]) for _ in range(random.randint(0, 3)))
