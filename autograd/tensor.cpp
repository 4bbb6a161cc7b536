#include "autograd/tensor.h"

#include <algorithm>
#include <ostream>

#include "autograd/machine/error.h"
#include "autograd/node.h"

namespace regard { inline namespace REGARD_PRECISION {

const Tensor::State& Tensor::state() const {
  if (state_ == nullptr) fail("an empty Tensor was used; give it a value first");
  return *state_;
}

namespace {
void check_extents(const Shape& shape) {
  for (const Index extent : shape.extents())
    if (extent < 0) fail("a tensor cannot have the shape {}", to_string(shape));
}
}  // namespace

Tensor Tensor::empty(const Shape& shape) {
  check_extents(shape);
  Buffer value = allocate(to_size(shape.size()) * sizeof(Real));
  auto* const data = static_cast<Real*>(value.get());
  return Tensor(std::make_shared<State>(State{shape, std::move(value), data, nullptr}));
}

Tensor Tensor::full(const Shape& shape, Real value) {
  const Tensor tensor = empty(shape);
  std::fill_n(tensor.data(), tensor.size(), value);
  return tensor;
}

Tensor Tensor::from(const Shape& shape, std::span<const Real> values) {
  if (to_index(values.size()) != shape.size())
    fail("a tensor of shape {} holds {} values, but {} were given", to_string(shape), shape.size(),
         values.size());
  const Tensor tensor = empty(shape);
  std::copy(values.begin(), values.end(), tensor.data());
  return tensor;
}

Tensor Tensor::from(const Shape& shape, std::initializer_list<Real> values) {
  return from(shape, std::span<const Real>(values.begin(), values.size()));
}

Tensor Tensor::uniform(const Shape& shape, Real low, Real high, Random& random) {
  const Tensor tensor = empty(shape);
  if (!random.draws()) return tensor;
  for (Real& value : tensor.values()) value = static_cast<Real>(random.uniform(low, high));
  return tensor;
}

Tensor Tensor::normal(const Shape& shape, Real mean, Real deviation, Random& random) {
  const Tensor tensor = empty(shape);
  if (!random.draws()) return tensor;
  for (Real& value : tensor.values()) value = static_cast<Real>(mean + deviation * random.normal());
  return tensor;
}

const Shape& Tensor::shape() const { return state().shape; }

Real* Tensor::data() const {
  const State& here = state();
  if (here.form)
    fail(
        "the weight of shape {} has its numbers only in few bits, for translation; take the model in float32",
        to_string(here.shape));
  return here.data;
}

const std::shared_ptr<Node>& Tensor::node() const { return state().node; }

Real Tensor::item() const {
  if (size() != 1) fail("item: a tensor of shape {} does not hold one value", to_string(shape()));
  return *data();
}

Real Tensor::at(std::initializer_list<Index> index) const {
  Index offset = 0, axis = 0;
  if (to_index(index.size()) != rank())
    fail("at: {} indices for a tensor of shape {}", index.size(), to_string(shape()));
  for (const Index i : index) {
    if (i < 0 || i >= size(axis))
      fail("at: index {} at axis {} lies outside the shape {}", i, axis, to_string(shape()));
    offset = offset * size(axis++) + i;
  }
  return data()[offset];
}

Tensor Tensor::clone() const { return from(shape(), std::span<const Real>(values())); }

Tensor& Tensor::set_requires_grad(bool wanted) {
  state();
  if (state_->node != nullptr && state_->node->op != leaf_name)
    fail("set_requires_grad: the tensor is a result of '{}'; detach() it first", state_->node->op);
  if (!wanted) {
    state_->node = nullptr;
  } else if (state_->node == nullptr) {
    state_->node = std::make_shared<Node>(leaf_name, state_->shape);
    state_->node->retain_grad = true;
  }
  return *this;
}

Tensor Tensor::grad() const {
  if (!requires_grad() || !node()->has_grad) return {};
  return Tensor(std::make_shared<State>(State{shape(), node()->grad, node()->grad_data, nullptr}));
}

void Tensor::zero_grad() const {
  if (!requires_grad()) return;
  if (node()->fixed_grad)
    std::fill_n(node()->grad_data, size(), Real{0});
  else
    node()->has_grad = false;
}

void Tensor::move_into(const Tensor& values, const Tensor& gradients, Index first) const {
  if (!requires_grad() || node()->op != leaf_name) fail("move_into: only for leaves that require a gradient");
  const Tensor value = values.view(shape(), first), gradient = gradients.view(shape(), first);
  std::copy_n(data(), size(), value.data());
  std::fill_n(gradient.data(), size(), Real{0});
  state_->value = value.state().value;
  state_->data = value.data();
  state_->version = value.version();
  node()->grad = gradient.state().value;
  node()->grad_data = gradient.data();
  node()->has_grad = node()->fixed_grad = true;
}

void Tensor::retain_grad() const {
  if (!requires_grad()) fail("retain_grad: the tensor takes part in no recorded computation");
  node()->retain_grad = true;
}

Tensor Tensor::detach() const { return view(shape()); }

Tensor Tensor::view(const Shape& shape, Index first) const {
  check_extents(shape);
  if (first < 0 || first + shape.size() > size())
    fail("view: shape {} from element {} does not lie within shape {}", to_string(shape), first,
         to_string(this->shape()));
  return Tensor(std::make_shared<State>(State{shape, state().value, data() + first, nullptr, version()}));
}

namespace {
void print(std::ostream& out, const Tensor& tensor, Index axis, Index offset) {
  constexpr Index shown = 3;  // entries at either end of a long axis
  if (axis == tensor.rank()) {
    out << fmt::format("{:.4g}", tensor.data()[offset]);
    return;
  }
  const Index extent = tensor.size(axis);
  const Index stride = tensor.shape().size_from(axis + 1);
  out << '[';
  for (Index i = 0; i < extent; ++i) {
    if (i > 0) out << ", ";
    if (extent > 2 * shown + 1 && i == shown) {
      out << "…, ";
      i = extent - shown;
    }
    print(out, tensor, axis + 1, offset + i * stride);
  }
  out << ']';
}
}  // namespace

std::ostream& operator<<(std::ostream& out, const Tensor& tensor) {
  if (!tensor) return out << "Tensor()";
  out << "Tensor" << to_string(tensor.shape()) << ' ';
  print(out, tensor, 0, 0);
  if (tensor.requires_grad()) out << " from '" << tensor.node()->op << '\'';
  return out;
}

}}  // namespace regard::REGARD_PRECISION
