"""The checks of the exercises 1 to 7: the parts of a Transformer. diagnosis.py says what a case has."""

import numpy as np

import regard

from .diagnosis import Case, exercise, slopes


def T(x):
    return regard.tensor(x, dtype=regard.float64)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


@exercise(next="autograd/graph.cpp, which goes backward through any number of such lines.",
          overflow="e^800 is infinite; use np.tanh.")
def exercise_1(random):
    for w, x, b, t in [(0.7, -0.4, 0.9, -0.8), *random.normal(size=(3, 4)).tolist(), (2.0, -400.0, 0.5, 0.25)]:
        def loss(wxb):
            return ((T(wxb[0]) * T(wxb[1]) + T(wxb[2])).tanh() - T(t)).item() ** 2
        z = w * x + b
        y = np.tanh(z)
        dz = 2 * (y - t) * (1 - y * y)
        mistakes = [("loss", y - t, "the loss is the square of y - t."),
                    ("loss", (y - t) ** 2 / 2, "this loss has no factor 1/2."),
                    ("loss", (np.tanh(w * x) + b - t) ** 2, "b is inside of tanh: y = tanh(w x + b)."),
                    ("dw", dz * w, "z = w x + b grows by x if w grows by 1, so the last factor is x, not w."),
                    ("dw", dz, "the last factor is missing: z = w x + b grows by x if w grows by 1."),
                    ("dx", dz * x, "z = w x + b grows by w if x grows by 1, so the last factor is w, not x."),
                    ("db", dz * b, "z = w x + b grows by 1 if b grows by 1, so there is no factor b.")]
        for name, last in ("dw", x), ("dx", w), ("db", 1):
            mistakes += [
                (name, 2 * (y - t) * last, "the slope of tanh is missing: dL/dz = dL/dy (1 - y^2)."),
                (name, 2 * (y - t) * (1 - z * z) * last, "the slope of tanh is 1 - y^2 with y = tanh(z), not 1 - z^2."),
                (name, 2 * (y - t) * y * (1 - y) * last, "y (1 - y) is the slope of the sigmoid; tanh has 1 - y^2."),
                (name, 2 * (y - t) * (1 - np.tanh(y) ** 2) * last, "the slope of tanh is 1 - y^2; y is tanh(z)."),
                (name, 2 * y * (1 - y * y) * last, "t is missing: the slope of the square (y - t)^2 is 2 (y - t)."),
                (name, 2 * (y - t), "this is dL/dy; go on backward, through tanh and then through w x + b."),
                (name, last, "this is the last factor alone; multiply it by dL/dz."),
                (name, dz / 2 * last, "the 2 is missing: the slope of the square (y - t)^2 is 2 (y - t)."),
                (name, -dz * last, "the sign is wrong: the slope of the square (y - t)^2 is 2 (y - t), not 2 (t - y).")]
        yield Case((w, x, b, t), (loss((w, x, b)), *slopes(loss, np.array([w, x, b]))), mistakes)


@exercise(next="autograd/kernels/softmax.cpp. If y is nearly one-hot, dx is nearly 0: `regard experiment C1`.",
          sums={"y": (1, "they are shares"), "dx": (0, "to add the same to a whole row of x changes no y")})
def exercise_2(random):
    large = np.array([[1000.0, 999, -1000], [-1000, -1001, -1000]])
    for x in random.normal(size=(4, 5)), random.normal(size=(3, 3)), np.ones((1, 1)), large:
        dy, y = random.normal(size=x.shape), softmax(x)
        gradient = slopes(lambda x: (T(x).softmax() * T(dy)).sum().item(), x)
        yield Case((x, dy), (T(x).softmax().numpy(), gradient), [
            ("y", softmax(x, 0), "your columns sum to 1, but the rows must; use axis=-1."),
            ("y", np.exp(x) / np.exp(x).sum(), "divide each row by its own sum, not by that of the matrix (axis=-1)."),
            ("y", np.exp(x), "the exponentials must be divided by their sum over the row."),
            ("y", np.exp(x - x.max(0)) / np.exp(x - x.max(0)).sum(-1, keepdims=True),
             "subtract the same number from a whole row, its own largest one: x.max(axis=-1, keepdims=True)."),
            ("dx", y * (1 - y), "dy is missing, and x_i also changes the other y_j of its row."),
            ("dx", dy - y * dy.sum(-1, keepdims=True), "this is the gradient of log softmax; y is softmax."),
            ("dx", y * (1 - y) * dy, "this is y_i (1 - y_i) dy_i; x_i also changes the other y_j of its row."),
            ("dx", y * dy, "this is y_i dy_i; x_i is also in the sum below the fraction of every y_j of its row."),
            ("dx", y * (dy - dy.sum(-1, keepdims=True)), "in the sum over j, each dy_j has the factor y_j."),
            ("dx", dy - (dy * y).sum(-1, keepdims=True), "the factor y_i is missing: y_i (dy_i - sum_j dy_j y_j)."),
            ("dx", y * (dy - (dy * y).sum()), "the sum over j goes over one row, not over the matrix (axis=-1).")])


@exercise(next="autograd/reference/attention.cpp, with its gradients. Without the root: `regard experiment C1`.",
          sums={"weights": (1, "a query shares 1 among the keys")})
def exercise_3(random):
    for n, m, d_k, d_v, scale in (4, 5, 6, 3, 1), (1, 1, 4, 2, 1), (3, 3, 3, 3, 1), (2, 7, 64, 5, 1), (4, 5, 6, 3, 999):
        query, key, value = (random.normal(size=size) for size in ((n, d_k), (m, d_k), (m, d_v)))
        query *= scale
        weights = regard.attention_weights(T(query), T(key))[0].numpy()[0]
        dots, score = query @ key.T, query @ key.T / np.sqrt(d_k)
        yield Case((query, key, value), (weights, weights @ value), [
            ("weights", softmax(dots), "the scores are not divided by sqrt(d_k)."),
            ("weights", softmax(dots / d_k), "the scores are divided by d_k; divide them by its root, sqrt(d_k)."),
            ("weights", softmax(dots * np.sqrt(d_k)), "the scores are multiplied by sqrt(d_k); divide them by it."),
            ("weights", softmax(np.sqrt(dots)), "a negative score has no root; take the root of d_k alone."),
            ("weights", softmax(score.T), "query and key are exchanged; score[i, j] is for query i and key j: Q K^T."),
            ("weights", softmax(softmax(score)), "this is the softmax of a softmax; apply it once."),
            *(("weights", softmax(dots / np.sqrt(size)), f"d_k is {d_k}, the width of query and key; you took {size}.")
              for size in (d_v, m, n)),
            ("weights", score, "these are the scores; the softmax is missing."),
            ("weights", softmax(score, 0), "your columns sum to 1; the softmax of a query goes along its row."),
            ("out", score @ value, "the values are weighted with the scores; use the weights."),
            ("out", weights @ key, "this is the mean of the keys; take the mean of the values.")])


@exercise(next="autograd/kernels/attention_block.h, which computes no hidden score. What for: `regard experiment E2`.",
          sums={"weights": (1, "a query shares 1 among the keys that it sees")},
          overflow="put -inf in place of the hidden scores, and then subtract the largest that is left in the row.")
def exercise_4(random):
    hidden_is_large = random.normal(size=(3, 3)) + np.triu(np.full((3, 3), 900.0), 1)
    for score in random.normal(size=(4, 4)), np.ones((1, 1)), 1000 * random.normal(size=(5, 5)), hidden_is_large:
        later, itself = np.triu(np.ones(score.shape), 1) > 0, np.eye(len(score)) > 0
        right = regard.attention_weights(T(score), T(np.eye(len(score))), causal=True, scale=1.0)[0].numpy()[0]
        strict, zero = softmax(np.where(later | itself, -np.inf, score)), softmax(np.where(later, 0, score))
        nearly = [softmax(x) for x in (np.where(later | itself, -1e9, score), score - 1e9 * (later | itself))]
        texts = ((np.where(later, 0, score), "these are the scores; the softmax is missing."),
                 (softmax(np.where(later.T, -np.inf, score)), "the mask is the wrong way round: hide j > i."),
                 (softmax(np.where(later.T | itself, -np.inf, score)), "the mask is the wrong way round: hide j > i."),
                 *((x, "a query must see itself: hide j > i.") for x in (strict, np.nan_to_num(strict), *nearly)),
                 (score * np.nan, "0 times infinity is NaN; choose with np.where, which multiplies nothing."),
                 (softmax(np.where(later, -np.inf, score / np.sqrt(len(score)))), "score is complete; divide it by nothing."),
                 (np.where(later, 0, softmax(score)), "rows do not sum to 1; the mask comes before the softmax."),
                 (zero, "a hidden score is 0, and e^0 is 1, not 0; put -inf in its place."),
                 (np.where(later, 0, zero), "a hidden score is 0, and e^0 is 1, not 0; put -inf in its place."),
                 (softmax(np.where(later, -np.inf, score), 0), "the softmax of a query goes along its row."))
        yield Case((score,), (right,), [("weights", *both) for both in texts], hidden=later, why="which comes later (only the score -inf hides it)")


@exercise(next="nn/multi_head_attention.cpp, with the products around it. How many heads: `regard experiment F3`.")
def exercise_5(random):
    for n, m, d, heads in (3, 5, 6, 2), (2, 4, 6, 1), (1, 1, 4, 4), (4, 4, 12, 3):
        query, key, value = (random.normal(size=(rows, d)) for rows in (n, m, m))
        d_k = d // heads

        def attend(q, k, v, width=d_k):
            return softmax(q @ k.T / np.sqrt(width)) @ v

        def each(slices, width=d_k):
            return [attend(query[:, c], key[:, c], value[:, c], width) for c in slices]
        slices = [slice(h * d_k, (h + 1) * d_k) for h in range(heads)]
        strided = np.hstack(each([slice(h, None, heads) for h in range(heads)]))
        mixed = [attend(*parts) for parts in zip(*(x.reshape(heads, -1, d_k) for x in (query, key, value)))]
        yield Case((query, key, value, heads), (regard.attention(T(query), T(key), T(value), heads=heads).numpy(),), [
            ("out", attend(query, key, value, d), "this is one head of the full width; cut the columns into heads."),
            ("out", np.hstack(each(slices, d)), "the scores are divided by sqrt(d); a head has the width d / heads."),
            ("out", np.hstack(each(slices[:1] * heads)), "all heads read the columns of head 0."),
            ("out", strided, "head h reads every heads-th column; its columns are h d_k to (h + 1) d_k, neighbours."),
            *(("out", x, "reshape(heads, rows, d_k) mixes words; use reshape(rows, heads, d_k).transpose(1, 0, 2).")
              for x in (np.stack(mixed).reshape(-1, d), np.hstack(mixed))),
            ("out", np.stack(each(slices)).reshape(-1, d), "the heads are right; put them side by side (np.hstack).")])


@exercise(next="nn/sinusoidal_positions.cpp. What p(s) . p(t) says: `regard experiment D5`; the base 10000: D6.",
          overflow="10000^(2i/d) is between 1 and 10000, so nothing can overflow; do you divide by 0?")
def exercise_6(random):
    for n, d in (5, 8), (1, 4), (60, 2), (3, 512):
        column = np.arange(d)

        def table(first=0, base=10000, exponent=2 * (column // 2) / d, sine=np.sin, cosine=np.cos):
            angle = (np.arange(n) + first)[:, None] / base ** exponent
            return np.where(column % 2 == 0, sine(angle), cosine(angle))
        right = table()
        yield Case((n, d), (right,), [
            ("table", table(base=1000), "the base is 1000; in the paper it is 10000."),
            ("table", table(exponent=column // 2 / d), "the exponent is i/d; it is 2i/d, with i = 0, 0, 1, 1, ..."),
            *(("table", table(exponent=x / d), "the columns 2i and 2i + 1 are a pair: both have the exponent 2i/d.")
              for x in (column, 2 * column, 4 * (column // 2))),
            ("table", table(first=1), "your positions begin with 1; they begin with 0."),
            ("table", table(sine=np.cos, cosine=np.sin), "sine and cosine are exchanged: even columns have the sine."),
            ("table", np.hstack([right[:, ::2], right[:, 1::2]]), "you have all sines first; they alternate.")])


@exercise(next="autograd/kernels/layer_norm.cpp. A Transformer without the norm: `regard experiment F5`.",
          sums={"dx": (0, "to add the same to a whole row of x changes no y")},
          overflow="the variance of a row of equal numbers is 0; sigma = sqrt(variance + epsilon) is not.")
def exercise_7(random):
    def mean(a):
        return a.mean(-1, keepdims=True)
    for rows, d, scale, shift in (3, 5, 1, 0), (1, 4, 1, 0), (3, 5, 0.01, 0), (3, 5, 1, 100), (3, 5, 0, 3):
        x, weight, dy = (random.normal(size=size) for size in ((rows, d), d, (rows, d)))
        x, g, epsilon = scale * x + shift, dy * weight, 1e-5

        def loss(x, weight, bias):
            return (regard.layer_norm(T(x), T(weight), T(bias), epsilon) * T(dy)).sum().item()

        def backward(variance, g=g):
            n = (x - mean(x)) / np.sqrt(variance)
            return (g - mean(g) - n * mean(g * n)) / np.sqrt(variance)
        variance, zeros = x.var(-1, keepdims=True), np.zeros(d)
        sigma = np.sqrt(variance + epsilon)
        n = (x - mean(x)) / sigma
        right = (slopes(lambda x: loss(x, weight, zeros), x, 1e-6), slopes(lambda w: loss(x, w, zeros), weight),
                 slopes(lambda bias: loss(x, weight, bias), zeros))
        yield Case((x, weight, dy, epsilon), right, [
            ("dx", g / sigma, "mean and sigma depend on x: the terms - mean(g) and - n mean(g n) are missing."),
            ("dx", (g - mean(g)) / sigma, "sigma also depends on x: the term - n mean(g n) is missing."),
            ("dx", (g - n * mean(g * n)) / sigma, "the mean also depends on x: the term - mean(g) is missing."),
            ("dx", backward(variance + epsilon, dy), "the weight is missing: g = dy weight."),
            ("dx", (g - d * mean(g) - n * d * mean(g * n)) / sigma, "the two sums over the row must be means."),
            ("dx", backward(d / (d - 1) * variance + epsilon), "the variance divides by d, not by d - 1."),
            ("dx", backward((np.sqrt(variance) + epsilon) ** 2), "epsilon is inside the root: sqrt(variance + eps)."),
            ("dx", backward(variance), "epsilon is missing: sigma = sqrt(variance + epsilon)."),
            ("dweight", (dy * x).sum(0), "weight multiplies n, not x: dweight is the sum of dy n."),
            ("dbias", g.sum(0), "the bias is added after the weight: dbias is the sum of dy."),
            *((name, value, text) for name, x in (("dweight", dy * n), ("dbias", dy)) for value, text in (
                (x.mean(0), "this gradient is that of the mean over the rows, not of the sum."),
                (x, f"all rows share it: {name} is the sum over the rows, sum(axis=0).")))])
