#pragma once

#include <compare>
#include <string>

#include "autograd/low_precision/products.h"
#include "autograd/machine/blas.h"
#include "autograd/machine/memory.h"
#include "autograd/precision.h"

// The library oneDNN (https://github.com/oneapi-src/oneDNN), for products.cpp only. It is optional: it
// is loaded at the first product that needs it, as OpenBLAS is, and without its headers onednn_absent.cpp
// takes the place of onednn.cpp. Everything runs on the calling thread.

namespace regard::onednn {

/// Everything on which the code that oneDNN makes for a product depends.
struct ProductShape {
  Precision precision;
  Index m, n, k;
  low_precision::Strides a, b;  ///< b: {0, 0} for a packed matrix
  Index c_stride;
  blas::Store store;
  auto operator<=>(const ProductShape&) const = default;
};

/// C = A B (+ C). Throws Error if oneDNN refuses.
void product(const ProductShape& shape, const void* a, const void* b, void* c);

/// B[k, n] in the order that the library reads fastest.
struct Packed {
  Buffer memory;
  std::size_t bytes;
};
Packed pack(Precision precision, Index k, Index n, const void* b, low_precision::Strides strides);

/// Why there are no products in this precision; empty if there are.
std::string missing(Precision precision);

/// "oneDNN 2.6.3", or why it is not loaded.
std::string information();

}  // namespace regard::onednn
