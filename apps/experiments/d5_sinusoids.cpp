#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "apps/experiments/experiments.h"
#include "apps/experiments/results.h"
#include "nn/positional_encoding.h"

namespace regard::experiments {

namespace {

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

}  // namespace

Experiment sinusoids() {
  std::vector<double> distances(100);
  std::iota(distances.begin(), distances.end(), 0);
  return {
      .id = "D5",
      .claim = "p(t + k) is a linear map of p(t), and p(s) . p(t) depends on the distance t - s alone.",
      .source = "Vaswani et al. 2017, section 3.5",
      .published = "Stated without a proof.",
      .method =
          "The first 200 sinusoidal encodings of width 64. For each k below 100, the pairs of columns are "
          "turned by an angle that depends on k alone, and compared with p(t + k). Products p(s) . p(t) "
          "are compared along the diagonals.",
      .rule =
          "It holds if no turned encoding and no product on a diagonal differs by more than 0.0001 (they "
          "are computed in float).",
      .minutes = 0.1,
      .seeds = 1,
      .variants = {{"sinusoidal"}},
      .run =
          [](const Job&) {
            nn::SinusoidalPositionalEncoding encoding(sinusoid_width);
            std::vector<std::int32_t> positions(sinusoid_positions);
            std::iota(positions.begin(), positions.end(), 0);
            const Tensor table = encoding.of(positions);
            Measurements measured;
            double rotation = 0, diagonal = 0;
            for (Index k = 0; k < 100; ++k) {
              rotation = std::max(rotation, rotation_error(table, k));
              measured["product"].push_back(dot_of_rows(table, 0, k));
              for (Index s = 0; s + k < sinusoid_positions; ++s)
                diagonal =
                    std::max(diagonal, std::abs(dot_of_rows(table, s, s + k) - measured["product"].back()));
            }
            measured["rotation"] = {rotation};
            measured["diagonal"] = {diagonal};
            return measured;
          },
      .decide = [](const Results& results) -> Decision {
        const double rotation = results.mean("sinusoidal", "rotation");
        const double diagonal = results.mean("sinusoidal", "diagonal");
        return {rotation < 1e-4 && diagonal < 1e-4 ? Verdict::holds : Verdict::does_not_hold,
                fmt::format("The turned encodings differ from the true ones by at most {:.1e}, and products "
                            "of one distance from each other by at most {:.1e}.",
                            rotation, diagonal)};
      },
      .columns = {{"turned encodings differ by", "rotation", -1},
                  {"products on a diagonal differ by", "diagonal", -1}},
      .figures = {{.title = "Product by distance",
                   .measurement = "product",
                   .y_label = "p(s) . p(s + k)",
                   .x_label = "distance k",
                   .x = distances}}};
}

}  // namespace regard::experiments
