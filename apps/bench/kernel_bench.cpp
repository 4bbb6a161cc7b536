#include "apps/bench/kernel_bench.h"

#include <string>
#include <vector>

#include "apps/bench/timing.h"
#include "autograd/blas.h"
#include "autograd/error.h"
#include "autograd/kernels/attention.h"
#include "autograd/kernels/elementwise.h"
#include "autograd/kernels/layer_norm.h"
#include "autograd/kernels/panels.h"
#include "autograd/kernels/products.h"
#include "autograd/kernels/softmax.h"
#include "autograd/ops.h"
#include "autograd/parallel.h"
#include "autograd/tensor.h"
#include "nn/kernels/optimisers.h"
#include "transformer/self_attention/transformer_config.h"

namespace regard::bench {

namespace {

// A typical batch in training: 180 sentences of 5 to 35 tokens, and the vocabulary of Multi30k.
constexpr Index sentences = 180, vocabulary = 9712, loss_rows = 512;
constexpr Index length_of(Index sentence) { return 5 + sentence % 31; }

/// Measures calls and prints the lines of the table.
class Table {
 public:
  explicit Table(double seconds) : seconds_(seconds) {}

  /// `amount` is the work of one call: floating-point operations, bytes or numbers.
  template <class Call>
  void flops(const std::string& name, double amount, const Call& call) const {
    const double seconds = median_seconds(seconds_, call);
    fmt::print("{:66} {:9.3f} ms {:8.1f} GFLOP/s\n", name, 1e3 * seconds, 1e-9 * amount / seconds);
  }
  template <class Call>
  void bytes(const std::string& name, double amount, const Call& call) const {
    const double seconds = median_seconds(seconds_, call);
    fmt::print("{:66} {:9.3f} ms {:8.1f} GB/s\n", name, 1e3 * seconds, 1e-9 * amount / seconds);
  }
  template <class Call>
  void numbers(const std::string& name, double amount, const Call& call) const {
    const double seconds = median_seconds(seconds_, call);
    fmt::print("{:66} {:9.3f} ms {:8.3f} ns per number\n", name, 1e3 * seconds, 1e9 * seconds / amount);
  }

 private:
  double seconds_;
};

Tensor normal(const Shape& shape) {
  Random random(1);
  return Tensor::normal(shape, 0, 1, random);
}

/// A gradient that overwrites a tensor.
GradSlot to(const Tensor& tensor) { return {.data = tensor.data(), .add = false}; }

struct Linear {
  std::string name;
  Index rows, out, in;
};

/// Measures y = x W^T and the two products of its backward.
void products(const Table& table, const Linear& p) {
  const Tensor x = normal({p.rows, p.in}), y = normal({p.rows, p.out}), weight = normal({p.out, p.in});
  const kernels::ConstMatrix x_in{x.data(), p.in}, y_in{y.data(), p.out}, weight_in{weight.data(), p.in};
  const kernels::Matrix x_out{x.data(), p.in}, y_out{y.data(), p.out}, weight_out{weight.data(), p.in};
  const std::string shape = fmt::format("{} x {} x {}", p.rows, p.out, p.in);
  const auto name = [&](const char* equation) {
    return fmt::format("{:27} {:12} {}", p.name, equation, shape);
  };
  const double flops = 2.0 * static_cast<double>(p.rows * p.out * p.in);
  constexpr auto overwrite = blas::Store::overwrite;
  table.flops(name("y = x W^T"), flops, [&] {
    kernels::product(blas::Transposed::b, p.rows, p.out, p.in, x_in, weight_in, y_out, overwrite);
  });
  table.flops(name("dx = dy W"), flops, [&] {
    kernels::product(blas::Transposed::none, p.rows, p.in, p.out, y_in, weight_in, x_out, overwrite);
  });
  table.flops(name("dW = dy^T x"), flops, [&] {
    kernels::product(blas::Transposed::a, p.out, p.in, p.rows, y_in, x_in, weight_out, overwrite);
  });
}

/// Measures the logits of a search for few hypotheses (one sentence) and many, and the choice of the largest.
void search(const Table& table, const std::string& preset, Index d) {
  const Tensor weight = normal({vocabulary, d});
  for (const Index rows : {1, 5, 32, 80, 625}) {
    const Tensor x = normal({rows, d}), logits = normal({rows, vocabulary});
    table.flops(fmt::format("{} logits of few rows, {} x {} x {}", preset, rows, vocabulary, d),
                2.0 * static_cast<double>(rows * vocabulary * d), [&] {
                  kernels::product(blas::Transposed::b, rows, vocabulary, d,
                                   kernels::ConstMatrix{x.data(), d}, kernels::ConstMatrix{weight.data(), d},
                                   kernels::Matrix{logits.data(), vocabulary}, blas::Store::overwrite);
                });
    if (rows == 625)
      table.numbers(fmt::format("{} the 7 largest of each row, {} x {}", preset, rows, vocabulary),
                    static_cast<double>(logits.size()), [&] { largest_logits(logits, 7); });
  }
}

/// Measures self-attention of the sentences in the batch with all heads, without dropout.
void attention(const Table& table, const std::string& preset, const transformer::Config& config) {
  const Index d = config.d_model;
  Segments segments;
  Index rows = 0, pairs = 0, longest = 0;
  for (Index i = 0; i < sentences; ++i) {
    const Index n = length_of(i);
    segments.push_back({rows, rows + n, rows, rows + n});
    rows += n;
    pairs += n * n;
    longest = std::max(longest, kernels::attention_scratch(segments.back(), d / config.heads));
  }
  const Tensor qkv = normal({rows, 3 * d}), gradient = normal({rows, 3 * d}), out = normal({rows, d});
  const Tensor statistics = normal({2, config.heads, rows});
  const Tensor scratch = Tensor::empty({threads(), longest});
  const auto columns = [&](Index i) { return kernels::ConstMatrix{qkv.data() + i * d, 3 * d}; };
  const auto gradients = [&](Index i) { return GradSlot{.data = gradient.data() + i * d, .add = false}; };
  const kernels::AttentionArguments problem{.query = columns(0),
                                            .key = columns(1),
                                            .value = columns(2),
                                            .segments = segments.data(),
                                            .segment_count = sentences,
                                            .heads = config.heads,
                                            .d_k = d / config.heads,
                                            .query_rows = rows,
                                            .causal = false,
                                            .dropout = {},
                                            .statistics = statistics.data(),
                                            .tasks_at_a_time = 8,
                                            .scratch = scratch.data(),
                                            .scratch_stride = longest};
  const double product = 2.0 * static_cast<double>(pairs * d);
  const auto name = [&](const char* direction) {
    return fmt::format("{:27} {} tokens, {} heads", fmt::format("{} attention {}", preset, direction), rows,
                       config.heads);
  };
  table.flops(name("forward"), 2 * product, [&] {  // Q K^T, P V
    kernels::attention_forward(out.data(), nullptr, problem);
  });
  table.flops(name("backward"), 5 * product, [&] {  // Q K^T again, dV, dP, dQ, dK
    kernels::attention_backward(gradients(0), gradients(1), gradients(2), out.data(), problem);
  });
}

/// Measures the product of a step of a GRU with few sentences and many: with the weight in panels, as the
/// recurrence does it, on one thread, and with BLAS on all threads.
void recurrence(const Table& table, Index d) {
  const Index gates = kernels::in_panels(3 * d);
  const Tensor weight = normal({gates, d}), panels = normal({gates, d});
  for (const Index rows : {1, 5, 20, 40, 80, 160}) {
    const Tensor state = normal({rows, d}), hidden = normal({rows, gates});
    const kernels::ConstMatrix in{state.data(), d};
    const kernels::Matrix out{hidden.data(), gates};
    const double flops = 2.0 * static_cast<double>(rows * gates * d);
    const auto name = [&](const char* how) {
      return fmt::format("{:38} {} x {} x {}", fmt::format("step of a GRU, {}", how), rows, gates, d);
    };
    constexpr auto overwrite = blas::Store::overwrite;
    table.flops(name("panels, one thread"), flops,
                [&] { kernels::panel_product(rows, gates, d, in, panels.data(), out, overwrite); });
    table.flops(name("BLAS"), flops, [&] {
      kernels::product(blas::Transposed::b, rows, gates, d, in, kernels::ConstMatrix{weight.data(), d}, out,
                       overwrite);
    });
  }
}

/// Measures LayerNorm(x + dropout(sublayer)).
void layer_norm(const Table& table, const std::string& preset, Index rows, Index d) {
  const Tensor x = normal({rows, d}), sublayer = normal({rows, d}), sum = normal({rows, d});
  const Tensor y = normal({rows, d}), weight = normal({d}), bias = normal({d}),
               statistics = normal({2, rows});
  const DropoutMask dropout{.probability = Real(0.1), .key = 1};
  const double bytes = 4.0 * static_cast<double>(rows * d * to_index(sizeof(Real)));
  const auto name = [&](const char* direction) {
    return fmt::format("{} layer norm {}, {} x {}", preset, direction, rows, d);
  };
  table.bytes(name("forward with dropout"), bytes, [&] {  // reads x and sublayer, writes their sum and y
    kernels::layer_norm_forward(y.data(), sum.data(), statistics.data(), x.data(), sublayer.data(),
                                weight.data(), bias.data(), rows, d, Real(1e-5), dropout);
  });
  table.bytes(name("backward with dropout"), bytes, [&] {  // reads dy and the sum, writes dx and dsublayer
    kernels::layer_norm_backward(to(x), to(sublayer), y.data(), sum.data(), statistics.data(), weight.data(),
                                 rows, d, dropout);
  });
  table.bytes(name("parameters' backward"), bytes / 2, [&] {  // reads dy and the sum
    kernels::layer_norm_parameters_backward(to(weight), to(bias), y.data(), sum.data(), statistics.data(),
                                            rows, d);
  });
}

void softmax(const Table& table) {
  const Tensor logits = normal({loss_rows, vocabulary}), losses = normal({loss_rows});
  const std::vector<std::int32_t> targets(to_size(loss_rows), 7);
  // The gradient of the loss overwrites the logits, so they are small numbers from the second call on.
  table.numbers(
      fmt::format("cross-entropy and its gradient, {} x {}", loss_rows, vocabulary),
      static_cast<double>(logits.size()), [&] {
        kernels::cross_entropy_rows(
            losses.data(), logits.data(), loss_rows, vocabulary,
            kernels::CrossEntropy{
                .targets = targets.data(), .label_smoothing = Real(0.1), .weight = 1, .gradient = true});
      });
  // These sizes fit the nearest cache, so the exponential dominates the time.
  constexpr Index rows = 8, columns = 512;
  const Tensor x = normal({rows, columns}), y = normal({rows, columns});
  table.numbers(fmt::format("softmax: one exponential per number, {} x {}, in cache", rows, columns),
                static_cast<double>(x.size()),
                [&] { kernels::softmax_forward(y.data(), x.data(), rows, columns); });
}

void dropout(const Table& table, Index rows, Index columns, const char* where) {
  const Tensor x = normal({rows, columns}), y = normal({rows, columns});
  table.numbers(fmt::format("dropout by Philox, {} x {}{}", rows, columns, where),
                static_cast<double>(x.size()), [&] {
                  kernels::dropout_forward(to(y), x.data(), rows, columns,
                                           DropoutMask{.probability = Real(0.1), .key = 1});
                });
}

void adam(const Table& table, Index size) {
  const Tensor values = normal({size}), gradients = normal({size});
  const Tensor first = Tensor::zeros({size}), second = Tensor::full({size}, 1);
  const kernels::AdamStep step{.beta1 = Real(0.9),
                               .beta2 = Real(0.98),
                               .epsilon = Real(1e-9),
                               .step_size = Real(1e-4),
                               .inverse_correction2 = 1,
                               .gradient_scale = 1};
  // All four arrays are read and written.
  const double bytes = 8.0 * static_cast<double>(size * to_index(sizeof(Real)));
  table.bytes(fmt::format("Adam, {} parameters", size), bytes, [&] {
    kernels::adam_step(values.data(), gradients.data(), first.data(), second.data(), size, step);
  });
}

}  // namespace

void run(const KernelBench& bench) {
  if (!(bench.seconds >= 0)) fail("--seconds {}: give a number of at least 0", bench.seconds);
  const blas::Information& blas = blas::information();
  fmt::print("machine      {} threads, {}, OpenBLAS core {}\n", threads(), to_string(simd()), blas.core);
  const Table table(bench.seconds);
  Index rows = 0;
  for (Index i = 0; i < sentences; ++i) rows += length_of(i);
  for (const std::string preset : {"tiny", "base"}) {
    const transformer::Config config = transformer::preset(preset);
    const Index d = config.d_model;
    products(table, {preset + " queries, keys, values", rows, 3 * d, d});
    products(table, {preset + " attention's output", rows, d, d});
    products(table, {preset + " feed-forward, in", rows, config.d_ff, d});
    products(table, {preset + " feed-forward, out", rows, d, config.d_ff});
    products(table, {preset + " logits", loss_rows, vocabulary, d});
    search(table, preset, d);
    attention(table, preset, config);
    layer_norm(table, preset, rows, d);
    dropout(table, rows, d, "");
  }
  for (const Index d : {64, 256}) recurrence(table, d);
  dropout(table, 8, 512, ", in cache");
  softmax(table);
  adam(table, 2'568'704);   // tiny
  adam(table, 49'111'040);  // base
}

}  // namespace regard::bench
