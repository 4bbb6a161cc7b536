// The class regard.Tensor. This file is compiled once for each precision.
#include <algorithm>
#include <array>

#include "apps/python/src/bind.h"
#include "apps/python/src/locks.h"
#include "apps/python/src/module.h"
#include "apps/python/src/watched_values.h"
#include "autograd/autograd.h"

namespace regard::python { inline namespace REGARD_PRECISION {

namespace {

using namespace nb::literals;

class Holder final : public AnyTensor {
 public:
  explicit Holder(const Tensor& tensor) : AnyTensor(sizeof(Real) == sizeof(double)), tensor_(tensor) {}

  const Tensor& tensor() const { return tensor_; }

 private:
  Tensor tensor_;
};

bool is_leaf(const Tensor& x) { return !x.requires_grad() || x.node()->op == leaf_name; }

GivenArray array_of(const Tensor& x) {
  const nb::capsule owner(new Tensor(x), [](void* p) noexcept { delete static_cast<Tensor*>(p); });
  return {{array_over<Real>(x.data(), x.shape(), owner)}};
}

void copy_values(const char* name, const Tensor& from, const Tensor& to) {
  if (from.shape() != to.shape())
    fail("{}: numbers of the shape {} cannot replace those of the shape {}", name, to_string(from.shape()),
         to_string(to.shape()));
  if (from.data() != to.data()) std::ranges::copy(from.values(), to.data());
}

void add_properties(Operations& to) {
  property(
      to, "shape", [](const Tensor& x) { return x.shape(); }, "The extents, outermost first.");
  property(
      to, "ndim", [](const Tensor& x) { return x.rank(); }, "The number of axes.");
  property(to, "is_leaf", &is_leaf, "True if no recorded operation made this tensor.");
  property(
      to, "T", [](const Tensor& x) { return transpose(x); }, "transpose(self): the last two axes exchanged.");
  property(
      to, "data", [](const Tensor& x) { return x.detach(); },
      Setter([](const Tensor& x, const Tensor& values) {
        copy_values("data", values, x);
        x.values_changed();
      }),
      "detach(self). Set, it replaces the numbers.");
  property(
      to, "requires_grad", [](const Tensor& x) { return x.requires_grad(); },
      Setter([](const Tensor& x, bool wanted) {
        const GradientAccess access;
        Tensor(x).set_requires_grad(wanted);
      }),
      "True if backward() computes a gradient of this tensor, or passes through it.");
  property(
      to, "grad",
      [](const Tensor& x) {
        return without_lock([&] {
          const GradientAccess access;
          return x.grad();
        });
      },
      Setter([](const Tensor& x, const Tensor& value) {
        const GradientAccess access;
        if (!value) return x.zero_grad();
        if (!x.requires_grad()) fail("grad: a tensor that requires no gradient has none");
        if (x.shape() != value.shape())
          fail("grad: numbers of the shape {} cannot replace those of the shape {}", to_string(value.shape()),
               to_string(x.shape()));
        x.zero_grad();
        GradSlot slot = x.node()->grad_slot();
        for (Index i = 0; i < x.size(); ++i) slot.put(i, value.data()[i]);
      }),
      "The gradient after backward(), or None. Shares memory.");
}

void add_methods(Operations& to) {
  method(
      to, {"_backward", "backward"},
      [](const Tensor& x, const Tensor& gradient, bool retain_graph) {
        const GradientAccess access;
        backward(x, {.cotangent = gradient, .retain_graph = retain_graph});
      },
      "gradient"_a.none(), "retain_graph"_a);
  method(
      to, "retain_grad",
      [](const Tensor& x) {
        const GradientAccess access;
        x.retain_grad();
      },
      "Keeps the gradient of an inner result in backward().");
  method(
      to, "zero_grad",
      [](const Tensor& x) {
        const GradientAccess access;
        x.zero_grad();
      },
      "Discards the gradient: the next backward() does not add to it.");
  method(
      to, "detach", [](const Tensor& x) { return x.detach(); },
      "The same values without history. Shares memory.");
  method(
      to, "clone",
      [](const Tensor& x) {
        return x.requires_grad() ? multiply(x, Tensor::scalar(1)) : watch_values(x.clone());
      },
      "A copy. Its gradient is that of this tensor.");
  method(to, "_values_changed", [](const Tensor& x) { x.values_changed(); });
  method(to, "_memory", &array_of);
  method(to, "_op", [](const Tensor& x) { return std::string(x.requires_grad() ? x.node()->op : ""); });
  method(to, "_identity", [](const Tensor& x) { return reinterpret_cast<std::intptr_t>(&x.shape()); });
  method(
      to, "item", [](const Tensor& x) { return x.item(); },
      "The value of a tensor of one element, as a Python float.");
  method(
      to, "numpy",
      [](const Tensor& x) {
        if (!is_leaf(x))
          fail(
              "an array or a copy has no history, so no gradient would reach what this result of '{}' was "
              "made of; write x.detach() first if you want none",
              x.node()->op);
        return array_of(watch_values(x));
      },
      "A NumPy array over the same memory, which stays valid as long as the array lives. backward() sees\n"
      "that it was written. An array has no history, so a result has x.detach().numpy() alone.");
  method(
      to, "numel", [](const Tensor& x) { return x.size(); }, "The number of elements.");
  method(
      to, "dim", [](const Tensor& x) { return x.rank(); }, "The number of axes.");
}

void add_protocols(Operations& to) {
  method(to, "__float__", [](const Tensor& x) { return x.item(); });
  method(to, "__int__", [](const Tensor& x) { return static_cast<Index>(x.item()); });
  method(to, "__len__", [](const Tensor& x) {
    if (x.rank() == 0) throw nb::type_error("a tensor without axes has no length");
    return x.size(0);
  });
  method(to, "__bool__", [](const Tensor&) -> bool {
    throw nb::type_error("a tensor is neither true nor false; ask for x.item(), len(x) or x is not None");
  });
  method(to, "__dlpack__", [](const Tensor& x, const nb::kwargs& options) {
    if (x.requires_grad())
      fail("no gradient passes from another library to a tensor; give it x.detach(), if you want none");
    return GivenArray{{array_of(watch_values(x)).object.attr("__dlpack__")(**options)}};
  });
  method(to, "__dlpack_device__", [](const Tensor&) { return std::pair(1, 0); });
}

using Binary = Tensor (*)(const Tensor&, const Tensor&);
struct Operator {
  const char *name, *left, *right;
  Binary function;
  const char* documentation;
};
constexpr std::array<Operator, 4> operators{
    {{"add", "__add__", "__radd__", &add, R"(a + b, element by element; b may be a number or an array, too.

Both are broadcast: [2, 3] and [3] -> [2, 3]. Error if an axis has two extents above 1. PyTorch: torch.add.

>>> regard.add(regard.tensor([1.0, 2.0]), 1)
Tensor[2] [2., 3.])"},
     {"subtract", "__sub__", "__rsub__", &subtract,
      R"(a - b, element by element; b may be a number or an array, too.

Both are broadcast. Error if an axis has two extents above 1. PyTorch: torch.sub.

>>> regard.subtract(regard.tensor([1.0, 2.0]), 1)
Tensor[2] [0., 1.])"},
     {"multiply", "__mul__", "__rmul__", &multiply,
      R"(a * b, element by element; b may be a number or an array, too.

Both are broadcast. Error if an axis has two extents above 1. PyTorch: torch.mul.

>>> regard.multiply(regard.tensor([1.0, 2.0]), 3)
Tensor[2] [3., 6.])"},
     {"divide", "__truediv__", "__rtruediv__", &divide,
      R"(a / b, element by element; b may be a number or an array, too.

Both are broadcast. Error if an axis has two extents above 1. PyTorch: torch.div.

>>> regard.divide(regard.tensor([1.0, 2.0]), 4)
Tensor[2] [0.25, 0.5 ])"}}};

/// The product of matrices. The axis that a vector lacks is left out of the result.
Tensor product(const Tensor& a, const Tensor& b) {
  if (a.rank() == 2 && b.rank() > 2) return transpose(matmul(transpose(b), transpose(a)));  // (B^T A^T)^T
  if (a.rank() != 1 && b.rank() != 1) return matmul(a, b);
  const Tensor left = a.rank() == 1 ? reshape(a, {1, a.size()}) : a;
  const Tensor right = b.rank() == 1 ? reshape(b, {b.size(), 1}) : b;
  const Tensor found = matmul(left, right);
  std::vector<Index> extents = found.shape().extents();
  if (b.rank() == 1) extents.pop_back();
  if (a.rank() == 1) extents.erase(extents.end() - (b.rank() == 1 ? 1 : 2));
  return reshape(found, Shape(std::move(extents)));
}

/// Two operands are broadcast: trailing axes are matched, an extent of 1 is repeated.
void add_operators(Operations& to) {
  for (const auto& [name, left, right, f, documentation] : operators) {
    const auto forward = [f = f](const Tensor& a, const Operand& b) { return f(a, b.tensor); };
    const auto reversed = [f = f](const Tensor& a, const Operand& b) { return f(b.tensor, a); };
    both(to, name, forward, "a"_a, "b"_a, documentation);
    method(to, {left, name}, forward, "other"_a, nb::is_operator());
    method(to, {right, name}, reversed, "other"_a, nb::is_operator());
  }
  const auto power = [](const Tensor& x, const Operand& exponent) {
    if (!exponent.is_number) throw nb::type_error("pow: the exponent is a tensor; give a number");
    return pow(x, exponent.tensor.item());
  };
  both(to, "pow", power, "x"_a, "exponent"_a,
       R"(x ** exponent of each element, for a number `exponent`, in the shape of x.

TypeError if the exponent is a tensor. PyTorch: torch.pow.

>>> regard.pow(regard.tensor([1.0, 3.0]), 2)
Tensor[2] [1., 9.])");
  method(to, {"__pow__", "pow"}, power, "exponent"_a, nb::is_operator());
  method(to, {"__neg__", "multiply"}, [](const Tensor& x) { return -x; });
  both(
      to, "matmul", &product, "a"_a, "b"_a,
      R"(The matrix product [m, k] x [k, n] -> [m, n], also for a batch: [batch, m, k] x [batch, k, n], or x [k, n].

A vector counts as a matrix of one row on the left, and of one column on the right. Error if the shapes do not fit.
PyTorch: torch.matmul.

>>> regard.matmul(regard.ones(2, 3), regard.ones(3, 2))
Tensor[2, 2] [[3., 3.],
              [3., 3.]])");
  method(to, {"__matmul__", "matmul"}, &product, "other"_a, nb::is_operator());
}

}  // namespace

nb::object to_python(const Tensor& tensor) {
  if (!tensor) return nb::none();
  return nb::cast(static_cast<AnyTensor*>(new Holder(tensor)), nb::rv_policy::take_ownership);
}

const Tensor* tensor_of(const AnyTensor& tensor) {
  const bool same = tensor.is_double() == (sizeof(Real) == sizeof(double));
  return same ? &static_cast<const Holder&>(tensor).tensor() : nullptr;
}

void add_precision(Operations& to) {
  add_properties(to);
  add_methods(to);
  add_protocols(to);
  add_operators(to);
  add_operations(to);
  add_choices(to);
  add_shapes(to);
  add_layers(to);
  add_sequences(to);
  add_recurrences(to);
  add_images(to);
  add_networks(to);
}

}}  // namespace regard::python::REGARD_PRECISION
