#include "autograd/checks/table.h"
#include "autograd/machine/hash.h"

namespace regard::gradcheck_table {

namespace {

constexpr DropoutMask some{.probability = Real(0.4), .key = 0x5eed};

void add_elementwise(Table& table) {
  const auto binary = [&](const std::string& op, Tensor (*function)(const Tensor&, const Tensor&)) {
    const auto both = [=](Inputs x) { return function(x[0], x[1]); };
    table.add_positive(op + ": same shape", {{2, 3}, {2, 3}}, both);
    table.add_positive(op + ": first repeated", {{4}, {2, 3, 4}}, both);
    table.add_positive(op + ": second repeated", {{2, 3, 4}, {3, 1}}, both);
    table.add_positive(op + ": both repeated", {{2, 1, 3}, {4, 1}}, both);
    table.add_positive(op + ": by a scalar", {{2, 3}, {}}, both);
  };
  binary("add", add);
  binary("subtract", subtract);
  binary("multiply", multiply);
  binary("divide", divide);
  table.add("add: a tensor to itself", {{2, 3}}, [](Inputs x) { return x[0] + x[0]; });
  table.add("multiply: a tensor with itself", {{2, 3}}, [](Inputs x) { return x[0] * x[0]; });

  table.add("exp", {{2, 3}}, [](Inputs x) { return exp(x[0]); });
  table.add("tanh", {{2, 3}}, [](Inputs x) { return tanh(x[0]); });
  table.add("sigmoid", {{2, 3}}, [](Inputs x) { return sigmoid(x[0]); });
  table.add("relu", {{4, 5}}, [](Inputs x) { return relu(x[0]); });
  table.add("gelu", {{2, 3}}, [](Inputs x) { return gelu(x[0]); });
  table.add("silu", {{2, 3}}, [](Inputs x) { return silu(x[0]); });
  table.add("pow: a square", {{2, 3}}, [](Inputs x) { return pow(x[0], 2); });
  table.add_positive("pow: no integer", {{2, 3}}, [](Inputs x) { return pow(x[0], Real(-1.7)); });
  table.add_positive("log", {{2, 3}}, [](Inputs x) { return log(x[0]); });
  table.add_positive("sqrt", {{2, 3}}, [](Inputs x) { return sqrt(x[0]); });
}

void add_shapes(Table& table) {
  const std::vector<std::int32_t> ids{2, 0, 2, 1, 2};
  table.add("reshape", {{2, 6}}, [](Inputs x) { return reshape(x[0], {3, 2, 2}); });
  table.add("transpose: a matrix", {{2, 3}}, [](Inputs x) { return transpose(x[0]); });
  table.add("transpose: outer axes", {{2, 3, 4}}, [](Inputs x) { return transpose(x[0], 0, 1); });
  table.add("transpose: first and last", {{2, 3, 4, 2}}, [](Inputs x) { return transpose(x[0], 0, -1); });
  table.add("transpose: an axis with itself", {{2, 3}}, [](Inputs x) { return transpose(x[0], 1, 1); });
  table.add("slice: rows", {{5, 3}}, [](Inputs x) { return slice(x[0], 0, 1, 4); });
  table.add("slice: columns", {{3, 5}}, [](Inputs x) { return slice(x[0], -1, 2, 5); });
  table.add("slice: the middle axis", {{2, 4, 3}}, [](Inputs x) { return slice(x[0], 1, 1, 2); });
  table.add("concat: rows", {{2, 3}, {1, 3}}, [](Inputs x) { return concat({x[0], x[1]}, 0); });
  table.add("concat: columns", {{2, 3, 2}, {2, 1, 2}, {2, 2, 2}}, [](Inputs x) { return concat(x, 1); });
  table.add("concat: a tensor to itself", {{2, 3}}, [](Inputs x) { return concat({x[0], x[0]}, -1); });
  table.add("gather: rows, repeated", {{4, 3}}, [=](Inputs x) { return gather(x[0], 0, ids); });
  table.add("gather: columns, repeated", {{2, 4}}, [=](Inputs x) { return gather(x[0], -1, ids); });
  table.add("gather: the middle axis", {{2, 3, 2}}, [=](Inputs x) { return gather(x[0], 1, ids); });
}

void add_reductions(Table& table) {
  const auto reduction = [&](const std::string& op, Tensor (*function)(const Tensor&, const Reduction&)) {
    const auto over = [=](const Reduction& axes) { return [=](Inputs x) { return function(x[0], axes); }; };
    table.add(op + ": everything", {{3, 4}}, over({}));
    table.add(op + ": the first axis", {{3, 4}}, over({{0}}));
    table.add(op + ": the last axis, kept", {{2, 3, 4}}, over({{-1}, true}));
    table.add(op + ": first and last", {{2, 3, 4}}, over({{0, 2}}));
  };
  reduction("sum", sum);
  reduction("mean", mean);
  reduction("max", max);
}

void add_products(Table& table) {
  const auto product = [](Inputs x) { return matmul(x[0], x[1]); };
  table.add("matmul: two matrices", {{3, 4}, {4, 2}}, product);
  table.add("matmul: batches", {{2, 3, 4}, {2, 4, 2}}, product);
  table.add("matmul: batches of batches", {{2, 2, 3, 2}, {2, 2, 2, 3}}, product);
  table.add("matmul: one matrix for a batch", {{2, 3, 4}, {4, 2}}, product);
  table.add("matmul: a matrix with itself", {{3, 3}}, [](Inputs x) { return matmul(x[0], x[0]); });

  const auto with_bias = [](Inputs x) { return linear(x[0], x[1], x[2]); };
  table.add("linear", {{5, 3}, {4, 3}, {4}}, with_bias);
  table.add("linear: one row", {{1, 3}, {4, 3}, {4}}, with_bias);
  table.add("linear: one column", {{5, 3}, {1, 3}, {1}}, with_bias);
  table.add("linear: no bias", {{5, 3}, {4, 3}}, [](Inputs x) { return linear(x[0], x[1], {}); });
  table.add("linear: a matrix with itself", {{4, 3}}, [](Inputs x) { return linear(x[0], x[0], {}); });
  using Activation = Tensor (*)(const Tensor&, const Tensor&, const Tensor&, DropoutMask);
  const std::vector<std::pair<std::string, Activation>> activations{
      {"linear_relu", linear_relu}, {"linear_gelu", linear_gelu}, {"linear_silu", linear_silu}};
  for (const auto& [name, activation] : activations) {
    const auto with = [f = activation](const DropoutMask& dropout) {
      return [=](Inputs x) { return f(x[0], x[1], x[2], dropout); };
    };
    table.add(name, {{5, 3}, {4, 3}, {4}}, with({}));
    table.add(name + ": dropout", {{5, 3}, {4, 3}, {4}}, with(some));
    table.add(name + ": dropout, wide", {{3, 2}, {140, 2}, {140}}, with(some));
    table.add(name + ": a matrix with itself", {{4, 4}, {4}},
              [f = activation](Inputs x) { return f(x[0], x[0], x[1], some); });
  }

  // Enough rows to be cut into several blocks. They repeat few rows, so the differences are quick to compute.
  const auto rows = random_ids(4500, 4, 4);
  table.add("matmul: several blocks", {{4, 16}, {16, 16}},
            [=](Inputs x) { return matmul(gather(x[0], 0, rows), x[1]); });
  table.add("linear: several blocks", {{4, 16}, {16, 16}, {16}},
            [=](Inputs x) { return linear(gather(x[0], 0, rows), x[1], x[2]); });
  for (const auto& [name, activation] : activations)
    table.add(name + ": several blocks", {{4, 16}, {16, 16}, {16}},
              [=, f = activation](Inputs x) { return f(gather(x[0], 0, rows), x[1], x[2], some); });
}

void add_normalisation(Table& table) {
  table.add("softmax", {{2, 3, 5}}, [](Inputs x) { return softmax(x[0]); });
  table.add("log_softmax", {{2, 3, 5}}, [](Inputs x) { return log_softmax(x[0]); });
  table.add("layer_norm", {{2, 3, 5}, {5}, {5}}, [](Inputs x) { return layer_norm(x[0], x[1], x[2]); });
  table.add("layer_norm: wide", {{2, 130}, {130}, {130}},
            [](Inputs x) { return layer_norm(x[0], x[1], x[2]); });
  table.add("layer_norm: one tensor as weight and bias", {{3, 5}, {5}},
            [](Inputs x) { return layer_norm(x[0], x[1], x[1]); });
  const auto residual = [](const DropoutMask& dropout) {
    return [=](Inputs x) { return residual_layer_norm(x[0], x[1], dropout, x[2], x[3]); };
  };
  table.add("residual_layer_norm", {{3, 5}, {3, 5}, {5}, {5}}, residual({}));
  table.add("residual_layer_norm: dropout", {{3, 5}, {3, 5}, {5}, {5}}, residual(some));
  table.add("residual_layer_norm: to itself, dropout", {{3, 5}, {5}, {5}},
            [](Inputs x) { return residual_layer_norm(x[0], x[0], some, x[1], x[2]); });
  table.add("dropout", {{2, 3, 4}}, [](Inputs x) { return dropout(x[0], some); });
  table.add("dropout: wide", {{2, 150}}, [](Inputs x) { return dropout(x[0], some); });
  table.add("residual_dropout", {{3, 5}, {3, 5}},
            [](Inputs x) { return residual_dropout(x[0], x[1], some); });
  table.add("residual_dropout: none dropped", {{3, 5}, {3, 5}},
            [](Inputs x) { return residual_dropout(x[0], x[1], {}); });
  table.add("residual_dropout: to itself", {{3, 5}},
            [](Inputs x) { return residual_dropout(x[0], x[0], some); });
}

void add_attention(Table& table) {
  const auto separate = [](const Segments& sentences, const AttentionOptions& options) {
    return [=](Inputs x) { return attention(x[0], x[1], x[2], sentences, options); };
  };
  const Segments pair = self_segments({3, 4}), cross = segments({0, 3, 5}, {0, 2, 8});
  const std::vector<Shape> self_shapes(3, {7, 4}), cross_shapes{{5, 4}, {8, 4}, {8, 4}};
  const AttentionOptions plain{.heads = 2}, causal{.heads = 2, .causal = true};
  const AttentionOptions dropped{.heads = 2, .dropout = some},
      causal_dropped{.heads = 1, .causal = true, .dropout = some};
  table.add("attention", self_shapes, separate(pair, plain));
  table.add("attention: causal", self_shapes, separate(pair, causal));
  table.add("attention: cross", cross_shapes, separate(cross, plain));
  table.add("attention: dropout", cross_shapes, separate(cross, dropped));
  table.add("attention: causal, dropout", self_shapes, separate(pair, causal_dropped));

  table.add("attention: one tensor for all", {{7, 4}},
            [=](Inputs x) { return attention(x[0], x[0], x[0], pair, causal); });
  table.add("attention: one tensor, queries of one sentence are keys of the other", {{7, 4}}, [=](Inputs x) {
    return attention(x[0], x[0], x[0], {{0, 3, 1, 4}, {3, 7, 4, 6}}, plain);
  });
  table.add("attention: one tensor as key and value", {{5, 4}, {8, 4}},
            [=](Inputs x) { return attention(x[0], x[1], x[1], cross, plain); });
  const auto columns = [=](Index q, Index k, Index v) {
    return [=](Inputs x) { return attention({x[0], q, 4}, {x[0], k, 4}, {x[0], v, 4}, pair, causal); };
  };
  table.add("attention: columns of one matrix", {{7, 12}}, columns(0, 4, 8));
  table.add("attention: columns of one matrix, some unused", {{7, 15}}, columns(10, 1, 5));
  table.add("attention: the same columns of one matrix", {{7, 12}}, columns(4, 4, 4));
  table.add("attention: keys and values the same columns", {{7, 8}}, columns(0, 4, 4));
  table.add("attention: key and value in one matrix", {{5, 4}, {8, 8}}, [=](Inputs x) {
    return attention(x[0], {x[1], 0, 4}, {x[1], 4, 4}, cross, dropped);
  });

  table.add("attention: a sentence without keys", cross_shapes,
            separate(segments({0, 2, 3, 5}, {0, 2, 2, 8}), plain));
  table.add("attention: a sentence without queries", cross_shapes,
            separate(segments({0, 2, 2, 5}, {0, 2, 5, 8}), causal));
  table.add("attention: rows of no sentence", {{9, 4}, {12, 4}, {12, 4}},
            separate({{1, 3, 2, 4}, {5, 8, 5, 11}}, plain));
  table.add("attention: rows of no sentence, columns of one matrix", {{9, 12}}, [=](Inputs x) {
    return attention({x[0], 0, 4}, {x[0], 4, 4}, {x[0], 8, 4}, {{1, 3, 1, 3}, {5, 8, 5, 8}}, causal);
  });
  table.add("attention: more keys than queries, causal", cross_shapes, separate({{0, 5, 0, 8}}, causal));
  table.add("attention: fewer keys than queries, causal", {{8, 4}, {5, 4}, {5, 4}},
            separate({{0, 8, 0, 5}}, causal));

  const auto relative = [=](AttentionOptions options) {  // the fourth input: relative scores
    return [=](Inputs x) {
      AttentionOptions with = options;
      with.relative = x[3];
      return attention(x[0], x[1], x[2], cross, with);
    };
  };
  const std::vector<Shape> relative_shapes{{5, 4}, {8, 4}, {8, 4}, {10, 5}};
  table.add("attention: relative", relative_shapes, relative(plain));
  table.add("attention: relative, causal, dropout", relative_shapes,
            relative({.heads = 2, .causal = true, .dropout = some}));
  table.add("attention: relative, rows of no sentence", {{9, 4}, {12, 4}, {12, 4}, {18, 3}}, [=](Inputs x) {
    return attention(x[0], x[1], x[2], {{1, 3, 2, 4}, {5, 8, 5, 6}},
                     {.heads = 2, .causal = true, .relative = x[3]});
  });
  table.add("attention: relative, 70 queries, causal", {{70, 2}, {70, 2}, {70, 2}, {70, 5}}, [=](Inputs x) {
    return attention(x[0], x[1], x[2], self_segments({70}), {.causal = true, .relative = x[3]});
  });
  table.add("attention: ALiBi, a scale of its own", cross_shapes,
            separate(cross, {.heads = 2, .scale = Real(0.8), .slopes = {Real(0.5), Real(0.2)}}));
  const Tensor angles = Tensor::from({3, 2}, {0, 1, Real(0.6), Real(0.8), Real(-0.8), Real(0.6)});
  const std::vector<std::int32_t> positions{2, 0, 1, 1};
  table.add("rotary", {{4, 4}}, [=](Inputs x) { return rotary(x[0], 4, angles, positions); });
  table.add("rotary: columns of a matrix", {{4, 5}},
            [=](Inputs x) { return rotary(x[0], 2, angles, positions); });

  // Longer than one tile of 64 queries.
  const auto lengths = [](Index queries, Index keys) {
    return std::vector<Shape>{{queries, 2}, {keys, 2}, {keys, 2}};
  };
  table.add("attention: 70 queries, causal", lengths(70, 70), separate(self_segments({70}), causal));
  table.add("attention: 150 queries", lengths(150, 130), separate({{0, 150, 0, 130}}, plain));
  table.add("attention: 150 queries, causal, dropout", lengths(150, 150),
            separate(self_segments({150}), causal_dropped));
  table.add("attention: 150 queries, 40 keys, causal", lengths(150, 40), separate({{0, 150, 0, 40}}, causal));
}

void add_vocabulary(Table& table) {
  const std::vector<std::int32_t> ids{3, 1, 3, 0, 3};
  table.add("embedding", {{5, 3}}, [=](Inputs x) { return embedding(x[0], ids); });
  table.add("embedding: scaled", {{5, 3}}, [=](Inputs x) { return embedding(x[0], ids, Real(1.7)); });
  const auto loss = [&](const std::string& detail, const CrossEntropyOptions& options) {
    const auto targets = random_ids(6, 7, 5);
    table.add("cross_entropy" + detail, {{6, 7}},
              [=](Inputs x) { return cross_entropy(x[0], targets, options); });
    table.add("linear_cross_entropy" + detail, {{6, 3}, {7, 3}},
              [=](Inputs x) { return linear_cross_entropy(x[0], x[1], targets, options); });
  };
  loss("", {});
  table.add("linear_cross_entropy: bias, smoothed", {{6, 3}, {7, 3}, {7}}, [=](Inputs x) {
    return linear_cross_entropy(x[0], x[1], x[2], random_ids(6, 7, 5), {.label_smoothing = Real(0.1)});
  });
  loss(": smoothed", {.label_smoothing = Real(0.1)});
  loss(": smoothed, divided by 20", {.label_smoothing = Real(0.1), .divide_by = 20});
  table.add("linear_cross_entropy: rows and vocabulary the same", {{7, 3}},
            [=](Inputs x) { return linear_cross_entropy(x[0], x[0], random_ids(7, 7, 6)); });

  const auto rows = random_ids(1200, 8, 7), many_targets = random_ids(1200, 7, 8);  // several blocks
  table.add("cross_entropy: 1200 rows", {{8, 7}},
            [=](Inputs x) { return cross_entropy(gather(x[0], 0, rows), many_targets); });
  table.add("linear_cross_entropy: 1200 rows", {{8, 3}, {7, 3}}, [=](Inputs x) {
    return linear_cross_entropy(gather(x[0], 0, rows), x[1], many_targets, {.label_smoothing = Real(0.1)});
  });
  table.add("linear_cross_entropy: bias, 1200 rows", {{8, 3}, {7, 3}, {7}},
            [=](Inputs x) { return linear_cross_entropy(gather(x[0], 0, rows), x[1], x[2], many_targets); });
}

}  // namespace

Random random_of(const std::string& name) { return Random(fnv_1a(name)); }

std::vector<GradientCase> op_cases() {
  Table table;
  add_elementwise(table);
  add_shapes(table);
  add_reductions(table);
  add_products(table);
  add_normalisation(table);
  add_attention(table);
  add_vocabulary(table);
  add_scores(table);
  return std::move(table.cases);
}

}  // namespace regard::gradcheck_table
