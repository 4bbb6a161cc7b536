"""The exercises: solutions are right, empty ones are not filled in, and each typical mistake gets its sentence."""

import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
import regard

HERE = Path(__file__).parent
NUMBERS = regard.exercise.NUMBERS

# A change of the solution of an exercise, and what the check must say. The mistake is made in the text of the solution,
# so the formulas in apps/exercises/checks_*.py are not asked about themselves.
MISTAKES = [
    (1, "loss = (y - t)**2", "loss = y - t", "the loss is the square"),
    (1, "loss = (y - t)**2", "loss = (y - t)**2 / 2", "no factor 1/2"),
    (1, "loss = (y - t)**2", "loss = (np.tanh(w * x) + b - t)**2", "b is inside of tanh"),
    (1, "dy = 2 * (y - t)", "dy = 2 * y", "t is missing"),
    (1, "dz = dy * (1 - y**2)", "dz = dy", "the slope of tanh is missing"),
    (1, "1 - y**2", "1 - z**2", "not 1 - z^2"),
    (1, "(1 - y**2)", "y * (1 - y)", "the slope of the sigmoid"),
    (1, "dy = 2 * (y - t)", "dy = y - t", "the 2 is missing"),
    (1, "dy = 2 * (y - t)", "dy = 2 * (t - y)", "the sign is wrong"),
    (1, "dw = dz * x", "dw = dz * w", "the last factor is x, not w"),
    (1, "dw = dz * x", "dw = dz", "the last factor is missing"),
    (1, "dx = dz * w", "dx = dz * x", "the last factor is w, not x"),
    (1, "db = dz", "db = dz * b", "there is no factor b"),
    (1, "db = dz", "db = 0", "if b grows by a tiny h, L grows by"),
    (1, "return loss, dw, dx, db", "return loss, dx, dw, db", "dw and dx are exchanged; end with `return loss, dw, dx, db`"),
    (1, "return loss, dw, dx, db", "return loss, dw, db, dx", "dx and db are exchanged"),
    (1, "np.tanh(z)", "(np.exp(z) - np.exp(-z)) / (np.exp(z) + np.exp(-z))", "loss is nan: e^800 is infinite; use np.tanh"),
    (1, "1 - y**2", "1 - np.tanh(y)**2", "y is tanh(z)"),
    (1, "dw = dz * x", "dw = dy", "this is dL/dy"),
    (1, "db = dz", "db = 1", "the last factor alone"),
    (1, "loss = (y - t)**2", "loss = (y - t)^2", "a power is x**2, not x^2"),
    (2, "x.max(axis=-1, keepdims=True)", "x.max(axis=0)", "subtract the same number from a whole row"),
    (2, "e.sum(axis=-1, keepdims=True)", "e.sum(axis=-1)", "with shapes (4,5) (4,); keepdims=True keeps the axis"),
    (2, "dx = y * (dy - (dy * y).sum(axis=-1, keepdims=True))", "dx = y * (1 - y)", "dy is missing"),
    (2, "dx = y * (dy - (dy * y).sum(axis=-1, keepdims=True))", "dx = dy - y * dy.sum(axis=-1, keepdims=True)", "log softmax"),
    (4, "    return weights", "    return np.tril(score)", "these are the scores"),
    (2, "x.max(axis=-1, keepdims=True)", "0", "y[0, 0] is nan: e^1000 is infinite"),
    (2, "e.sum(axis=-1, keepdims=True)", "e.sum(axis=0)", "row 0 of y sums to"),
    (2, "e = np.exp(x - x.max(axis=-1, keepdims=True))\n    y = e / e.sum(axis=-1, keepdims=True)",
     "y = np.exp(x) / np.exp(x).sum(axis=0)", "your columns sum to 1"),
    (2, "y = e / e.sum(axis=-1, keepdims=True)", "y = np.exp(x) / np.exp(x).sum()", "not by that of the matrix"),
    (2, "y = e / e.sum(axis=-1, keepdims=True)", "y = np.exp(x)", "divided by their sum"),
    (2, "y = e / e.sum(axis=-1, keepdims=True)", "y = e / 3", "row 0 of y sums to"),
    (2, "dx = y * (dy - (dy * y).sum(axis=-1, keepdims=True))", "dx = dy * y * (1 - y)", "also changes the other y_j"),
    (2, "dx = y * (dy - (dy * y).sum(axis=-1, keepdims=True))", "dx = dy * y", "in the sum below the fraction"),
    (2, "(dy * y).sum", "dy.sum", "each dy_j has the factor y_j"),
    (2, "dx = y * (dy", "dx = (dy", "the factor y_i is missing"),
    (2, "(dy * y).sum(axis=-1, keepdims=True)", "(dy * y).sum()", "over one row, not over the matrix"),
    (2, "dx = y * (dy", "dx = -y * (dy", "the sign is wrong"),
    (2, "dx = y * (dy", "dx = 2 * y * (dy", "all numbers are 2 times the right ones"),
    (2, "(dy * y).sum(axis=-1, keepdims=True)", "0.9 * (dy * y).sum(axis=-1, keepdims=True)", "must sum to 0"),
    (2, "return y, dx", "return dx, y", "y and dx are exchanged"),
    (3, " / np.sqrt(query.shape[1])", "", "not divided by sqrt(d_k)"),
    (3, "np.sqrt(query.shape[1])", "query.shape[1]", "divide them by its root"),
    (3, "/ np.sqrt(query.shape[1])", "* np.sqrt(query.shape[1])", "multiplied by sqrt(d_k)"),
    (3, "query @ key.T / np.sqrt(query.shape[1])", "np.sqrt(query @ key.T) / query.shape[1]", "a negative score has no root"),
    (3, "out = weights @ value", "weights = softmax(score.T)\n    out = weights.T @ value", "query and key are exchanged"),
    (3, "weights = softmax(score)", "weights = softmax(softmax(score))", "the softmax of a softmax"),
    (3, "np.sqrt(query.shape[1])", "np.sqrt(value.shape[1])", "d_k is 6, the width of query and key; you took 3"),
    (3, "np.sqrt(query.shape[1])", "np.sqrt(len(key))", "you took 5"),
    (3, "np.sqrt(query.shape[1])", "np.sqrt(len(query))", "you took 4"),
    (3, "query @ key.T / np.sqrt(query.shape[1])\n    weights = softmax(score)",
     "query @ key.T\n    weights = softmax(score) / np.sqrt(query.shape[1])", "row 0 of weights sums to"),
    (3, "out = weights @ value", "weights = weights.T\n    out = weights.T @ value",
     "weights must have the shape [4, 5], but has the shape [5, 4]: it is transposed"),
    (3, "weights = softmax(score)", "weights = score", "the softmax is missing"),
    (3, "weights = softmax(score)", "weights = softmax(score.T).T", "your columns sum to 1"),
    (3, "weights = softmax(score)", "weights = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)", "is nan: e^1000"),
    (3, "weights @ value", "weights * value", "they go number by number"),
    (3, "query @ key.T", "key @ query.T", "in a @ b, a has 4 columns, but b has 5 rows; is a .T missing, or one too many?"),
    (3, "out = weights @ value", "out = score @ value", "weighted with the scores"),
    (3, "out = weights @ value", "out = weights @ key", "this is the mean of the keys"),
    (3, "out = weights @ value", "out = value @ weights", "ValueError in line 16 of mine.py: `out = value @ weights`"),
    (3, "out = weights @ value", "out = None", "out is not filled in, it is None"),
    (3, "return weights, out", "return out", "must return exactly `weights, out`"),
    (4, "later = np.triu(np.ones(score.shape), 1) > 0", "later = np.zeros(score.shape) > 0", "query 0 sees key 1"),
    (4, "np.triu(np.ones(score.shape), 1)", "np.tril(np.ones(score.shape), -1)", "the wrong way round"),
    (4, "np.triu(np.ones(score.shape), 1)", "np.triu(np.ones(score.shape), 0)", "a query must see itself"),
    (4, "np.triu(np.ones(score.shape), 1)", "np.triu(np.ones(score.shape), 2)", "query 0 sees key 1, which comes later"),
    (4, "score.shape), 1) > 0\n    seen = np.where(later, -np.inf, score)", "score.shape), 0) > 0\n    seen = np.where(later, -1e9, score)",
     "a query must see itself"),
    (4, "1) > 0\n    seen = np.where(later, -np.inf, score)", "0) > 0\n    seen = score - 1e9 * later", "a query must see itself"),
    (4, "np.where(later, -np.inf, score)", "score + later * -np.inf", "0 times infinity is NaN"),
    (4, "np.where(later, -np.inf, score)", "np.where(later, -np.inf, score / np.sqrt(len(score)))", "divide it by nothing"),
    (4, "    return weights", "    return weights, score", "must return exactly `weights`"),
    (4, "-np.inf", "-100", "only the score -inf hides it"),
    (4, "-np.inf", "0", "e^0 is 1, not 0"),
    (4, "-np.inf", "-9", "query 0 sees key 1, which comes later (only the score -inf hides it): weights[0, 1] is"),
    (4, "seen = np.where(later, -np.inf, score)", "seen = score", "query 0 sees key 1"),
    (4, "e = np.exp(seen - seen.max(axis=-1, keepdims=True))\n    weights = e / e.sum(axis=-1, keepdims=True)",
     "e = np.exp(score)\n    weights = np.where(later, 0, e / e.sum(axis=-1, keepdims=True))", "do not sum to 1"),
    (4, "seen - seen.max(axis=-1, keepdims=True)", "seen", "is nan: put -inf in place of the hidden scores"),
    (4, "seen.max(axis=-1", "score.max(axis=-1", "is nan: put -inf in place of the hidden scores"),
    (4, "axis=-1", "axis=0", "goes along its row"),
    (5, "for h in range(heads)", "d_k, heads = query.shape[1], 1\n    for h in range(heads)", "one head of the full width"),
    (5, "columns = slice(h * d_k, (h + 1) * d_k)", "columns = slice(0, d_k)", "all heads read the columns of head 0"),
    (5, "slice(h * d_k, (h + 1) * d_k)", "slice(h, None, heads)", "(h + 1) d_k, neighbours"),
    (5, "np.sqrt(query.shape[1])", "np.sqrt(6)", "divided by sqrt(d)"),
    (5, "np.concatenate(parts, axis=1)", "np.stack(parts).reshape(query.shape)", "put them side by side"),
    (5, "np.concatenate(parts, axis=1)", "np.concatenate(parts, axis=0)", "out must have the shape [3, 6], but has the shape [6, 3]"),
    (5, "    for h in range(heads):\n        columns = slice(h * d_k, (h + 1) * d_k)\n        parts.append(attention(query[:, "
     "columns], key[:, columns], value[:, columns]))", "    split = [x.reshape(heads, -1, d_k) for x in (query, key, value)]\n    "
     "parts = [attention(*part) for part in zip(*split)]", "mixes words"),
    (6, "10000", "1000", "the base is 1000"),
    (6, "2 * i / d", "i / d", "the exponent is i/d"),
    (6, "np.cos(angle)", "np.cos(pos / 10000**((2 * i + 1) / d))", "are a pair"),
    (6, "2 * i / d)\n", "4 * i / d)\n", "are a pair"),
    (6, "angle = pos", "angle = (pos + 1)", "your positions begin with 1"),
    (6, "2 * i] = np.sin(angle)\n            table[pos, 2 * i + 1]", "2 * i + 1] = np.sin(angle)\n            table[pos, 2 * i]",
     "sine and cosine are exchanged"),
    (6, "2 * i] = np.sin(angle)\n            table[pos, 2 * i + 1]", "i] = np.sin(angle)\n            table[pos, d // 2 + i]",
     "you have all sines first"),
    (7, "dx = (g - g.mean(axis=-1, keepdims=True) - n * (g * n).mean(axis=-1, keepdims=True)) / sigma", "dx = g / sigma",
     "- mean(g) and - n mean(g n) are missing"),
    (7, " - n * (g * n).mean(axis=-1, keepdims=True)", "", "the term - n mean(g n) is missing"),
    (7, "(g - g.mean(axis=-1, keepdims=True) - n", "(g - n", "the term - mean(g) is missing"),
    (7, "g = dy * weight", "g = dy", "the weight is missing"),
    (7, "g.mean(axis=-1, keepdims=True) - n * (g * n).mean", "g.sum(axis=-1, keepdims=True) - n * (g * n).sum", "must be means"),
    (7, "x.var(axis=-1, keepdims=True)", "x.var(axis=-1, keepdims=True, ddof=1)", "not by d - 1"),
    (7, "np.sqrt(x.var(axis=-1, keepdims=True) + epsilon)", "x.std(axis=-1, keepdims=True) + epsilon", "inside the root"),
    (7, " + epsilon", "", "epsilon is missing"),
    (7, "dweight = (dy * n).sum(axis=0)", "dweight = (dy * n).mean(axis=0)", "that of the mean over the rows, not of the sum"),
    (7, "dbias = dy.sum(axis=0)", "dbias = dy.mean(axis=0)", "that of the mean over the rows, not of the sum"),
    (7, "(dy * n).sum", "(dy * x).sum", "dweight is the sum of dy n"),
    (7, "dbias = dy.sum", "dbias = g.sum", "the bias is added after the weight"),
    (7, "dbias = dy.sum(axis=0)", "dbias = dy", "all rows share it: dbias is the sum"),
    (7, "dweight = (dy * n).sum(axis=0)", "dweight = dy * n", "all rows share it: dweight is the sum"),
    (8, "np.tanh(W @ s + h @ U.T) @ v", "(W @ s + h @ U.T) @ v", "s changes no weight"),
    (8, "np.tanh(W @ s + h @ U.T) @ v", "np.tanh((W @ s + h @ U.T) @ v)", "tanh comes before the product with v"),
    (8, "W @ s + ", "", "W s is missing"),
    (8, "weights = np.exp(e - e.max())\n    weights /= weights.sum()", "weights = e", "the softmax is missing"),
    (8, "weights /= weights.sum()", "", "must sum to 1"),
    (8, "e - e.max()", "e", "is nan: e^1000"),
    (8, "W @ s + h @ U.T", "U @ s + h @ W.T", "in line 8 of"),
    (8, "weights @ h", "h.mean(axis=0)", "the plain mean"),
    (8, "weights @ h", "e @ h", "weighted with the scores"),
    (8, "weights @ h", "h[weights.argmax()]", "hard attention"),
    (8, "weights @ h", "weights @ (h @ U.T)", "of the h_j themselves"),
    (9, "np.full((rows, V), epsilon / V)", "np.zeros((rows, V))", "q must sum to 1"),
    (9, "q[np.arange(rows), targets] += 1 - epsilon", "q[np.arange(rows), targets] = 1 - epsilon", "all V words share epsilon"),
    (9, "V = logits.shape", "V = logits.shape\n    epsilon = 0", "the smoothing is missing"),
    (9, "loss = -(q * log_p).sum() / rows", "loss = -(q * log_p).sum()", "the loss is their mean"),
    (9, "loss = -(q", "loss = (q", "the sign is wrong: the loss"),
    (9, "(np.exp(log_p) - q) / rows", "np.exp(log_p) - q", "this gradient is that of the sum, not of the mean"),
    (9, "np.exp(log_p) - q", "q - np.exp(log_p)", "the sign is wrong: if the logit"),
    (9, "(np.exp(log_p) - q)", "(np.exp(log_p) - 0.9 * q)", "row 0 of dlogits sums to"),
    (9, "logits.max(axis=-1, keepdims=True)", "0", "e^1000 and log 0 are infinite"),
    (10, "w - rate", "w + rate", "the sign is wrong"),
    (10, "rate * m_hat / (np.sqrt(v_hat)", "rate * new_m / (np.sqrt(new_v)", "m and v begin with 0"),
    (10, "rate * m_hat", "rate * new_m", "m is not corrected"),
    (10, "np.sqrt(v_hat)", "np.sqrt(new_v)", "v is not corrected"),
    (10, "np.sqrt(v_hat)", "v_hat", "the root of v_hat is missing"),
    (10, "(np.sqrt(v_hat) + epsilon)", "np.sqrt(v_hat + epsilon)", "not inside it"),
    (10, "return new_w, new_m, new_v", "return new_w, m_hat, new_v", "this is m_hat; the next step needs m itself"),
    (10, "return new_w, new_m, new_v", "return new_w, new_m, v_hat", "this is v_hat; the next step needs v itself"),
    (10, "return new_w", "new_m = beta1 * m + g\n    return new_w", "the new part of m has the factor 1 - beta"),
    (10, "return new_w", "new_v = beta2 * v + g**2\n    return new_w", "the new part of v has the factor 1 - beta"),
    (10, "return new_w", "new_v = beta2 * v + (1 - beta2) * g\n    return new_w", "g^2, not g"),
    (10, "new_m = beta1 * m + (1 - beta1) * g", "m *= beta1; m += (1 - beta1) * g; new_m = m", "changes its argument m"),
    (10, "(np.sqrt(v_hat) + epsilon)", "np.sqrt(v_hat)", "epsilon is missing"),
    (10, "beta2**t", "beta2 * t", "(a power, beta**t)"),
    (11, "scores[:, None] + log_probabilities", "scores[:, None] * log_probabilities", "are added"),
    (11, "scores[:, None] + log_probabilities", "scores[:, None] + np.exp(log_probabilities)", "add its logarithm"),
    (11, "np.argsort(-candidates", "np.argsort(-log_probabilities", "the score so far is forgotten"),
    (11, "np.argsort(-candidates", "np.argsort(candidates", "the worst candidates"),
    (11, "[:beam]", "[:beam][::-1]", "put the best first"),
    (11, "return parents, tokens", "return tokens, parents", "parents and tokens are exchanged"),
    (11, "[:beam]", "", "parents must have the shape [4], but has the shape [18]"),
    (11, "    best = np.argsort(-candidates, axis=None)[:beam]\n    V = candidates.shape[1]",
     "    V = candidates.shape[1]\n    best = np.array([k * V + np.argmax(candidates[k]) for k in range(len(scores))])", "(greedy)"),
    (11, "candidates[parents, tokens]", "log_probabilities[parents, tokens]", "add scores[parent]"),
    (11, "candidates[parents, tokens]", "np.exp(candidates[parents, tokens])", "return the sums of logarithms"),
    (12, " * np.exp(-(j - p)**2 / (2 * sigma**2))", "", "the Gaussian is missing"),
    (12, "sigma = D / 2", "sigma = D", "sigma is D/2"),
    (12, "(2 * sigma**2)", "sigma**2", "the 2 before sigma^2 is missing"),
    (12, "<= D", "< D", "a key at the distance D is in the window"),
    (12, "if abs(j - p) <= D]\n        e = np.exp(score[i, window] - score[i, window].max())\n        for j, share in zip(window, "
     "e / e.sum()):\n            weights[i, j] = share * np.exp(-(j - p)**2 / (2 * sigma**2))",
     "]\n        weights[i] = np.exp(score[i]) / np.exp(score[i]).sum()", "query 0 sees all keys"),
    (12, "<= D", "<= D / 2", "not D/2"),
    (12, "<= D", "<= D + 1", "which is farther than 2 from its centre"),
    (12, "    return weights", "    weights /= weights.sum(axis=1, keepdims=True)\n    return weights", "divide by the sum again"),
    (12, "np.exp(score[i, window] - score[i, window].max())", "np.exp(score[i, window])", "is nan: e^1000"),
    (12, "zip(window, e / e.sum())", "zip(window, np.exp(score[i, window]) / np.exp(score[i]).sum())", "the softmax goes over the keys of the window alone"),
    (12, "        e = np.exp(score[i, window] - score[i, window].max())",
     "        sigma = D / 2\n        s = score[i, window] * np.exp(-(np.array(window) - p)**2 / (2 * sigma**2))\n        e, sigma = np.exp(s - s.max()), 1e9",
     "not the scores before it"),
    (13, " / len(samples)", "", "this gradient is that of the sum, not of the mean"),
    (13, "slope = -p\n        slope[a] += 1", "slope = p.copy()\n        slope[a] -= 1", "the sign is wrong"),
    (13, "(r - baseline)", "r", "the baseline is missing"),
    (13, "slope = -p", "slope = 0 * p", "p is missing"),
    (13, "* slope /", "* p[a] * slope /", "the slope of p(a)"),
    (13, "- logits.max()", "", "is nan: e^1000"),
]


def solution(number):
    return (HERE / f"solution_{number:02}.py").read_text()


def said(number, text, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(text)
    return regard.exercise.check_file(number, path)


@pytest.mark.parametrize("number", NUMBERS)
def test_a_solution_is_right_and_says_where_to_look(number, tmp_path):
    right, text = said(number, solution(number), tmp_path)
    assert right and text.startswith("Right."), text
    assert re.search(r"(autograd|nn|transformer)/[\w/]+\.(cpp|h)", text)


@pytest.mark.parametrize("number", NUMBERS)
def test_an_empty_exercise_is_not_filled_in(number, tmp_path):
    text = (Path(regard.exercise.__file__).parent / f"exercise_{number:02}.py").read_text()
    assert not said(number, text, tmp_path)[0] and "is not filled in" in said(number, text, tmp_path)[1]
    assert said(number, solution(number).rsplit("return", 1)[0], tmp_path) == said(number, text, tmp_path)


@pytest.mark.parametrize("number, old, new, words", MISTAKES, ids=[f"{n}-{words[:40]}" for n, _, _, words in MISTAKES])
def test_a_mistake_gets_its_sentence(number, old, new, words, tmp_path):
    text = solution(number)
    assert old in text
    right, sentence = said(number, text.replace(old, new), tmp_path)
    assert not right and words in sentence, sentence
    assert len(sentence.split("\n")[0]) < 260, sentence


def test_each_sentence_about_a_mistake_is_seen_above():
    def without_numbers(text):
        return re.sub(r"\d+", "#", text)
    missing = set()
    for number in NUMBERS:
        exercise = regard.exercise.of(number)
        seen = [without_numbers(words) for n, _, _, words in MISTAKES if n == number]
        for case in exercise.cases():
            sentences = {without_numbers(text) for _, _, text in case.mistakes}
            missing |= {(number, text) for text in sentences if not any(words in text for words in seen)}
    assert not missing


def gradients(function, *arrays):
    """The gradients of a function of tensors, by the library's backward()."""
    inputs = [regard.tensor(x, dtype=regard.float64, requires_grad=True) for x in arrays]
    function(*inputs).backward()
    return [x.grad.numpy() for x in inputs]


def test_right_gradients_are_those_of_the_library():
    for case in regard.exercise.of(2).cases():
        x, dy = case.arguments
        assert numpy.allclose(case.right[1], gradients(lambda x: (x.softmax() * regard.tensor(dy)).sum(), x), atol=1e-6)
    for case in regard.exercise.of(7).cases():
        x, weight, dy, epsilon = case.arguments
        found = gradients(lambda x, w, b: (regard.layer_norm(x, w, b, epsilon) * regard.tensor(dy)).sum(), x, weight, 0 * weight)
        assert all(numpy.abs(a - b).max() <= 1e-6 * (1 + numpy.abs(b).max()) for a, b in zip(case.right, found))
    for case in regard.exercise.of(9).cases():
        logits, targets, epsilon = case.arguments
        found = gradients(lambda x: regard.cross_entropy(x, targets, label_smoothing=epsilon), logits)
        assert numpy.allclose(case.right[1], found, atol=1e-6)


def test_right_values_that_the_module_has_no_operation_for():
    table = regard.exercise.of(6).cases()[0].right[0]
    assert numpy.allclose(table[3, [0, 1, 4, 5]], [numpy.sin(3), numpy.cos(3), numpy.sin(0.03), numpy.cos(0.03)])
    first_step = regard.exercise.of(10).cases()[1]
    w, g, _, _, t, rate, *_ = first_step.arguments
    assert t == 1 and numpy.allclose(first_step.right[0], w - rate * numpy.sign(g))
    assert numpy.allclose(first_step.right[1], 0.1 * g) and numpy.allclose(first_step.right[2], 0.02 * g * g)


@pytest.mark.parametrize("function, words", [
    (lambda score: score.undefined, "AttributeError in line"),
    (lambda: 0, "called as causal_softmax(score): "),
    (lambda score: "weights", "weights is no array of numbers"),
    (lambda score: score * 1j, "weights is no array of numbers"),
    (lambda score: [[1, 2], [3]], "weights is no array of numbers"),
    (lambda score: score.sort() or score, "changes its argument score; work with a copy, score.copy()"),
    (lambda score: score[0], "weights must have the shape [4, 4], but has the shape [4]"),
    (numpy.eye(3), "Give the function itself"),
])
def test_what_is_no_answer(function, words):
    right, text = regard.exercise.check(4, function)
    assert not right and words in text, text


def test_in_a_notebook(capsys):
    module = {}
    exec(solution(4), module)
    regard.exercise(4, module["causal_softmax"])
    assert capsys.readouterr().out.startswith("Right. ")
    regard.exercise(4)
    text = capsys.readouterr().out
    assert "def causal_softmax(score):" in text and "then: regard.exercise(4, causal_softmax)" in text
    regard.exercise(4, None)
    assert capsys.readouterr().out.startswith("Give the function itself")
    with pytest.raises(regard.Error, match="exercise 3 has the cases 1 to 5, but no case 0"):
        regard.exercise.case(3, 0)
    regard.exercise()
    assert len(capsys.readouterr().out.strip().split("\n")) == len(NUMBERS)
    assert regard.exercise.case(3, 1)[0].shape == (4, 6)
    for number in 0, 14, "four":
        with pytest.raises(regard.Error, match="the exercises have the numbers 1 to 13"):
            regard.exercise(number)


def test_in_a_shell(tmp_path):
    def shell(*arguments):
        done = subprocess.run([sys.executable, "-m", "regard.exercise", *arguments], cwd=tmp_path, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr
    code, text = shell()
    assert code == 0 and "3  scaled dot-product attention" in text
    code, text = shell("3")
    mine = tmp_path / "exercise_03.py"
    assert code == 0 and "exercise_03.py is new" in text and "def attention" in mine.read_text()
    code, text = shell("3")
    assert code == 1 and "is not filled in, it is None" in text
    mine.write_text(solution(3))
    code, text = shell("3")
    assert code == 0 and text.startswith("Right. ")
    mine.write_text(solution(3).replace("out = weights", "out = = weights"))
    code, text = shell("3")
    assert code == 1 and "SyntaxError in line 16" in text and "`out = = weights @ value`" in text and "Traceback" not in text
    for end in "exit()", "import os; os._exit(0)":
        mine.write_text(f"{solution(3)}\n{end}\n")
        code, text = shell("3")
        assert code == 1 and "Right" not in text and "Traceback" not in text
    mine.write_text("import numpy\n1 / 0\n")
    assert "ZeroDivisionError in line 2" in shell("3")[1]
    mine.write_text("")
    assert "has no function attention" in shell("3")[1]
    assert "cannot be read: No such file" in shell("3", "nowhere.py")[1]
    for arguments in ["14"], ["three"], ["3", "a.py", "b.py"]:
        code, text = shell(*arguments)
        assert code == 1 and "1 to 13" in text
    assert [path.name for path in tmp_path.iterdir()] == ["exercise_03.py"]


# Where a student's file ends Python, changes the library, or never ends. {} is a right function.
ENDS = [
    ("import sys\n{}\nsys.exit()", "cannot be run: SystemExit in line 14 of mine.py: `sys.exit()`"),
    ("exit(0)\n{}", "cannot be run: SystemExit in line 1"), ("{}\nquit()", "cannot be run: SystemExit in line 13"),
    ("{}\nraise SystemExit", "SystemExit in line 13"), ("import os\n{}\nos._exit(0)", "ended Python, with the exit code 0"),
    ("print('Right. Now look at it')\nimport os\nos._exit(0)", "ended Python, with the exit code 0"),
    ("import os\n{}\nos.kill(os.getpid(), 9)", "ended Python, with the exit code -9"),
    ("import os, threading\n{}\nthreading.Timer(0, os._exit, [0]).start()\nwhile True: pass", "with the exit code 0"),
    ("import sys\n{}\nsys.stdout = None\nraise KeyboardInterrupt", "ended Python, with the exit code"),
    ("def causal_softmax(score):\n    exit()", "stopped with SystemExit in line 2 of mine.py: `exit()`"),
    ("import os\ndef causal_softmax(score):\n    os._exit(0)", "ended Python, with the exit code 0"),
    ("def causal_softmax(score):\n    while True: pass", "runs for more than 60 seconds; does a loop in it never end?"),
    ("causal_softmax = 3", "Give the function itself"),
    ("import numpy as np\nimport regard\ndef causal_softmax(score):\n    return 0 * score\n"
     "regard.attention_weights = lambda q, *_, **__: [regard.tensor(0 * q.numpy())]\nnp.exp = np.zeros_like", "row 0 of weights sums to 0"),
]
# A right file may do all of these.
STILL_RIGHT = ["{}\nimport os\nos.chdir('/')", "{}\nprint('x' * 10**6)", "import atexit, os\natexit.register(os._exit, 3)\n{}",
               "{}\nimport threading, time\nthreading.Thread(target=lambda: time.sleep(1000)).start()",
               "{}\nimport sys\nsys.stdout = None\nsys.exit = None", "{}\nimport regard\nregard.exercise(4, causal_softmax)",
               "{}\nimport regard\ndel regard.attention_weights\nregard.attention = None",
               "{}\nif __name__ == '__main__':\n    exit()"]


@pytest.mark.parametrize("text, words", [*ENDS, *((text, "") for text in STILL_RIGHT)])
def test_a_file_that_ends_python_is_not_right(text, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(text.format(solution(4).rstrip()))
    command = [sys.executable, "-m", "regard.exercise", "4", "mine.py"]
    if "never end" in words:  # the minute is shorter
        command[1:3] = ["-c", "import runpy, subprocess; run = subprocess.run; "
                        "subprocess.run = lambda command, timeout: run(command, timeout=timeout / 30); "
                        "runpy.run_module('regard.exercise', run_name='__main__')"]
    done = subprocess.run(command, capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == (words != "") and (words or "Right. ") in said, said
    assert [*tmp_path.iterdir()] == [tmp_path / "mine.py"]


def test_the_sentences_in_the_readme(tmp_path):
    changes = [(3, " / np.sqrt(query.shape[1])", ""), (4, "-np.inf", "-9"), (9, "(np.exp(log_p) - q) / rows", "np.exp(log_p) - q")]
    sentences = [said(n, solution(n).replace(old, new), tmp_path)[1].split("\n")[0] for n, old, new in changes]
    readme = (HERE.parents[2] / "apps/exercises/README.md").read_text()
    numbers = r"\d[\d.e-]*"  # NumPy may draw other ones in another version
    assert re.sub(numbers, "#", "\n".join(re.findall(r"^Not yet: .*", readme, re.M))) == re.sub(numbers, "#", "\n".join(sentences))
