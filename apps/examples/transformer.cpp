// The whole Transformer in one file: "Attention Is All You Need" (Vaswani et al. 2017), from the plain
// operations of autograd/ops.h. Read it from top to bottom; equations and sections are those of the paper.
// The program, `transformer [STEPS [SEED]]`, learns to write words backwards and shows where it looks.
// The library computes the same without padding, and several times as fast: ONE_FILE.md says how.
//
// The axes of tensors have the same letters everywhere:
//   B   sentences of a batch                 d_model   width of a token's vector
//   n   tokens of a source, with padding     h         heads
//   m   tokens of a target, with padding     d_k       width of a head, d_model / h
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "autograd/autograd.h"

using namespace regard;

// ---- 1. Sentences become matrices of numbers --------------------------------------------------------------
using Sentences = std::vector<std::string>;  // a token is a character, and its number is the ASCII code
constexpr char padding = '_';                // <pad>
const std::string begin = "<", end = ">";    // <s> and </s>

/// Sentences, each between `before` and `after`, as a matrix [B, n]. Short ones are padded at their end.
struct Tokens {
  Tokens(const std::string& before, const Sentences& all, const std::string& after)
      : sentences(to_index(all.size())) {
    for (const std::string& s : all) length = std::max(length, to_index((before + s + after).size()));
    for (const std::string& s : all) {
      std::string row = before + s + after;
      row.resize(to_size(length), padding);
      ids.insert(ids.end(), row.begin(), row.end());
    }
  }
  Index sentences, length = 0;
  std::vector<std::int32_t> ids;
};

// ---- 2. Masks, which are added to the scores of attention -------------------------------------------------
constexpr Real hidden = -1e9;  // this query does not see this key: e^-1000000000 is 0

/// No query sees padding: [B, 1, 1, n], the same for all heads and all queries.
Tensor padding_mask(const Tokens& tokens) {
  const Tensor mask = Tensor::empty({tokens.sentences, 1, 1, tokens.length});
  for (Index i = 0; i < mask.size(); ++i) mask.data()[i] = tokens.ids[to_size(i)] == padding ? hidden : 0;
  return mask;
}

/// Query i sees the keys 0 … i: no token of a target sees the tokens after it (section 3.1). [m, m]
Tensor causal_mask(Index m) {
  const Tensor mask = Tensor::zeros({m, m});
  for (Index i = 0; i < m; ++i) std::fill_n(mask.data() + i * m + i + 1, m - i - 1, hidden);
  return mask;
}

// ---- 3. Parameters and small layers -----------------------------------------------------------------------
struct Settings {
  Index vocabulary = 128, d_model = 64, heads = 4, d_ff = 128, layers = 2;
  double dropout_rate = 0.1, label_smoothing = 0.1, factor = 0.25, warmup_steps = 200;
};

struct Parameter {
  Tensor value, m, v;  // m and v belong to Adam: averages of the gradient and of its square
};

struct Transformer : Settings {
  Random random;  // for new parameters, dropout and words
  std::map<std::string, Parameter> parameters = {};
  std::map<std::string, Tensor> attention_weights = {};  // of the last call, [B, h, m, n], to be looked at

  /// The parameter of this name. The first call makes it, uniform between mean - bound and mean + bound.
  Tensor parameter(const std::string& name, const Shape& shape, double mean, double bound) {
    if (!parameters.contains(name)) {
      Tensor value = Tensor::uniform(shape, mean - bound, mean + bound, random);
      parameters[name] = {value.set_requires_grad(), Tensor::zeros(shape), Tensor::zeros(shape)};
    }
    return parameters[name].value;
  }

  /// y = x W + b for x[…, in] and W[in, out], which starts as Glorot and Bengio 2010 say (eq. 16).
  Tensor linear(const Tensor& x, const std::string& name, Index out) {
    const Tensor w = parameter(name + ".weight", {x.size(-1), out}, 0, std::sqrt(6.0 / (x.size(-1) + out)));
    return matmul(x, w) + parameter(name + ".bias", {out}, 0, 0);
  }

  /// LayerNorm(x) = (x - mean) / sqrt(variance + 1e-5) g + b, for each token (Ba et al. 2016, eq. 4).
  Tensor layer_norm(const Tensor& x, const std::string& name) {
    const Tensor centred = x - mean(x, {.axes = {-1}, .keep_axes = true});
    const Tensor variance = mean(centred * centred, {.axes = {-1}, .keep_axes = true});
    const Tensor g = parameter(name + ".weight", {x.size(-1)}, 1, 0);
    return centred / sqrt(variance + 1e-5) * g + parameter(name + ".bias", {x.size(-1)}, 0, 0);
  }

  /// FFN(x) = max(0, x W1 + b1) W2 + b2                                                               (eq. 2)
  Tensor feed_forward(const Tensor& x, const std::string& name) {
    return linear(relu(linear(x, name + ".linear1", d_ff)), name + ".linear2", d_model);
  }

  /// In training, sets numbers to 0 with the probability p and multiplies the others by 1 / (1 - p)
  /// (section 5.4). Where no gradients are recorded, nothing is trained, and nothing is dropped.
  Tensor drop(const Tensor& x) {
    return grad_enabled() ? dropout(x, {static_cast<Real>(dropout_rate), random.bits()}) : x;
  }

  // ---- 4. Attention ---------------------------------------------------------------------------------------
  /// MultiHead(Q, K, V) = Concat(head_1, …, head_h) W^O
  ///             head_i = Attention(Q W_i^Q, K W_i^K, V W_i^V)                               (section 3.2.2)
  ///  Attention(Q, K, V) = softmax(Q K^T / sqrt(d_k)) V                                              (eq. 1)
  ///
  /// Each token of x[B, m, d_model] looks at the tokens of memory[B, n, d_model] that the mask does not hide.
  /// W^Q has the W_i^Q of all heads side by side: one product makes the queries of all heads.
  Tensor multi_head(const Tensor& x, const Tensor& memory, const Tensor& mask, const std::string& name) {
    const Index d_k = d_model / heads;
    const auto split = [&](const Tensor& y) {  // [B, n, d_model] -> [B, h, n, d_k]
      return transpose(reshape(y, {y.size(0), y.size(1), heads, d_k}), 1, 2);
    };
    const Tensor q = split(linear(x, name + ".query", d_model));  // [B, h, m, d_k]
    const Tensor k = split(linear(memory, name + ".key", d_model));
    const Tensor v = split(linear(memory, name + ".value", d_model));
    // A dot product of d_k random numbers has the variance d_k. Without the division, one weight would be
    // almost 1 and the others almost 0, and the softmax would have almost no gradient.
    const Tensor scores = matmul(q, transpose(k)) / std::sqrt(d_k);  // [B, h, m, n]
    const Tensor weights = softmax(scores + mask);
    attention_weights[name] = weights.detach();
    const Tensor attended = transpose(matmul(weights, v), 1, 2);  // [B, m, h, d_k]
    return linear(reshape(attended, x.shape()), name + ".out_proj", d_model);
  }

  // ---- 5. Encoder and decoder (sections 3.1, 3.4 and 3.5) -------------------------------------------------
  /// One matrix is the embedding of source and target, and the projection to the vocabulary (section 3.4).
  Tensor embedding_matrix() {
    return parameter("embedding", {vocabulary, d_model}, 0, std::sqrt(3.0 / d_model));
  }

  /// PE(pos, 2i) = sin(pos / 10000^(2i / d_model)),  PE(pos, 2i + 1) = cos of the same          (section 3.5)
  Tensor positional_encoding(Index length) {
    const Tensor table = Tensor::empty({length, d_model});
    for (Index i = 0; i < table.size(); ++i) {
      const Index pos = i / d_model, column = i % d_model, pair = column / 2;
      const double angle = pos / std::pow(10000, 2.0 * pair / d_model);
      table.data()[i] = column % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
    return table;
  }

  /// Embedding times sqrt(d_model), plus position: [B, n, d_model]
  Tensor embed(const Tokens& tokens) {
    const Tensor rows = embedding(embedding_matrix(), tokens.ids, std::sqrt(d_model));
    const Tensor x = reshape(rows, {tokens.sentences, tokens.length, d_model});
    return drop(x + positional_encoding(tokens.length));
  }

  /// The memory, which the decoder reads: [B, n, d_model]. Each sublayer of encoder and decoder is in
  /// LayerNorm(x + Dropout(Sublayer(x))).
  Tensor encode(const Tokens& source, const Tensor& source_mask) {
    Tensor x = embed(source);
    for (Index i = 0; i < layers; ++i) {
      const std::string name = "encoder.layers." + std::to_string(i);
      x = layer_norm(x + drop(multi_head(x, x, source_mask, name + ".self_attn")), name + ".norm1");
      x = layer_norm(x + drop(feed_forward(x, name)), name + ".norm2");
    }
    return x;
  }

  /// The logits of the token after each token of the target: [B, m, vocabulary]
  Tensor decode(const Tokens& target, const Tensor& memory, const Tensor& target_mask,
                const Tensor& source_mask) {
    Tensor x = embed(target);
    for (Index i = 0; i < layers; ++i) {
      const std::string name = "decoder.layers." + std::to_string(i);
      x = layer_norm(x + drop(multi_head(x, x, target_mask, name + ".self_attn")), name + ".norm1");
      x = layer_norm(x + drop(multi_head(x, memory, source_mask, name + ".multihead_attn")), name + ".norm2");
      x = layer_norm(x + drop(feed_forward(x, name)), name + ".norm3");
    }
    return matmul(x, transpose(embedding_matrix()));
  }

  Tensor logits(const Tokens& source, const Tokens& target) {
    const Tensor source_mask = padding_mask(source);
    const Tensor target_mask = padding_mask(target) + causal_mask(target.length);
    return decode(target, encode(source, source_mask), target_mask, source_mask);
  }
};

// ---- 6. Training ------------------------------------------------------------------------------------------
/// L = - sum_v q_v log p_v  with label smoothing,  q = (1 - e) onehot(target) + e / vocabulary (section 5.4):
/// the mean over the target's tokens, without padding.
Tensor cross_entropy(const Tensor& logits, const Tokens& targets, double e) {
  const Index vocabulary = logits.size(-1);
  const Tensor q = Tensor::zeros(logits.shape());  // stays 0 where there is padding
  Index tokens = 0;
  for (std::size_t i = 0; i < targets.ids.size(); ++i) {
    if (targets.ids[i] == padding) continue;
    Real* const row = q.data() + to_index(i) * vocabulary;
    std::fill_n(row, vocabulary, e / vocabulary);
    row[targets.ids[i]] += 1 - e;
    ++tokens;
  }
  return -sum(q * log_softmax(logits)) / tokens;
}

/// Adam (Kingma and Ba 2015, algorithm 1) with the constants of section 5.3. In step t,
/// lrate = factor d_model^-0.5 min(t^-0.5, t warmup_steps^-1.5). The factor is 1 in the paper.        (eq. 3)
void adam_step(Transformer& model, double t) {
  const double warmup = std::min(std::pow(t, -0.5), t * std::pow(model.warmup_steps, -1.5));
  const double rate = model.factor * std::pow(model.d_model, -0.5) * warmup;
  const double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;
  for (auto& [name, parameter] : model.parameters) {
    const auto x = parameter.value.values(), g = parameter.value.grad().values();
    const auto m = parameter.m.values(), v = parameter.v.values();
    for (std::size_t i = 0; i < x.size(); ++i) {
      m[i] = beta1 * m[i] + (1 - beta1) * g[i];
      v[i] = beta2 * v[i] + (1 - beta2) * g[i] * g[i];
      const double m_hat = m[i] / (1 - std::pow(beta1, t)), v_hat = v[i] / (1 - std::pow(beta2, t));
      x[i] -= rate * m_hat / (std::sqrt(v_hat) + epsilon);
    }
    parameter.value.values_changed();
    parameter.value.zero_grad();
  }
}

// ---- 7. Greedy decoding: the likeliest token after <s>, then the likeliest token after these two, … -------
Sentences translate(Transformer& model, const Sentences& sources) {
  const NoGrad no_grad;
  const Tokens source("", sources, end);
  const Tensor source_mask = padding_mask(source), memory = model.encode(source, source_mask);
  Sentences targets(sources.size());
  for (Index m = 1; m <= source.length; ++m) {
    const Tensor logits = model.decode(Tokens(begin, targets, ""), memory, causal_mask(m), source_mask);
    const std::vector<std::int32_t> next = argmax(slice(logits, 1, m - 1, m));
    for (std::size_t i = 0; i < targets.size(); ++i) targets[i] += static_cast<char>(next[i]);
  }
  for (std::string& target : targets) target = target.substr(0, target.find(end));
  return targets;
}

// ---- 8. The task ------------------------------------------------------------------------------------------
/// Random words of 4 to 10 letters.
Sentences random_words(std::size_t count, Random& random) {
  Sentences words(count);
  for (std::string& word : words) {
    word.resize(4 + random.below(7));
    for (char& letter : word) letter = static_cast<char>('a' + random.below(26));
  }
  return words;
}

std::string reversed(const std::string& word) { return {word.rbegin(), word.rend()}; }

/// The percentage of new words that the model reverses without a mistake.
double exact(Transformer& model, std::size_t count) {
  const Sentences words = random_words(count, model.random), found = translate(model, words);
  double right = 0;
  for (std::size_t i = 0; i < count; ++i) right += found[i] == reversed(words[i]);
  return 100 * right / count;
}

/// The last layer's attention to the memory: a row for each letter written, a column for each one looked at.
void print_attention(Transformer& model, const std::string& word) {
  const std::string target = translate(model, {word}).front();
  const NoGrad no_grad;
  model.logits(Tokens("", {word}, end), Tokens(begin, {target}, ""));
  const Tensor weights =
      mean(model.attention_weights.at("decoder.layers.1.multihead_attn"), {.axes = {0, 1}});
  const char* const shades[] = {"  ", "░░", "▒▒", "▓▓", "██"};
  for (const char letter : "\n " + word + end) std::cout << letter << ' ';
  for (Index i = 0; i < weights.size(0); ++i) {
    std::cout << '\n' << (target + end)[to_size(i)] << "  ";
    for (Index j = 0; j < weights.size(1); ++j)
      std::cout << shades[std::min(static_cast<int>(5 * weights.at({i, j})), 4)];
  }
  std::cout << '\n';
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 1250, seed = argc > 2 ? std::atoi(argv[2]) : 1;
  if (argc > 3 || steps < 1 || seed < 1) {
    std::cerr << "usage: transformer [STEPS [SEED]], two whole numbers from 1 on\n";
    return 1;
  }
  Transformer model{Settings{}, Random(seed)};
  for (int step = 1; step <= steps; ++step) {
    const Sentences sources = random_words(64, model.random);
    Sentences targets;
    for (const std::string& word : sources) targets.push_back(reversed(word));
    const Tensor logits = model.logits(Tokens("", sources, end), Tokens(begin, targets, ""));
    const Tensor loss = cross_entropy(logits, Tokens("", targets, end), model.label_smoothing);
    loss.backward();
    adam_step(model, step);
    if (step % 100 == 0) std::cout << "step " << step << "  loss " << loss.item() << std::endl;
  }
  std::cout << exact(model, 1000) << " % of 1000 new words are reversed without a mistake\n\n";
  for (const std::string word : {"stressed", "drawer", "palindrome", "attention"})
    std::cout << word << " -> " << translate(model, {word}).front() << '\n';
  print_attention(model, "attention");
  return 0;
}
