#include <algorithm>
#include <cmath>
#include <numeric>

#include "apps/experiments/measures/measures.h"
#include "autograd/graph.h"
#include "autograd/ops.h"
#include "nn/multi_head_attention.h"
#include "nn/sinusoidal_positions.h"

// Measures of the rows of an encoder, and of the positions that are added to them.

namespace regard::experiments {

namespace {

/// The greatest difference between the output for permuted words and the permuted output for the words.
void permuted_input(Trial& trial) {
  const NoGrad no_grad;
  constexpr Index count = 40;
  transformer::EncoderDecoder model = untrained(trial.job, count);
  std::vector<std::int32_t> words(count);
  std::iota(words.begin(), words.end(), transformer::first_word_id);
  const auto read = [&] {
    transformer::PackedSequences sequence;
    sequence.append(words);
    const transformer::Memory memory = model.encode(sequence);
    return trial.option("decoder", 0) > 0 ? model.decode(sequence, memory) : memory.rows;
  };
  const Tensor rows = read();
  SplitMix64 random(static_cast<std::uint64_t>(trial.job.seed));
  random.shuffle(words);
  const Tensor of_permuted = read();
  double worst = 0;
  for (Index i = 0; i < count; ++i)
    for (Index c = 0; c < rows.size(1); ++c)
      worst = std::max(
          worst, std::abs(static_cast<double>(of_permuted.at({i, c}) -
                                              rows.at({words[to_size(i)] - transformer::first_word_id, c}))));
  trial.measured["difference"] = {worst};
}

constexpr Index sinusoid_width = 64, sinusoid_positions = 200;

double dot_of_rows(const Tensor& table, Index s, Index t) {
  double sum = 0;
  for (Index i = 0; i < sinusoid_width; ++i)
    sum += static_cast<double>(table.at({s, i})) * static_cast<double>(table.at({t, i}));
  return sum;
}

/// The greatest difference between p(t + k) and the rotation of each pair of columns of p(t) by the angle
/// k / base^(2i/d), which depends on k alone.
double rotation_error(const Tensor& table, Index k) {
  double worst = 0;
  for (Index t = 0; t + k < sinusoid_positions; ++t)
    for (Index i = 0; i < sinusoid_width; i += 2) {
      const double angle = static_cast<double>(k) * std::pow(10000, -static_cast<double>(i) / sinusoid_width);
      const auto sine = static_cast<double>(table.at({t, i})),
                 cosine = static_cast<double>(table.at({t, i + 1}));
      worst = std::max({worst,
                        std::abs(sine * std::cos(angle) + cosine * std::sin(angle) -
                                 static_cast<double>(table.at({t + k, i}))),
                        std::abs(cosine * std::cos(angle) - sine * std::sin(angle) -
                                 static_cast<double>(table.at({t + k, i + 1})))});
    }
  return worst;
}

void sinusoids(Trial& trial) {
  nn::SinusoidalPositions encoding(sinusoid_width);
  std::vector<std::int32_t> positions(sinusoid_positions);
  std::iota(positions.begin(), positions.end(), 0);
  const Tensor table = encoding.encodings(positions);
  std::vector<double> products;
  double rotation = 0, diagonal = 0;
  for (Index k = 0; k < 100; ++k) {
    rotation = std::max(rotation, rotation_error(table, k));
    products.push_back(dot_of_rows(table, 0, k));
    for (Index s = 0; s + k < sinusoid_positions; ++s)
      diagonal = std::max(diagonal, std::abs(dot_of_rows(table, s, s + k) - products.back()));
  }
  trial.measured = {{"rotation", {rotation}}, {"diagonal", {diagonal}}, {"product", products}};
}

void wavelengths(Trial& trial) {
  const double base = trial.options("base").front();
  for (Index i = 0; i < 32; ++i)
    trial.measured["wavelength"].push_back(2 * std::acos(-1.0) * std::pow(base, static_cast<double>(i) / 32));
}

/// A head with relative positions looks at one offset, the more the larger its score is (Cordonnier et al.
/// 2020). Three heads and W^O then are a convolution of width 3: y_i = sum over o of W_o x_(i+o). Only the
/// first `in` columns of x are not 0, so that a head can carry all of them.
void heads_as_convolution(Trial& trial) {
  constexpr Index n = 20, in = 16, heads = 3, width = heads * in;
  const NoGrad no_grad;
  Random random(static_cast<std::uint64_t>(trial.job.seed));
  const bool relative = trial.option("relative", 0) > 0;
  nn::MultiHeadAttention attention(
      {.d_model = width,
       .heads = heads,
       .positions = {.kind = relative ? nn::PositionKind::relative : nn::PositionKind::none, .radius = 2},
       .variant = {.scaled = false}},
      random);
  Tensor x = Tensor::normal({n, width}, 0, 1, random);
  for (Index i = 0; i < n; ++i) std::fill_n(x.data() + i * width + in, width - in, Real{0});
  std::ranges::fill(attention.in_proj_weight.values(), Real{0});
  for (Index column = 0; column < width; ++column)  // the values of each head are the first columns of x
    attention.in_proj_weight.data()[(2 * width + column) * width + column % in] = 1;
  Tensor keys;  // of relative positions: a row for each offset
  for (const auto& [name, tensor] : attention.parameters())
    if (name == "relative_keys") keys = tensor;
  if (keys) std::ranges::fill(keys.values(), Real{0});
  for (const double score : trial.options("scores")) {
    // The query of head h is score * e_h, whatever x is, and the key of its offset, h - 1, is e_h.
    for (Index head = 0; head < heads; ++head) {
      attention.in_proj_bias.data()[head * in + head] = static_cast<Real>(score);
      if (keys) keys.data()[(head + 1) * in + head] = 1;
    }
    const Tensor y = attention.self(x, segments({0, n}, {0, n}), nn::MultiHeadAttention::Mask::none);
    double worst = 0;
    for (Index i = 1; i + 1 < n; ++i)  // at the ends, a convolution sees zeros, and a softmax cannot
      for (Index c = 0; c < width; ++c) {
        auto convolution = static_cast<double>(attention.out_proj.bias.data()[c]);
        for (Index k = 0; k < width; ++k)
          convolution += static_cast<double>(attention.out_proj.weight.at({c, k})) *
                         static_cast<double>(x.at({i + k / in - 1, k % in}));
        worst = std::max(worst, std::abs(convolution - static_cast<double>(y.at({i, c}))));
      }
    trial.measured["difference"].push_back(worst);
  }
}

}  // namespace

std::vector<Measure> measures_of_rows() {
  return {
      {"permuted_input", "difference",
       "of the permuted output and that of permuted words (decoder: 1 for its rows)", permuted_input,
       "decoder", Model::none},
      {"heads_as_convolution", "difference",
       "of three heads and a convolution, for each of scores (relative: 1 with positions)",
       heads_as_convolution, "scores relative", Model::none},
      {"sinusoids", "rotation diagonal product", "greatest differences; product by distance", sinusoids, "",
       Model::none},
      {"wavelengths", "wavelength", "of each pair of columns, for a base", wavelengths, "base", Model::none}};
}

}  // namespace regard::experiments
