"""A call of each operation, on float64 tensors, for the gradient checks."""

import numpy
import regard

_random = numpy.random.default_rng(1)
OFFSETS = [0, 3, 5]
SEGMENTS = regard.segments(OFFSETS)
RANGES = regard.all_keys(SEGMENTS)
STEPS = regard.TimeSteps(OFFSETS)
PLANES = [(4, 5), (3, 3)]
PIXELS = 4 * 5 + 3 * 3


def numbers(*shape):
    return _random.normal(size=shape)


def positive(*shape):
    return _random.uniform(0.5, 2, size=shape)


_angles = numpy.outer(numpy.arange(3), [1.0, 0.1]).repeat(2, axis=1)
TABLE = regard.tensor(numpy.where(numpy.arange(4) % 2 == 0, numpy.sin(_angles), numpy.cos(_angles)))

# The name of the operation, a function of tensors, and the arrays of its inputs.
CASES = [
    ("add", regard.add, numbers(2, 3), numbers(3)),
    ("subtract", regard.subtract, numbers(2, 3), numbers(2, 1)),
    ("multiply", regard.multiply, numbers(2, 3), numbers(3)),
    ("divide", regard.divide, numbers(2, 3), positive(3)),
    ("exp", regard.exp, numbers(2, 3)),
    ("log", regard.log, positive(2, 3)),
    ("sqrt", regard.sqrt, positive(2, 3)),
    ("pow", lambda x: regard.pow(x, 1.5), positive(2, 3)),
    ("relu", regard.relu, numbers(2, 3)),
    ("tanh", regard.tanh, numbers(2, 3)),
    ("sigmoid", regard.sigmoid, numbers(2, 3)),
    ("gelu", regard.gelu, numbers(2, 3)),
    ("silu", regard.silu, numbers(2, 3)),
    ("sum", lambda x: regard.sum(x, axis=1), numbers(2, 3)),
    ("mean", lambda x: regard.mean(x, axis=(0, 1), keepdims=True), numbers(2, 3)),
    ("max", lambda x: regard.max(x, axis=-1), numbers(2, 3)),
    ("reshape", lambda x: regard.reshape(x, (3, 2)), numbers(2, 3)),
    ("transpose", regard.transpose, numbers(2, 3)),
    ("slice", lambda x: regard.slice(x, 1, 1, 3), numbers(2, 3)),
    ("concat", lambda a, b: regard.concat([a, b], 1), numbers(2, 3), numbers(2, 1)),
    ("gather", lambda x: regard.gather(x, 0, [1, 1, 0]), numbers(2, 3)),
    ("matmul", regard.matmul, numbers(2, 3, 4), numbers(4, 2)),
    ("linear", regard.linear, numbers(4, 3), numbers(2, 3), numbers(2)),
    ("linear_relu", lambda x, w, b: regard.linear_relu(x, w, b, 0.3, 7), numbers(4, 3), numbers(5, 3), numbers(5)),
    ("linear_gelu", lambda x, w, b: regard.linear_gelu(x, w, b, 0.3, 7), numbers(4, 3), numbers(5, 3), numbers(5)),
    ("linear_silu", lambda x, w, b: regard.linear_silu(x, w, b, 0.3, 7), numbers(4, 3), numbers(5, 3), numbers(5)),
    ("embedding", lambda w: regard.embedding(w, [2, 0, 2], 1.5), numbers(3, 4)),
    ("softmax", regard.softmax, numbers(2, 3)),
    ("log_softmax", regard.log_softmax, numbers(2, 3)),
    ("layer_norm", regard.layer_norm, numbers(2, 5), numbers(5), numbers(5)),
    ("residual_layer_norm", lambda x, s, w, b: regard.residual_layer_norm(x, s, w, b, 0.3, 7), numbers(2, 5),
     numbers(2, 5), numbers(5), numbers(5)),
    ("dropout", lambda x: regard.dropout(x, 0.4, 3), numbers(3, 4)),
    ("residual_dropout", lambda x, s: regard.residual_dropout(x, s, 0.4, 3), numbers(3, 4), numbers(3, 4)),
    ("cross_entropy", lambda x: regard.cross_entropy(x, [1, 0, 2], 0.1), numbers(3, 4)),
    ("linear_cross_entropy", lambda x, w: regard.linear_cross_entropy(x, w, [1, 0, 2], 0.1), numbers(3, 2),
     numbers(4, 2)),
    ("attention", lambda q, k, v, r: regard.attention(q, k, v, SEGMENTS, heads=2, causal=True, dropout=0.2,
                                                      dropout_key=5, slopes=[0.5, 0.25], relative=r),
     numbers(5, 4), numbers(5, 4), numbers(5, 4), numbers(10, 3)),
    ("attention", lambda qkv: regard.attention((qkv, 0, 4), (qkv, 4, 4), (qkv, 8, 4), heads=2), numbers(5, 12)),
    ("rotary", lambda x: regard.rotary(x, 8, TABLE, [0, 1, 2, 0, 1]), numbers(5, 8)),
    ("dot_scores", lambda q, k: regard.dot_scores(q, k, RANGES, 0.5), numbers(5, 3), numbers(5, 3)),
    ("additive_scores", lambda q, k, v: regard.additive_scores(q, k, v, RANGES), numbers(5, 3), numbers(5, 3),
     numbers(3)),
    *((name, lambda s, f=getattr(regard, name): f(s, RANGES), numbers(RANGES.pairs))
      for name in ("range_softmax", "range_sparsemax", "range_relu", "range_sigmoid")),
    ("gaussian_weights", lambda w, c: regard.gaussian_weights(w, c, 1.2, RANGES), numbers(RANGES.pairs),
     positive(5, 1)),
    ("weighted_sum", lambda w, v: regard.weighted_sum(w, v, RANGES), numbers(RANGES.pairs), numbers(5, 3)),
    ("gru", lambda g, w, b, h: regard.gru(g, w, b, h, STEPS), numbers(5, 6), numbers(6, 2), numbers(6), numbers(2, 2)),
    ("lstm", lambda g, w, b, h, c: regard.concat(regard.lstm(g, w, b, h, c, STEPS), 0), numbers(5, 8), numbers(8, 2),
     numbers(8), numbers(2, 2), numbers(2, 2)),
    ("conv2d", lambda x, w, b: regard.conv2d(x, PLANES, w, b, stride=2, padding=1), numbers(PIXELS, 2),
     numbers(3, 2, 3, 3), numbers(3)),
    ("max_pool2d", lambda x: regard.max_pool2d(x, PLANES, 2, stride=2), numbers(PIXELS, 2)),
    ("avg_pool2d", lambda x: regard.avg_pool2d(x, PLANES, 3, padding=1), numbers(PIXELS, 2)),
]

# Operations that choose, and have no gradient.
WITHOUT_GRADIENT = {"argmax", "multinomial", "largest_logits", "attention_weights"}
