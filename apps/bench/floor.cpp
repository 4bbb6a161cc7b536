#include "apps/bench/floor.h"

#include <algorithm>

#include "autograd/machine/blas.h"
#include "autograd/machine/parallel.h"
#include "autograd/tensor.h"
#include "transformer/captions/image_config.h"

namespace regard::bench {

namespace {

using blas::Transposed;

/// Computes one product. The longer side of its result is cut into one slab per thread.
void multiply(Transposed transposed, Index m, Index n, Index k, const Real* a, const Real* b, Real* c) {
  using Input = blas::Matrix<const Real>;
  const Index extent = std::max(m, n), slab = ceil_divide(extent, threads());
  parallel_for(extent, slab, [&](Index begin, Index end) {
    const bool by_rows = m >= n;
    const Index row = by_rows ? begin : 0, column = by_rows ? 0 : begin;
    const Index rows = by_rows ? end - begin : m, columns = by_rows ? n : end - begin;
    const blas::Matrix<Real> out{c + row * n + column, n};
    const Input a_block = transposed == Transposed::a ? Input{a + row, m} : Input{a + row * k, k};
    const Input b_block = transposed == Transposed::b ? Input{b + column * k, k} : Input{b + column, n};
    blas::gemm(transposed, rows, columns, k, a_block, b_block, out, blas::Store::overwrite);
  });
}

bool contains(const std::string& name, const char* part) { return name.find(part) != std::string::npos; }

/// The sentences or tokens with which a weight is multiplied.
Index rows_of(const std::string& name, const BatchSize& batch) {
  if (contains(name, "first_layers")) return batch.sentences;  // of the decoder's first states
  const bool of_memory = name.starts_with("encoder") || contains(name, "key_weight");
  return of_memory ? batch.source_tokens : batch.target_tokens;
}

}  // namespace

std::vector<Product> step_products(const std::vector<nn::NamedParameter>& parameters,
                                   const translation::ModelSettings& model, BatchSize batch) {
  std::vector<Product> products;
  const auto add = [&](const Product& product) {
    const auto same = std::ranges::find_if(products, [&](const Product& other) {
      return product.rows == other.rows && product.out == other.out && product.in == other.in &&
             product.of_data == other.of_data;
    });
    if (same == products.end())
      products.push_back(product);
    else
      ++same->times;
  };
  if (model.reads_files()) batch.source_tokens -= 3 * batch.sentences;  // height, width and </s>
  std::size_t convolutions = 0;
  bool has_projection = false;
  for (const auto& [name, weight] : parameters) {
    const bool is_table = contains(name, "embed") || name.ends_with("positions.weight");
    if (weight.rank() < 2 || is_table) continue;
    const Index out = weight.size(0), in = weight.size() / out;
    if (weight.rank() == 4) {  // a convolution, which leaves fewer positions
      const bool patches = model.encoder == "patches";
      const auto& image = model.parts.of<transformer::ImageConfig>();
      const Index stride = patches ? image.patch_size : image.strides[convolutions];
      batch.source_tokens /= stride * stride;
      add({batch.source_tokens, out, in, convolutions++ == 0});
    } else if (contains(name, "multihead_attn.in_proj")) {
      add({batch.target_tokens, in, in});          // queries
      add({batch.source_tokens, out - in, in});    // keys and values of the memory
    } else if (name.ends_with("relative_keys")) {  // each head of a query is a row
      add({rows_of(name, batch) * model.config.heads, out, in});
    } else {
      add({rows_of(name, batch), out, in});
    }
    has_projection = has_projection || name == "generator.weight";
  }
  const transformer::Config& config = model.config;
  if (!has_projection) add({batch.target_tokens, config.target_vocabulary, config.d_model});  // an embedding
  return products;
}

double floor_seconds(const std::vector<Product>& products) {
  double seconds = 0;
  for (const Product& p : products) {
    const Tensor x = Tensor::full({p.rows, p.in}, Real(0.5)), y = Tensor::full({p.rows, p.out}, Real(0.5));
    const Tensor weight = Tensor::full({p.out, p.in}, Real(0.5));
    const TimePoint begin = now();
    for (Index i = 0; i < p.times; ++i) {
      multiply(Transposed::b, p.rows, p.out, p.in, x.data(), weight.data(), y.data());  // y = x W^T
      if (!p.of_data)
        multiply(Transposed::none, p.rows, p.in, p.out, y.data(), weight.data(), x.data());  // dx = dy W
      multiply(Transposed::a, p.out, p.in, p.rows, y.data(), x.data(), weight.data());       // dW = dy^T x
    }
    seconds += seconds_since(begin);
  }
  return seconds;
}

double floor_flops(const std::vector<Product>& products) {
  double flops = 0;
  for (const Product& p : products)
    flops += (p.of_data ? 2 : 3) * 2.0 * static_cast<double>(p.rows * p.out * p.in * p.times);
  return flops;
}

}  // namespace regard::bench
