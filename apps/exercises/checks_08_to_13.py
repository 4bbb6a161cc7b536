"""The checks of the exercises 8 to 13: the road to attention, training, search. diagnosis.py says what each check has."""

import numpy as np

import regard

from .diagnosis import Exercise, slopes
from .checks_01_to_07 import T, softmax


class Exercise8(Exercise):
    sums = {"weights": (1, "the step shares 1 among the words")}
    next = "transformer/recurrent/recurrent_run.cpp has it in a decoder (context_first). Other scores: regard experiment C2."

    def cases(self, random):
        sizes = [(3, 5, 4, 6, 1), (2, 1, 3, 4, 1), (4, 4, 4, 4, 1), (3, 6, 2, 5, 1000)]
        return [(random.normal(size=n), random.normal(size=(m, k)), random.normal(size=(a, n)), random.normal(size=(a, k)),
                 scale * random.normal(size=a)) for n, m, k, a, scale in sizes]

    def right(self, s, h, W, U, v):
        ranges = regard.all_keys([(0, 1, 0, len(h))])
        query, key = regard.linear(T(s[None]), T(W)), regard.linear(T(h), T(U))
        weights = regard.range_softmax(regard.additive_scores(query, key, T(v), ranges), ranges)
        return weights.numpy(), regard.weighted_sum(weights, T(h), ranges).numpy()[0]

    def mistakes(self, s, h, W, U, v):
        inner = W @ s + h @ U.T
        score = np.tanh(inner) @ v
        weights = softmax(score)
        yield "weights", score, "these are the scores; the softmax is missing."
        yield "weights", softmax(inner @ v), (
            "tanh is missing; then v . W s is the same for all j, and s does not change the weights (regard experiment C3).")
        yield "weights", softmax(np.tanh(inner @ v)), "tanh comes before the product with v: v . tanh(W s + U h_j)."
        yield "weights", softmax(np.tanh(h @ U.T) @ v), "W s is missing, so the weights do not depend on the state s."
        yield "weights", softmax(np.tanh(inner).sum(-1)), "the product with v is missing."
        yield "weights", softmax(score / np.sqrt(len(v))), "this score has no 1/sqrt(d); the Transformer's has it."
        yield "context", h.mean(0), "this is the plain mean of the h_j; multiply each h_j by its weight."
        yield "context", score @ h, "the h_j are weighted with the scores; use the weights."
        yield "context", weights @ (h @ U.T), "the context is the mean of the h_j themselves, not of U h_j."
        yield "context", h[weights.argmax()], "this is one h_j (hard attention); take the weighted mean of all."


class Exercise9(Exercise):
    sums = {"dlogits": (0, "p and q both sum to 1")}
    next = "autograd/ops/cross_entropy.cpp has both, for a block of rows at a time. Does it help: regard experiment F2."
    overflow = "e^1000 and log 0 are infinite; use log p = x - max - log(sum of e^(x - max)), for each row x of logits."

    def cases(self, random):
        cases = [(random.normal(size=(n, v)), random.integers(v, size=n), epsilon)
                 for n, v, epsilon in ((4, 5, 0.1), (3, 3, 0.3), (1, 6, 0.1), (2, 4, 0.0))]
        return [*cases, (np.array([[1000.0, -1000, 0], [0, 0, 5]]), np.array([1, 2]), 0.1)]

    def right(self, logits, targets, epsilon):
        def loss(logits):
            return regard.cross_entropy(T(logits), targets, label_smoothing=epsilon).item()
        return loss(logits), slopes(loss, logits)

    def mistakes(self, logits, targets, epsilon):
        rows, words = logits.shape
        target, p = np.eye(words)[targets], softmax(logits)
        log_p, q = T(logits).log_softmax().numpy(), (1 - epsilon) * target + epsilon / words
        share = "all V words share epsilon, the target too: q = 1 - epsilon + epsilon / V for it, epsilon / V for others."
        for wrong, text in ((target, "the smoothing is missing: q is 1 for the target and 0 for all others."),
                            ((1 - epsilon) * target, "q must sum to 1; epsilon / V of each word is missing."),
                            ((1 - epsilon) * target + epsilon / (words - 1), "epsilon is divided by V, the number of all words."),
                            ((1 - epsilon) * target + epsilon / (words - 1) * (1 - target), share),
                            (np.where(target > 0, 1 - epsilon, epsilon / words), share),
                            ((1 - epsilon) * target + epsilon, "each word gets epsilon / V, not epsilon.")):
            yield "loss", -(wrong * log_p).sum() / rows, text
            yield "dlogits", (p - wrong) / rows, text
        yield "loss", -(q * log_p).sum(), "this is the sum over the rows; the loss is their mean."
        yield "loss", -(q * log_p).mean(), "you divide by the number of all logits; divide by the number of rows."
        yield "loss", (q * log_p).sum() / rows, "the sign is wrong: the loss is - sum of q log p."
        if rows > 1:
            yield "dlogits", p - q, "this gradient is that of the sum, not of the mean; divide by the number of rows."
        yield "dlogits", (q - p) / rows, "the sign is wrong: if the logit of a word with p below q grows, the loss falls."
        yield "dlogits", -q / rows, "p is missing: each logit is also in the sum below the softmax of all the words."


class Exercise10(Exercise):
    next = "nn/kernels/optimisers.cpp, adam_step, and nn/optimisers.cpp for the rate of a step: regard experiment F1."
    overflow = "v is 0 where all gradients were 0; epsilon is added to the root, so that nothing is divided by 0."

    def cases(self, random):
        def make(t, size=1.0):
            g = size * random.normal(size=5)
            m, v = (0 * g, 0 * g) if t == 1 else (0.5 * g + 0.1 * size, (0.7 * g) ** 2 + 0.1 * size ** 2)
            return random.normal(size=5), g, m, v, t, 0.1, 0.9, 0.98, 1e-9
        zero = np.zeros(3)
        return [make(3), make(1), make(1000), make(2, 1e-7), (np.ones(3), zero, zero, zero, 1, 0.1, 0.9, 0.98, 1e-9)]

    def right(self, w, g, m, v, t, rate, beta1, beta2, epsilon):
        m, v = beta1 * m + (1 - beta1) * g, beta2 * v + (1 - beta2) * g * g
        return w - rate * m / (1 - beta1 ** t) / (np.sqrt(v / (1 - beta2 ** t)) + epsilon), m, v

    def mistakes(self, w, g, m, v, t, rate, beta1, beta2, epsilon):
        right, new_m, new_v = self.right(w, g, m, v, t, rate, beta1, beta2, epsilon)
        m_hat, v_hat = new_m / (1 - beta1 ** t), new_v / (1 - beta2 ** t)
        root = np.sqrt(v_hat) + epsilon
        for step, text in (
                (rate * (right - w) / rate, "the sign is wrong: w moves against the gradient, w - rate ..."),
                (rate * new_m / (np.sqrt(new_v) + epsilon), "m and v begin with 0: divide by 1 - beta1^t and 1 - beta2^t."),
                (rate * new_m / root, "m is not corrected: divide it by 1 - beta1^t."),
                (rate * m_hat / (np.sqrt(new_v) + epsilon), "v is not corrected: divide it by 1 - beta2^t."),
                (rate * m_hat / (v_hat + epsilon), "the root of v_hat is missing."),
                (rate * m_hat / np.sqrt(v_hat), "epsilon is missing: without it, 0 is divided by 0 where all gradients were 0."),
                (rate * m_hat / np.sqrt(v_hat + epsilon), "epsilon is added to the root, not inside it."),
                (rate * g / root, "the step goes along g; it goes along m_hat, the mean of the last gradients.")):
            yield "new_w", w - step, text
        for name, old, hat, new, beta, beta_name in (("new_m", m, m_hat, g, beta1, "beta1"),
                                                     ("new_v", v, v_hat, g * g, beta2, "beta2")):
            yield name, hat, f"this is the corrected one; the next step needs {name} itself."
            yield name, beta * old + new, f"the new part has the factor 1 - {beta_name}."
            yield name, (1 - beta) * old + beta * new, f"{beta_name} and 1 - {beta_name} are exchanged: the old part has {beta_name}."
        yield "new_v", beta2 * v + (1 - beta2) * g, "v is the mean of the squares: g^2, not g."


class Exercise11(Exercise):
    next = "transformer/search/search.cpp does it for all sentences and ends at </s>. Large beams: regard experiment G1; the list: G3."
    overflow = "a word that cannot come has the log-probability -inf; add it as it is."

    def cases(self, random):
        cases = [(-3 * random.random(live), np.log(softmax(2 * random.normal(size=(live, words)))), beam)
                 for live, words, beam in ((3, 6, 4), (1, 5, 3), (4, 5, 4), (2, 2, 8))]
        scores, log_p, _ = cases[2]
        return [*cases, (scores, np.where(log_p < -2, -np.inf, log_p), 2)]

    def right(self, scores, log_probabilities, beam):
        total = scores[:, None] + log_probabilities
        best = regard.largest_logits(T(total.reshape(1, -1)), min(beam, total.size))
        return best.positions[0] // total.shape[1], best.positions[0] % total.shape[1], best.logits[0]

    def mistakes(self, scores, log_probabilities, beam):
        live, words = log_probabilities.shape

        def best(total, count=beam):
            return np.argsort(-total, axis=None)[:count]
        total = scores[:, None] + log_probabilities
        order, one_each = best(total), total.argmax(-1) + words * np.arange(live)
        exchanged = "parent and token are exchanged: place // V is the parent, place % V the token."
        yield "parents", order % words, exchanged
        yield "parents", order, "these are places in the whole matrix: place // V is the parent, place % V the token."
        for places, text in (
                (best(log_probabilities), "the score so far is forgotten; add scores[parent] before you choose."),
                (best(scores[:, None] * log_probabilities), "the scores are multiplied; logarithms of probabilities are added."),
                (best(scores[:, None] + np.exp(log_probabilities)), "you add a probability to a logarithm; add its logarithm."),
                (best(-total), "these are the worst candidates; the largest scores are the best."),
                (order[::-1], "these are the right candidates, but the worst is first; put the best first."),
                (one_each, "each hypothesis goes on with one word (greedy); the candidates of all of them compete."),
                (one_each[np.argsort(-total.ravel()[one_each])],
                 "each hypothesis goes on with one word (greedy); the candidates of all of them compete.")):
            yield "parents", places // words, text
            yield "tokens", places % words, text
        yield "tokens", order // words, exchanged
        yield "new_scores", log_probabilities.ravel()[order], "the score so far is missing: add scores[parent]."
        yield "new_scores", np.exp(total.ravel()[order]), "these are probabilities; return the sums of logarithms."


class Exercise12(Exercise):
    next = "nn/attention.cpp has all windows, autograd/kernels/segments.cpp their edges. What they save: regard experiment C4."

    def cases(self, random):
        sizes = ((3, 9, 2, 3), (4, 12, 3, 1), (1, 1, 2, 1), (2, 8, 1, 900))
        return [(scale * random.normal(size=(n, m)), random.random(n) * (m - 1), D) for n, m, D, scale in sizes] + [
            (random.normal(size=(2, 7)), np.array([0.0, 6.0]), 2)]

    def right(self, score, centre, D):
        ranges = regard.keys_near([(0, len(score), 0, score.shape[1])], centre, D)
        rows = np.repeat(np.arange(ranges.queries), np.diff(ranges.offsets))
        columns = np.array(ranges.first)[rows] + np.arange(ranges.pairs) - np.array(ranges.offsets)[rows]
        weights = np.zeros_like(score)
        softmax = regard.range_softmax(T(score[rows, columns]), ranges)
        weights[rows, columns] = regard.gaussian_weights(softmax, T(centre[:, None]), D / 2, ranges).numpy()
        return weights,

    def mistakes(self, score, centre, D):
        distance = np.arange(score.shape[1]) - centre[:, None]
        inside, bell = np.abs(distance) <= D, np.exp(-distance ** 2 / (2 * (D / 2) ** 2))

        def window(inside, score=score):
            return softmax(np.where(inside, score, -np.inf))
        right = window(inside) * bell
        before = "the Gaussian multiplies the weights, after the softmax, not the scores before it."
        for weights, text in (
                (softmax(score), "there is no window: query 0 sees all keys."),
                (softmax(score) * bell, "there is no window: keys far from the centre still have a weight."),
                (np.where(inside, softmax(score) * bell, 0), "the softmax goes over all keys; it goes over those of the window."),
                (window(inside), "the Gaussian is missing: this is the window alone."),
                (right / right.sum(-1, keepdims=True), "you divide by the sum once more; the weights may sum to less than 1."),
                (window(inside) * bell ** 0.25, "sigma is D/2, not D."),
                (window(inside) * bell ** 2, "the 2 before sigma^2 is missing: the exponent is -(j - p)^2 / (2 sigma^2)."),
                (window(inside, score * bell), before), (window(inside, score + np.log(bell)), before),
                (window(np.abs(distance) < D) * bell, "a key at the distance D is in the window: |j - p| <= D."),
                (window(np.abs(distance) <= D / 2) * bell, "the window reaches D to each side of the centre, not D/2.")):
            yield "weights", weights, text

    def properties(self, results, score, centre, D):
        weights, distance = results["weights"], np.abs(np.arange(score.shape[1]) - centre[:, None])
        for query, key in np.argwhere((weights != 0) & (distance > D)):
            yield (f"query {query} sees key {key}, at the distance {distance[query, key]:.3g} from its centre "
                   f"{centre[query]:.3g}, but the window ends at {D}.")


class Exercise13(Exercise):
    next = "transformer/recurrent/attention_terms.cpp, HardAttention::term. How noisy it is: regard experiment B4."

    def cases(self, random):
        def make(words, samples, baseline):
            return random.normal(size=words), random.integers(words, size=samples), random.normal(size=samples), baseline
        exact = np.log([0.5, 0.25, 0.25]), np.array([0, 0, 1, 2]), np.array([1.0, 1.0, 4.0, -2.0]), 0.7
        return [make(4, 6, 0.4), make(3, 1, 0.0), exact, (np.array([1000.0, 0, -1000]), np.array([0, 1]), np.ones(2), 0.5)]

    def right(self, logits, samples, rewards, baseline):
        def gain(logits):
            return ((rewards - baseline) * T(logits).log_softmax().numpy()[samples]).mean()
        return slopes(gain, logits),

    def mistakes(self, logits, samples, rewards, baseline):
        p, chosen, gain = softmax(logits), np.eye(len(logits))[samples], (rewards - baseline)[:, None]
        right = gain * (chosen - p)
        if len(samples) > 1:
            yield "dlogits", right.sum(0), "this gradient is that of the sum, not of the mean; divide by the number of samples."
        yield "dlogits", -right.mean(0), "the sign is wrong: a sample with a high reward must become more likely."
        yield "dlogits", (rewards[:, None] * (chosen - p)).mean(0), "the baseline is missing: use r - b."
        yield "dlogits", (gain * chosen).mean(0), "p is missing: all logits are in the sum of the softmax; it is one_hot(a) - p."
        yield "dlogits", (right * p[samples][:, None]).mean(0), (
            "this is the slope of p(a); samples come with probability p already, so take the slope of log p(a).")
        yield "dlogits", (gain * chosen / p).mean(0), "this is the slope with respect to p; go on to the logits: one_hot(a) - p."
