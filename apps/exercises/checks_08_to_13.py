"""The checks of the exercises 8 to 13: the road to attention, training, search. diagnosis.py says what a case has."""

import numpy as np

import regard

from .checks_01_to_07 import T, softmax
from .diagnosis import Case, exercise, slopes


@exercise(next="transformer/recurrent/recurrent_run.cpp, a decoder with it. Other scores: `regard experiment C2`.",
          sums={"weights": (1, "the step shares 1 among the words")})
def exercise_8(random):
    for n, m, k, a, scale in (3, 5, 4, 6, 1), (2, 1, 3, 4, 1), (4, 4, 4, 4, 1), (3, 6, 2, 5, 1000):
        s, h, W, U = (random.normal(size=size) for size in (n, (m, k), (a, n), (a, k)))
        v, ranges = scale * random.normal(size=a), regard.all_keys([(0, 1, 0, m)])
        scores = regard.additive_scores(regard.linear(T(s[None]), T(W)), regard.linear(T(h), T(U)), T(v), ranges)
        weights = regard.range_softmax(scores, ranges).numpy()
        inner = W @ s + h @ U.T
        e = np.tanh(inner) @ v
        yield Case((s, h, W, U, v), (weights, weights @ h), [
            ("weights", e, "these are the scores; the softmax is missing."),
            ("weights", softmax(inner @ v), "tanh is missing; without it, s changes no weight (regard experiment C3)."),
            ("weights", softmax(np.tanh(inner @ v)), "tanh comes before the product with v: v . tanh(W s + U h_j)."),
            ("weights", softmax(np.tanh(h @ U.T) @ v), "W s is missing, so the weights do not depend on the state s."),
            ("context", h.mean(0), "this is the plain mean of the h_j; multiply each h_j by its weight."),
            ("context", e @ h, "the h_j are weighted with the scores; use the weights."),
            ("context", weights @ (h @ U.T), "the context is the mean of the h_j themselves, not of U h_j."),
            ("context", h[weights.argmax()], "this is one h_j (hard attention); take the weighted mean of all.")])


@exercise(next="autograd/ops/cross_entropy.cpp, for blocks of rows. Does smoothing help: `regard experiment F2`.",
          sums={"dlogits": (0, "p and q both sum to 1")},
          overflow="e^1000 and log 0 are infinite; log p = x - max - log(sum of e^(x - max)) for each row x of logits.")
def exercise_9(random):
    for rows, V, epsilon, scale in (4, 5, 0.1, 1), (3, 3, 0.3, 1), (1, 6, 0.1, 1), (2, 4, 0.0, 1), (3, 4, 0.1, 1000):
        logits, targets = scale * random.normal(size=(rows, V)), random.integers(V, size=rows)

        def loss(logits):
            return regard.cross_entropy(T(logits), targets, label_smoothing=epsilon).item()
        target, p, log_p = np.eye(V)[targets], softmax(logits), T(logits).log_softmax().numpy()
        q = (1 - epsilon) * target + epsilon / V
        mistakes = [
            ("loss", -(q * log_p).sum(), "this is the sum over the rows; the loss is their mean."),
            ("loss", (q * log_p).sum() / rows, "the sign is wrong: the loss is - sum of q log p."),
            ("dlogits", p - q, "this gradient is that of the sum, not of the mean; divide by the number of rows."),
            ("dlogits", (q - p) / rows, "the sign is wrong: if the logit of a word with p < q grows, the loss falls.")]
        share = "all V words share epsilon, the target too: it has q = 1 - epsilon + epsilon / V, others epsilon / V."
        for wrong, text in ((target, "the smoothing is missing: q is 1 for the target and 0 for all others."),
                            ((1 - epsilon) * target, "q must sum to 1; epsilon / V of each word is missing."),
                            ((1 - epsilon) * target + epsilon / (V - 1) * (1 - target), share),
                            (np.where(target > 0, 1 - epsilon, epsilon / V), share)):
            mistakes += [("loss", -(wrong * log_p).sum() / rows, text), ("dlogits", (p - wrong) / rows, text)]
        yield Case((logits, targets, epsilon), (loss(logits), slopes(loss, logits)), mistakes)


@exercise(next="nn/kernels/optimisers.cpp. The rate of each step, nn/optimisers.cpp: `regard experiment F1`.",
          overflow="is each 1 - beta^t above 0 (a power, beta**t)? And epsilon is added to the root, against 0/0.")
def exercise_10(random):
    rate, beta1, beta2, epsilon = 0.1, 0.9, 0.98, 1e-9
    for t, size in (3, 1), (1, 1), (1000, 1), (2, 1e-7), (1, 0):
        w, g, m, v = random.normal(size=(4, 5)) * np.array([[1], [size], [size * (t > 1)], [0]])
        v += (t > 1) * (g * g + size * size) / 2
        new_m, new_v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        m_hat, v_hat = new_m / (1 - beta1 ** t), new_v / (1 - beta2 ** t)
        root = np.sqrt(v_hat) + epsilon
        mistakes = [("new_w", w - rate * step, text) for step, text in (
            (-m_hat / root, "the sign is wrong: w moves against the gradient, w - rate ..."),
            (new_m / (np.sqrt(new_v) + epsilon), "m and v begin with 0: divide by 1 - beta1^t and 1 - beta2^t."),
            (new_m / root, "m is not corrected: divide it by 1 - beta1^t."),
            (m_hat / (np.sqrt(new_v) + epsilon), "v is not corrected: divide it by 1 - beta2^t."),
            (m_hat / (v_hat + epsilon), "the root of v_hat is missing."),
            (m_hat / np.sqrt(v_hat), "epsilon is missing: without it, 0 is divided by 0 where all gradients were 0."),
            (m_hat / np.sqrt(v_hat + epsilon), "epsilon is added to the root, not inside it."))]
        for name, old, hat, new, beta in ("m", m, m_hat, g, beta1), ("v", v, v_hat, g * g, beta2):
            mistakes += [(f"new_{name}", hat, f"this is {name}_hat; the next step needs {name} itself."),
                         (f"new_{name}", beta * old + new, f"the new part of {name} has the factor 1 - beta.")]
        mistakes.append(("new_v", beta2 * v + (1 - beta2) * g, "v is the mean of the squares: g^2, not g."))
        x = T(w)
        adam = regard.optim.Adam([x], rate, (beta1, beta2), epsilon)
        state = adam.state[x] = {"step": t - 1, "exp_avg": T(m), "exp_avg_sq": T(v)}
        adam.update(x, T(g), state, adam.param_groups[0])
        right = x.numpy(), state["exp_avg"].numpy(), state["exp_avg_sq"].numpy()
        yield Case((w, g, m, v, t, rate, beta1, beta2, epsilon), right, mistakes)


@exercise(next="transformer/search/search.cpp, for many sentences. Larger beams: `regard experiment G1`.",
          overflow="a word that cannot come has the log-probability -inf; add it as it is.")
def exercise_11(random):
    def best(score, count):
        return np.argsort(-score, axis=None)[:count]
    for live, V, beam, least in (3, 6, 4, -99), (1, 5, 3, -99), (4, 5, 4, -99), (2, 2, 8, -99), (3, 5, 2, -2):
        scores, log_p = -3 * random.random(live), np.log(softmax(2 * random.normal(size=(live, V))))
        log_p[log_p < least] = -np.inf
        total = scores[:, None] + log_p
        found = regard.largest_logits(T(total.reshape(1, -1)), min(beam, total.size))
        places, each = found.positions[0], total.argmax(-1) + V * np.arange(live)
        greedy = "each hypothesis goes on with one word (greedy); the candidates of all of them compete."
        mistakes = [("new_scores", log_p.ravel()[places], "the score so far is missing: add scores[parent]."),
                    ("new_scores", np.exp(found.logits[0]), "these are probabilities; return the sums of logarithms.")]
        for other, text in (
                (best(log_p, beam), "the score so far is forgotten; add scores[parent] before you choose."),
                (best(scores[:, None] * log_p, beam), "the scores are multiplied; logarithms are added."),
                (best(scores[:, None] + np.exp(log_p), beam), "you add a probability; add its logarithm."),
                (best(-total, beam), "these are the worst candidates; the largest scores are the best."),
                (places[::-1], "these are the right candidates, but the worst is first; put the best first."),
                (each, greedy), (each[best(total.max(-1), live)], greedy)):
            mistakes += [("parents", other // V, text), ("tokens", other % V, text)]
        yield Case((scores, log_p, beam), (places // V, places % V, found.logits[0]), mistakes)


@exercise(next="nn/general_attention/attention.cpp; the edges: nn/general_attention/keys_near.cpp. Is it enough: `regard experiment C4`.")
def exercise_12(random):
    for n, m, D, scale in (3, 9, 2, 3), (4, 12, 3, 1), (1, 1, 2, 1), (2, 8, 1, 900), (2, 7, 2, 1):
        score, centre = scale * random.normal(size=(n, m)), random.random(n) * (m - 1)
        centre = np.round(centre) if (m, D) == (7, 2) else centre
        distance = np.arange(m) - centre[:, None]
        inside, bell = np.abs(distance) <= D, np.exp(-distance ** 2 / (2 * (D / 2) ** 2))
        ranges, right = regard.keys_near([(0, n, 0, m)], centre, D), np.zeros((n, m))
        weights = regard.range_softmax(T(score[inside]), ranges)
        right[inside] = regard.gaussian_weights(weights, T(centre[:, None]), D / 2, ranges).numpy()

        def window(inside, score=score):
            return softmax(np.where(inside, score, -np.inf))
        before = "the Gaussian multiplies the weights, after the softmax, not the scores before it."
        yield Case((score, centre, D), (right,), [("weights", weights, text) for weights, text in (
            (softmax(score), "there is no window: query 0 sees all keys."),
            (np.where(inside, softmax(score) * bell, 0), "the softmax goes over the keys of the window alone."),
            (window(inside), "the Gaussian is missing: this is the window alone."),
            (right / right.sum(-1, keepdims=True), "you divide by the sum again; the weights may sum to less than 1."),
            (window(inside) * bell ** 0.25, "sigma is D/2, not D."),
            (window(inside) * bell ** 2, "the 2 before sigma^2 is missing: the exponent is -(j - p)^2 / (2 sigma^2)."),
            (window(inside, score * bell), before), (window(inside, score + np.log(bell)), before),
            (window(np.abs(distance) < D) * bell, "a key at the distance D is in the window: |j - p| <= D."),
            (window(np.abs(distance) <= D / 2) * bell, "the window reaches D to each side of the centre, not D/2."))],
            hidden=~inside, why=f"which is farther than {D} from its centre")


@exercise(next="transformer/recurrent/attention_terms.cpp. How noisy the estimate is: `regard experiment B4`.")
def exercise_13(random):
    # In the third case the samples come exactly as often as p says, so the estimate is the true gradient.
    for logits, samples, rewards, b in (
            (random.normal(size=4), random.integers(4, size=6), random.normal(size=6), 0.4),
            (random.normal(size=3), np.array([1]), np.array([2.0]), 0.0),
            (np.log([0.5, 0.25, 0.25]), np.array([0, 0, 1, 2]), np.array([1, 1, 4, -2]), 0.7),
            (np.array([1000.0, 0, -1000]), np.array([0, 1]), np.array([1.0, 3]), 0.5)):
        def gain(logits):
            return ((rewards - b) * T(logits).log_softmax().numpy()[samples]).mean()
        p, chosen, r_b = softmax(logits), np.eye(len(logits))[samples], (rewards - b)[:, None]
        right = r_b * (chosen - p)
        yield Case((logits, samples, rewards, b), (slopes(gain, logits),), [("dlogits", x.mean(0), s) for x, s in (
            (right * len(samples), "this gradient is that of the sum, not of the mean; divide by their number."),
            (-right, "the sign is wrong: a sample with a high reward must become more likely."),
            (rewards[:, None] * (chosen - p), "the baseline is missing: use r - b."),
            (r_b * chosen, "p is missing: all logits are in the sum of the softmax; it is one_hot(a) - p."),
            (right * p[samples][:, None], "this is the slope of p(a); samples come with p already: take log p(a)."))])
