#include "apps/exercises/in_cpp/checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <iostream>
#include <numeric>
#include <string>
#include <utility>

#include "autograd/machine/error.h"
#include "autograd/ops.h"
#include "autograd/ops/attention.h"
#include "nn/positional_encoding.h"

// The right values are the library's, in double precision. The right gradients are central differences.

using namespace regard;

Matrix::Matrix(int row_count, int column_count)
    : rows(row_count), columns(column_count), numbers(to_size(row_count) * to_size(column_count)) {}

std::size_t Matrix::index(int i, int j) const {
  if (i < 0 || i >= rows || j < 0 || j >= columns)
    fail("your function uses the entry ({}, {}) of a matrix of shape [{}, {}].", i, j, rows, columns);
  return to_size(i) * to_size(columns) + to_size(j);
}

void not_filled_in() { fail("it is not filled in; write your code in place of not_filled_in()."); }

namespace {

/// What a typical mistake gives, and a sentence about it.
using Mistake = std::pair<Tensor, std::string>;

Matrix matrix(const Tensor& x) {
  Matrix result(static_cast<int>(x.size(0)), static_cast<int>(x.size(1)));
  std::ranges::copy(x.values(), result.numbers.begin());
  return result;
}

/// dloss/dx by central differences; loss() reads x.
Tensor slopes(const Tensor& x, const std::function<Tensor()>& loss) {
  const Tensor result = Tensor::empty(x.shape());
  for (Index i = 0; i < x.size(); ++i) {
    const double middle = x.data()[i], step = 1e-5;
    const auto at = [&](double value) { return x.data()[i] = value, loss().item(); };
    result.data()[i] = (at(middle + step) - at(middle - step)) / (2 * step);
    x.data()[i] = middle;
  }
  return result;
}

/// The first entry that differs by more than rounding, or the size.
std::size_t difference(const std::vector<double>& got, const Tensor& right) {
  double largest = 0;
  for (const double x : right.values()) largest = std::max(largest, std::isfinite(x) ? std::abs(x) : 0);
  const auto close = [&](double x, double y) { return std::abs(x - y) <= 1e-8 + 1e-6 * largest; };
  return to_size(std::ranges::mismatch(got, right.values(), close).in1 - got.begin());
}

constexpr double any = 2;

/// Throws a sentence about a result that is not right. Each row must sum to `sum`, 0, 1 or any.
void expect(const std::string& name, const Matrix& got, const Tensor& right, double sum,
            const std::vector<Mistake>& mistakes) {
  const Matrix shape = matrix(right);
  if (got.rows != shape.rows || got.columns != shape.columns)
    fail("{} must have the shape [{}, {}], but has the shape [{}, {}].", name, shape.rows, shape.columns,
         got.rows, got.columns);
  const std::size_t i = difference(got.numbers, right);
  if (i == got.numbers.size()) return;
  const std::size_t row = i / to_size(got.columns), column = i % to_size(got.columns);
  const std::string entry = got.numbers.size() == 1 ? name : fmt::format("{}({}, {})", name, row, column);
  const std::string place =
      fmt::format("{} is {:.6g}, but should be {:.6g}", entry, got.numbers[i], right.data()[i]);
  for (const auto& [value, sentence] : mistakes)
    if (difference(got.numbers, value) == got.numbers.size()) fail("{}: {}", place, sentence);
  const auto begin = got.numbers.begin() + static_cast<std::ptrdiff_t>(row) * got.columns;
  const double total = std::accumulate(begin, begin + got.columns, 0.0);
  if (!std::isfinite(total))
    fail("{}: e^1000 is infinite; from each row, subtract its largest number (or use std::tanh).", place);
  if (sum != any && std::abs(total - sum) > 1e-6)
    fail("row {} of {} sums to {:.6g}, but must sum to {}.", row, name, total, sum);
  fail("{}.", place);
}

/// Makes a matrix of random numbers, [rows, columns].
using Normal = std::function<Tensor(Index, Index)>;

bool complete = false;  ///< the check; a function that std::atexit calls can read only such a variable

int run(const std::string& next, const std::function<void(const Normal&)>& all_cases) try {
  std::atexit([] {
    if (complete) return;
    std::cout << "Not yet: your function ends the program, for instance with exit().\n" << std::flush;
    std::_Exit(1);
  });
  Random random(1);
  all_cases([&](Index rows, Index columns) { return Tensor::normal({rows, columns}, 0, 1, random); });
  complete = true;
  std::cout << "Right. Now look at " << next << ", which does the same.\n";
  return 0;
} catch (const std::exception& error) {
  complete = true;
  std::cout << "Not yet: " << error.what() << "\n";
  return 1;
}

}  // namespace

int check_1(NeuronGradients (*backward)(double, double, double, double)) {
  return run("autograd/graph.cpp", [&](const Normal& normal) {
    for (const double scale : {1, 1, 1, 900}) {
      const Tensor tw = normal(1, 1), tx = normal(1, 1) * scale, tb = normal(1, 1);
      const double w = tw.item(), x = tx.item(), b = tb.item(), t = normal(1, 1).item();
      const double y = std::tanh(w * x + b), dy = 2 * (y - t), dz = dy * (1 - y * y);
      const auto number = [](double value) { return Tensor::full({1, 1}, value); };
      const auto loss = [&] { return pow(tanh(tw * tx + tb) - t, 2); };
      const NeuronGradients got = backward(w, x, b, t);
      expect("loss", matrix(number(got.loss)), loss(), any,
             {{number(y - t), "the loss is the square of y - t."}});
      for (const auto& [name, found, input, last, other] :
           {std::tuple{"dw", got.dw, tw, x, w}, {"dx", got.dx, tx, w, x}, {"db", got.db, tb, 1.0, b}})
        expect(name, matrix(number(found)), slopes(input, loss), any,
               {{number(dy * last), "the slope of tanh is missing: dL/dz = dL/dy (1 - y^2)."},
                {number(dz / 2 * last), "the 2 is missing: the slope of the square (y - t)^2 is 2 (y - t)."},
                {number(-dz * last), "the sign is wrong: the slope of the square (y - t)^2 is 2 (y - t)."},
                {number(dz * other), "the last factor: how much does z = w x + b grow with this number?"}});
    }
  });
}

int check_2(SoftmaxGradients (*softmax_backward)(const Matrix&, const Matrix&)) {
  return run("autograd/kernels/softmax.cpp", [&](const Normal& normal) {
    for (const auto& [r, c, scale] : {std::tuple<Index, Index, double>{4, 5, 1}, {1, 1, 1}, {2, 3, 1000}}) {
      const Tensor x = normal(r, c) * scale, dy = normal(r, c), y = softmax(x);
      const SoftmaxGradients got = softmax_backward(matrix(x), matrix(dy));
      expect("y", got.y, y, 1, {{exp(x), "the exponentials must be divided by their sum over the row."}});
      expect("dx", got.dx, slopes(x, [&] { return sum(softmax(x) * dy); }), 0,
             {{y * dy - y * y * dy, "x_i also changes the other y_j of its row, by -y_i y_j."},
              {y * dy, "x_i is also in the sum below the fraction of every y_j of its row."},
              {y * (dy - sum(dy, {{1}, true})), "in the sum over j, each dy_j has the factor y_j."}});
    }
  });
}

int check_3(Attention (*attention)(const Matrix&, const Matrix&, const Matrix&)) {
  return run("autograd/reference/attention.cpp", [&](const Normal& normal) {
    for (const auto& [n, m, scale] : {std::tuple<Index, Index, double>{4, 5, 1}, {1, 1, 1}, {3, 3, 1000}}) {
      const Tensor query = normal(n, 6) * scale, key = normal(m, 6), value = normal(m, 3);
      const Tensor dots = matmul(query, transpose(key));
      const Tensor weights = attention_weights(query, key, {{0, n, 0, m}}, {}).front().view({n, m});
      const Attention got = attention(matrix(query), matrix(key), matrix(value));
      expect("weights", got.weights, weights, 1,
             {{softmax(dots), "the scores are not divided by sqrt(d_k)."},
              {softmax(dots / 6), "the scores are divided by d_k; divide them by its root, sqrt(d_k)."}});
      expect("out", got.out, matmul(weights, value), any,
             {{matmul(dots / std::sqrt(6.0), value),
               "use the weights for the mean of the values, not the scores."}});
    }
  });
}

int check_4(Matrix (*causal_softmax)(const Matrix&)) {
  return run("autograd/kernels/attention_block.h", [&](const Normal& normal) {
    for (const auto& [n, scale] : {std::pair<Index, double>{4, 1}, {1, 1}, {5, 1000}}) {
      const Tensor score = normal(n, n) * scale, one = Tensor::zeros({n, n}), seen = one.clone();
      for (Index i = 0; i < n * n; ++i) {
        one.data()[i] = i / n == i % n ? 1 : 0;
        seen.data()[i] = i / n >= i % n ? 1 : 0;
      }
      const Matrix got = causal_softmax(matrix(score));
      const auto right = attention_weights(score, one, {{0, n, 0, n}}, {.causal = true, .scale = 1});
      expect("weights", got, right.front().view({n, n}), 1,
             {{softmax(score), "there is no mask yet: query 0 sees key 1, which comes later."},
              {softmax(score) * seen, "the sum of the softmax has hidden scores, so rows do not sum to 1."},
              {softmax(score * seen), "a hidden score is 0, and e^0 is 1, not 0; leave it out of the sum."}});
      for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j)
          if (got(i, j) != 0) fail("query {} sees key {}, which comes later: its weight must be 0.", i, j);
    }
  });
}

int check_5(Matrix (*multi_head)(const Matrix&, const Matrix&, const Matrix&, int)) {
  return run("nn/multi_head_attention.cpp", [&](const Normal& normal) {
    for (const auto& [n, m, d, heads] : {std::array{3, 5, 6, 2}, {2, 4, 6, 1}, {1, 1, 4, 4}, {4, 4, 12, 3}}) {
      const Tensor query = normal(n, d), key = normal(m, d), value = normal(m, d);
      const auto attend = [&, s = Segments{{0, n, 0, m}}](Index of, double width) {
        return attention(query, key, value, s, {.heads = of, .scale = 1 / std::sqrt(width)});
      };
      expect("out", multi_head(matrix(query), matrix(key), matrix(value), heads), attend(heads, d / heads),
             any,
             {{attend(1, d), "this is one head of the full width; cut the columns into heads first."},
              {attend(heads, d), "the scores are divided by sqrt(d); a head is only d_k = d / heads wide."}});
    }
  });
}

int check_6(Matrix (*positions)(int, int)) {
  return run("nn/positional_encoding.cpp", [&](const Normal&) {
    for (const auto& [n, d] : {std::pair{5, 8}, {1, 4}, {60, 2}, {3, 512}}) {
      const auto table = [rows = n, width = d](double base, nn::SinusoidLayout layout = {}) {
        return nn::SinusoidalPositionalEncoding(width, base, layout).table(rows).view({rows, width});
      };
      expect("table", positions(n, d), table(10000), any,
             {{table(1000), "the base is 1000; in the paper it is 10000."},
              {table(100), "the exponent is i/d; it is 2i/d."},
              {table(10000, nn::SinusoidLayout::halves), "you have all sines first; they alternate."}});
    }
  });
}
