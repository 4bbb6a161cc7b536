#pragma once

#include "autograd/tensor.h"

namespace regard { inline namespace REGARD_PRECISION {

// Two operands are broadcast against each other: trailing axes are matched, an extent of 1 is repeated.
// Throws Error naming the operation and both shapes when they do not match.
Tensor add(const Tensor& a, const Tensor& b);
Tensor subtract(const Tensor& a, const Tensor& b);
Tensor multiply(const Tensor& a, const Tensor& b);
Tensor divide(const Tensor& a, const Tensor& b);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return subtract(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return multiply(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return divide(a, b); }
inline Tensor operator+(const Tensor& a, Real b) { return add(a, Tensor::scalar(b)); }
inline Tensor operator-(const Tensor& a, Real b) { return subtract(a, Tensor::scalar(b)); }
inline Tensor operator*(const Tensor& a, Real b) { return multiply(a, Tensor::scalar(b)); }
inline Tensor operator/(const Tensor& a, Real b) { return divide(a, Tensor::scalar(b)); }
inline Tensor operator*(Real a, const Tensor& b) { return multiply(Tensor::scalar(a), b); }
inline Tensor operator-(const Tensor& a) { return multiply(a, Tensor::scalar(-1)); }

// Element by element.
Tensor exp(const Tensor& x);
Tensor log(const Tensor& x);
Tensor sqrt(const Tensor& x);
Tensor pow(const Tensor& x, Real exponent);

}}  // namespace regard::REGARD_PRECISION
