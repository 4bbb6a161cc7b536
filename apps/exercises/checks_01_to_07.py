"""The checks of the exercises 1 to 7: the parts of a Transformer. diagnosis.py says what each check has."""

import numpy as np

import regard

from .diagnosis import Exercise, slopes


def T(x):
    return regard.tensor(x, dtype=regard.float64)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


class Exercise1(Exercise):
    next = "autograd/graph.cpp goes backward through any number of such lines; autograd/kernels/elementwise.cpp has slopes."
    overflow = "e^800 is infinite; use np.tanh."

    def cases(self, random):
        return [(0.7, -0.4, 0.3, 0.9), *(tuple(random.normal(size=4)) for _ in range(3)), (2.0, -400.0, 0.5, 0.25)]

    def right(self, w, x, b, t):
        def loss(w, x, b):
            return ((T(w) * T(x) + T(b)).tanh() - T(t)).item() ** 2
        return (loss(w, x, b), slopes(lambda w: loss(w, x, b), w), slopes(lambda x: loss(w, x, b), x),
                slopes(lambda b: loss(w, x, b), b))

    def mistakes(self, w, x, b, t):
        z = w * x + b
        y = np.tanh(z)
        dz = 2 * (y - t) * (1 - y * y)
        yield "loss", y - t, "the loss is the square of y - t."
        yield "loss", (y - t) ** 2 / 2, "this loss has no factor 1/2."
        for name, last in (("dw", x), ("dx", w), ("db", 1)):
            yield name, 2 * (y - t) * last, "the slope of tanh is missing: dL/dz = dL/dy (1 - y^2)."
            yield name, 2 * (y - t) * (1 - z * z) * last, "the slope of tanh is 1 - y^2 with y = tanh(z), not 1 - z^2."
            yield name, 2 * (y - t) * y * (1 - y) * last, "y (1 - y) is the slope of the sigmoid; that of tanh is 1 - y^2."
            yield name, dz / 2 * last, "the 2 is missing: the slope of the square (y - t)^2 is 2 (y - t)."
            yield name, -dz * last, "the sign is wrong: the slope of the square (y - t)^2 is 2 (y - t), not 2 (t - y)."
        yield "dw", dz * w, "z = w x + b grows by x if w grows by 1, so the last factor is x, not w."
        yield "dw", dz, "the last factor is missing: z = w x + b grows by x if w grows by 1."
        yield "dx", dz * x, "z = w x + b grows by w if x grows by 1, so the last factor is w, not x."
        yield "db", dz * b, "z = w x + b grows by 1 if b grows by 1, so there is no factor b."


class Exercise2(Exercise):
    sums = {"y": (1, "the weights of a row are shares"), "dx": (0, "to add the same to a whole row of x changes no y")}
    next = "autograd/kernels/softmax.cpp has both steps. What a nearly one-hot y does to dx: regard experiment C1."

    def cases(self, random):
        large = np.array([[1000.0, 999, -1000], [-1000, -1001, -1000]])
        return [*((random.normal(size=s), random.normal(size=s)) for s in [(4, 5), (3, 3), (1, 1)]), (large, large / 1000)]

    def right(self, x, dy):
        return T(x).softmax().numpy(), slopes(lambda x: (T(x).softmax() * T(dy)).sum().item(), x)

    def mistakes(self, x, dy):
        y = softmax(x)
        yield "y", softmax(x, 0), "your columns sum to 1, but the rows must; use axis=-1."
        yield "y", np.exp(x) / np.exp(x).sum(), "each row is divided by its own sum, not by that of the whole matrix (axis=-1)."
        yield "y", np.exp(x), "the exponentials must be divided by their sum over the row."
        yield "y", x / x.sum(-1, keepdims=True), "the exponential is missing: y = e^x / sum of e^x."
        yield "dx", y * (1 - y) * dy, "this is y_i (1 - y_i) dy_i alone; x_i also changes the other y_j of its row, by -y_i y_j."
        yield "dx", y * dy, "this is y_i dy_i alone; x_i is also in the sum below the fraction of every y_j of its row."
        yield "dx", y * (dy - dy.sum(-1, keepdims=True)), "in the sum over j, each dy_j has the factor y_j."
        yield "dx", dy - (dy * y).sum(-1, keepdims=True), "the factor y_i is missing: y_i (dy_i - sum_j dy_j y_j)."
        yield "dx", y * (dy - (dy * y).sum()), "the sum over j goes over one row, not over the matrix (axis=-1, keepdims=True)."
        yield "dx", y * (dy - (dy * y).sum(0)), "the sum over j goes along the row, not down a column (axis=-1, keepdims=True)."


class Exercise3(Exercise):
    sums = {"weights": (1, "a query shares 1 among its keys")}
    next = "autograd/reference/attention.cpp has it with its gradients, in plain loops. Without the root: regard experiment C1."

    def cases(self, random):
        shapes = [(4, 5, 6, 3), (1, 1, 4, 2), (3, 3, 3, 3), (2, 7, 64, 5)]
        cases = [tuple(random.normal(size=s) for s in ((n, d), (m, d), (m, v))) for n, m, d, v in shapes]
        return [*cases, (1000 * cases[0][0], *cases[0][1:])]

    def right(self, query, key, value):
        weights = regard.attention_weights(T(query), T(key))[0]
        return weights.numpy()[0], regard.matmul(weights[0], T(value)).numpy()

    def mistakes(self, query, key, value):
        dots, d_k = query @ key.T, query.shape[1]
        weights = softmax(dots / np.sqrt(d_k))
        yield "weights", softmax(dots), "the scores are not divided by sqrt(d_k)."
        yield "weights", softmax(dots / d_k), "the scores are divided by d_k; divide them by its root, sqrt(d_k)."
        yield "weights", softmax(dots * np.sqrt(d_k)), "the scores are multiplied by sqrt(d_k); divide them by it."
        for size in (value.shape[1], len(key), len(query)):
            yield "weights", softmax(dots / np.sqrt(size)), f"d_k is {d_k}, the width of query and key, and you took {size}."
        yield "weights", weights / np.sqrt(d_k), "the weights are divided by sqrt(d_k); divide the scores, before the softmax."
        yield "weights", dots / np.sqrt(d_k), "these are the scores; the softmax is missing."
        yield "weights", softmax(dots / np.sqrt(d_k), 0), "your columns sum to 1; the softmax of a query goes along its row."
        yield "out", dots / np.sqrt(d_k) @ value, "the values are weighted with the scores; use the weights."
        yield "out", weights @ key, "this is the mean of the keys; take the mean of the values."


class Exercise4(Exercise):
    sums = {"weights": (1, "a query shares 1 among the keys that it sees")}
    next = "autograd/kernels/attention_block.h never computes a hidden score. Is training faster so: regard experiment E2."
    overflow = "put -inf in place of the hidden scores first; then subtract the largest score that is left in the row."

    def cases(self, random):
        hidden_is_large = random.normal(size=(3, 3)) + np.triu(np.full((3, 3), 900.0), 1)
        return [(x,) for x in (random.normal(size=(4, 4)), np.ones((1, 1)), 1000 * random.normal(size=(5, 5)), hidden_is_large)]

    def right(self, score):
        return regard.attention_weights(T(score), T(np.eye(len(score))), causal=True, scale=1.0)[0].numpy()[0],

    def mistakes(self, score):
        later, itself = np.triu(np.ones(score.shape), 1) > 0, np.eye(len(score)) > 0
        yield "weights", softmax(score), "there is no mask yet: query 0 sees key 1, which comes later."
        yield "weights", softmax(np.where(later.T, -np.inf, score)), "the mask is the wrong way round: hide j > i, not j < i."
        yield "weights", softmax(np.where(later | itself, -np.inf, score)), "a query must see itself: hide j > i, not j >= i."
        yield "weights", np.where(later, 0, softmax(score)), (
            "the mask comes after the softmax, so the rows no longer sum to 1; put -inf in place of hidden scores before it.")
        for weights in softmax(np.where(later, 0, score)), np.where(later, 0, softmax(np.where(later, 0, score))):
            yield "weights", weights, "a hidden score is 0, and e^0 is 1, not 0; put -inf in its place."
        yield "weights", softmax(np.where(later, -np.inf, score), 0), "the softmax of a query goes along its row (axis=-1)."

    def properties(self, results, score):
        weights = results["weights"]
        for query, key in np.argwhere(np.triu(weights, 1) != 0):
            yield (f"query {query} sees key {key}, which comes later: weights[{query}, {key}] is "
                   f"{weights[query, key]:.4g}, but must be exactly 0.")
        yield from super().properties(results, score)


class Exercise5(Exercise):
    next = "nn/multi_head_attention.cpp has the products around it. How many heads are good: regard experiment F3."

    def cases(self, random):
        sizes = [(3, 5, 6, 2), (2, 4, 6, 1), (1, 1, 4, 4), (4, 4, 12, 3)]
        return [(*(random.normal(size=(rows, d)) for rows in (n, m, m)), heads) for n, m, d, heads in sizes]

    def right(self, query, key, value, heads):
        return regard.attention(T(query), T(key), T(value), heads=heads).numpy(),

    def mistakes(self, query, key, value, heads):
        d = query.shape[1]
        d_k = d // heads

        def attend(q, k, v, width=d_k):
            return softmax(q @ k.T / np.sqrt(width)) @ v

        def each(slices, width=d_k):
            return [attend(query[:, c], key[:, c], value[:, c], width) for c in slices]
        slices = [slice(h * d_k, (h + 1) * d_k) for h in range(heads)]
        strided = np.hstack(each([slice(h, None, heads) for h in range(heads)]))
        mixed = [attend(*parts) for parts in zip(*(x.reshape(heads, -1, d_k) for x in (query, key, value)))]
        yield "out", attend(query, key, value, d), "this is one head of the full width; cut the columns into heads first."
        yield "out", np.hstack(each(slices, d)), "the scores are divided by sqrt(d); a head is only d_k = d / heads wide."
        yield "out", np.hstack(each(slices[:1] * heads)), "all heads read the columns of head 0; head h reads h d_k to (h + 1) d_k."
        for out in strided, strided.reshape(-1, heads, d_k).transpose(0, 2, 1).reshape(-1, d):
            yield "out", out, "head h reads every heads-th column; its columns are neighbours, h d_k to (h + 1) d_k."
        for out in np.stack(mixed).reshape(-1, d), np.hstack(mixed):
            yield "out", out, "reshape(heads, rows, d_k) mixes words; use reshape(rows, heads, d_k).transpose(1, 0, 2), or slices."
        yield "out", np.stack(each(slices)).reshape(-1, d), "the heads are right, but not side by side; use np.hstack."


class Exercise6(Exercise):
    next = "nn/positional_encoding.cpp. What p(s) . p(t) says: regard experiment D5; is 10000 a good base: D6."
    overflow = "10000^(2i/d) is between 1 and 10000, so nothing can overflow; do you divide by 0?"

    def cases(self, random):
        return [(5, 8), (1, 4), (60, 2), (3, 512)]

    def right(self, n, d, first=0, base=10000, exponent=None, sine=np.sin, cosine=np.cos):
        exponent = 2 * (np.arange(d) // 2) / d if exponent is None else exponent
        angle = (np.arange(n) + first)[:, None] / base ** exponent
        return np.where(np.arange(d) % 2 == 0, sine(angle), cosine(angle)),

    def mistakes(self, n, d):
        def variant(**change):
            return self.right(n, d, **change)[0]
        column, right = np.arange(d), variant()
        yield "table", variant(base=1000), "the base is 1000; in the paper it is 10000."
        yield "table", variant(exponent=column // 2 / d), "the exponent is i/d; it is 2i/d, with i = 0, 0, 1, 1, 2, 2, ..."
        for exponent in column / d, 2 * column / d:
            yield "table", variant(exponent=exponent), "the columns 2i and 2i + 1 are a pair: both have the exponent 2i/d."
        yield "table", variant(exponent=-2 * (column // 2) / d), "you multiply by 10000^(2i/d); divide by it."
        yield "table", variant(first=1), "your positions begin with 1; they begin with 0."
        yield "table", variant(sine=np.cos, cosine=np.sin), "sine and cosine are exchanged: the even columns have the sine."
        yield "table", variant(cosine=np.sin), "all columns have the sine; the odd ones have the cosine."
        yield "table", np.hstack([right[:, ::2], right[:, 1::2]]), "sines and cosines alternate; you have all sines first."


class Exercise7(Exercise):
    sums = {"dx": (0, "to add the same to a whole row of x changes no y")}
    next = "autograd/kernels/layer_norm.cpp has both directions. A Transformer without the norm: regard experiment F5."
    overflow = "the variance of a row of equal numbers is 0; sigma = sqrt(variance + epsilon) is not."

    def cases(self, random):
        cases = [(random.normal(size=(n, d)), random.normal(size=d), random.normal(size=(n, d)), 1e-5)
                 for n, d in ((3, 5), (1, 4), (5, 5))]
        x, *rest = cases[0]
        return [*cases, (0.01 * x, *rest), (x + 100, *rest), (0 * x + 3, *rest)]

    def right(self, x, weight, dy, epsilon):
        def loss(x, weight, bias):
            return (regard.layer_norm(T(x), T(weight), T(bias), epsilon) * T(dy)).sum().item()
        bias = np.zeros_like(weight)
        return (slopes(lambda x: loss(x, weight, bias), x, 1e-6), slopes(lambda w: loss(x, w, bias), weight),
                slopes(lambda b: loss(x, weight, b), bias))

    def mistakes(self, x, weight, dy, epsilon):
        def mean(a):
            return a.mean(-1, keepdims=True)

        def backward(sigma, g=dy * weight):
            n = (x - mean(x)) / sigma
            return (g - mean(g) - n * mean(g * n)) / sigma
        sigma, deviation, g, width = np.sqrt(x.var(-1, keepdims=True) + epsilon), x.std(-1, keepdims=True), dy * weight, x.shape[1]
        n = (x - mean(x)) / sigma
        yield "dx", g / sigma, "mean and sigma also depend on x: the terms - mean(g) and - n mean(g n) are missing."
        yield "dx", (g - mean(g)) / sigma, "sigma also depends on x: the term - n mean(g n) is missing."
        yield "dx", (g - n * mean(g * n)) / sigma, "the mean also depends on x: the term - mean(g) is missing."
        yield "dx", backward(sigma, dy), "the weight is missing: g = dy weight."
        yield "dx", sigma * backward(sigma), "the factor 1/sigma is missing."
        yield "dx", (g - width * mean(g) - n * width * mean(g * n)) / sigma, "the two sums over the row must be means."
        yield "dx", backward(np.sqrt(x.var(-1, ddof=1, keepdims=True) + epsilon)), "the variance divides by d, not by d - 1."
        yield "dx", backward(deviation + epsilon), "epsilon is inside the root: sigma = sqrt(variance + epsilon)."
        yield "dx", backward(deviation), "epsilon is missing: sigma = sqrt(variance + epsilon)."
        for name, each in (("dweight", dy * n), ("dbias", dy)):
            yield name, each.mean(0), "this gradient is that of the mean over the rows, not of the sum."
            yield name, each, f"all rows share it: {name} is the sum over the rows, sum(axis=0)."
        yield "dweight", (dy * x).sum(0), "weight multiplies n, not x: dweight is the sum of dy n."
        yield "dbias", g.sum(0), "the bias is added after the weight: dbias is the sum of dy."
