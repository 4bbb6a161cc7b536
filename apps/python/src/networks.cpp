// What networks need besides operations: tensors from arrays and random numbers, functions of Python in the
// graph, gradient checks, optimisers, files of tensors. This file is compiled once for each precision.
#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <memory>
#include <nanobind/stl/function.h>

#include "apps/python/src/bind.h"
#include "apps/python/src/locks.h"
#include "apps/python/src/module.h"
#include "apps/python/src/watched_values.h"
#include "autograd/autograd.h"
#include "nn/optimisers.h"
#include "nn/safetensors.h"

namespace regard::python { inline namespace REGARD_PRECISION {

namespace {

/// A function that the graph keeps. The graph may free it on a thread without the interpreter's lock.
std::shared_ptr<const nb::callable> kept_by_graph(const nb::callable& function) {
  return {new nb::callable(function), [](const nb::callable* p) {
            if (!nb::is_alive()) return;
            const nb::gil_scoped_acquire acquire;
            delete p;
          }};
}

/// The result `value` of a function of `inputs` whose derivative is known to Python: backward(dL/dvalue)
/// returns a list with dL/dinput of each input, of its shape, or None for 0.
Tensor record(const nb::str& name, const Tensor& value, const std::vector<Tensor>& inputs,
              const nb::callable& function) {
  const nb::gil_scoped_acquire lock;
  std::vector<Index> sizes;
  for (const Tensor& input : inputs) sizes.push_back(input.size());
  const auto differentiate = [kept = kept_by_graph(function), sizes,
                              shape = value.shape()](BackwardContext& context) {
    const nb::gil_scoped_acquire acquire;
    const Tensor gradient = Tensor::from(shape, {context.output_grad(), to_size(shape.size())});
    const nb::object found = (*kept)(to_python(gradient));
    const auto gradients =
        Crossing<std::vector<Tensor>>::in(nb::cast<std::vector<GivenTensor>>(found), "backward");
    if (gradients.size() != sizes.size())
      fail("backward: {} gradients for {} inputs", gradients.size(), sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (gradients[i] && gradients[i].size() != sizes[i])
        fail("backward: a gradient of the shape {} for an input of {} elements",
             to_string(gradients[i].shape()), sizes[i]);
      GradSlot slot = context.input_grad(i);
      if (slot && !gradients[i]) slot.start_with_zeros(sizes[i]);
      if (slot && gradients[i])
        for (Index j = 0; j < sizes[i]; ++j) slot.put(j, gradients[i].data()[j]);
    }
  };
  // The graph needs the name for ever. Python has one interned string of each name, which stays from now on.
  PyObject* interned = name.inc_ref().ptr();
  PyUnicode_InternInPlace(&interned);
  return Operation(PyUnicode_AsUTF8AndSize(interned, nullptr)).record(value.detach(), inputs, differentiate);
}

/// The backward of an operation whose result has hooks: they are called first, each with what the one before
/// returned.
struct HookedBackward {
  Node* node;
  Backward differentiate;
  std::vector<std::shared_ptr<const nb::callable>> hooks = {};

  void operator()(BackwardContext& context) const {
    for (const auto& hook : hooks) {
      const nb::gil_scoped_acquire acquire;
      const Tensor gradient = Tensor::from(node->shape, {context.output_grad(), to_size(node->shape.size())});
      const Tensor found = Crossing<Tensor>::in({{(*hook)(to_python(gradient))}}, "register_hook");
      if (!found || found.shape() != node->shape)
        fail("register_hook: a hook of a tensor returns a gradient of its shape, {}", to_string(node->shape));
      std::ranges::copy(found.values(), node->grad_data);
    }
    differentiate(context);
  }
};

/// Calls hook(dL/dx) in backward() for a result x of an operation. The tensor that it returns takes the place
/// of the gradient.
void hook_backward(const Tensor& x, const nb::callable& hook) {
  const nb::gil_scoped_acquire lock;
  Node* const node = x.node().get();
  if (node == nullptr || !node->backward)
    fail("register_hook: no operation made this tensor, or backward() released its graph");
  if (node->backward.target<HookedBackward>() == nullptr)
    node->backward = HookedBackward{node, node->backward};
  node->backward.target<HookedBackward>()->hooks.push_back(kept_by_graph(hook));
}

/// The tensors of a file that have this precision. Those of half precision become float32.
std::vector<std::pair<std::string, GivenTensor>> load_tensors(const std::string& path) {
  const nn::SafetensorsFile file(path);
  std::vector<std::pair<std::string, GivenTensor>> tensors;
  for (const auto& [name, shape] : file.shapes())
    if ((file.type(name) == "F64") == (sizeof(Real) == sizeof(double)))
      tensors.emplace_back(name, Crossing<Tensor>::out(watch_values(file.read(name))));
  return tensors;
}

/// Arrays of float32 and float64.
void save_tensors(const std::string& path, const std::vector<std::pair<std::string, nb::object>>& arrays) {
  std::vector<nb::ndarray<nb::c_contig, nb::device::cpu>> kept;
  std::vector<nn::StoredTensor> tensors;
  for (const auto& [name, array] : arrays) {
    const auto& numbers = kept.emplace_back(nb::cast<nb::ndarray<nb::c_contig, nb::device::cpu>>(array));
    if (numbers.dtype() != nb::dtype<double>() && numbers.dtype() != nb::dtype<float>())
      fail("{}: the file takes numbers of float32 and float64 alone", name);
    tensors.push_back({.name = name,
                       .type = numbers.dtype() == nb::dtype<double>() ? "F64" : "F32",
                       .shape = shape_of(numbers),
                       .bytes = {static_cast<const char*>(numbers.data()), numbers.nbytes()}});
  }
  nn::save_stored_tensors(path, tensors, {});
}

/// Only in double precision.
void add_gradcheck(nb::module_& m) {
  m.def("gradcheck", [](const nb::callable& function, const std::vector<GivenTensor>& inputs, double step,
                        double tolerance, Index every_entry_up_to, int directions, std::uint64_t seed,
                        std::vector<std::string> names) {
    const auto call = [&](const std::vector<Tensor>& given) {
      const nb::gil_scoped_acquire acquire;
      nb::list list;
      for (const Tensor& tensor : given) list.append(to_python(tensor));
      const nb::object found = function(*list);
      const AnyTensor* const tensor = any_tensor(found);
      if (tensor == nullptr || !tensor->is_double())
        throw nb::type_error(fmt::format("gradcheck: the function must return a float64 tensor, got {}",
                                         nb::inst_name(found).c_str())
                                 .c_str());
      return *tensor_of(*tensor);
    };
    const GradcheckOptions options{.step = step,
                                   .tolerance = tolerance,
                                   .every_entry_up_to = every_entry_up_to,
                                   .directions = directions,
                                   .seed = seed,
                                   .names = std::move(names)};
    const std::vector<Tensor> tensors = Crossing<std::vector<Tensor>>::in(inputs, "gradcheck");
    const GradcheckResult found = without_lock([&] {
      const GradientAccess access;
      return gradcheck(call, tensors, options);
    });
    nb::list each;
    for (const GradcheckResult::Input& input : found.inputs)
      each.append(result("GradcheckInput", input.name, input.error, input.checked, input.kinks));
    return result("GradcheckResult", found.error, found.passed, found.checked, found.kinks, found.worst, each,
                  table_of(found));
  });
}

/// Functions of one precision, which no tensor among their arguments decides.
void add_creation(nb::module_ m) {
  m.def("tensor", [](const nb::ndarray<const Real, nb::c_contig, nb::device::cpu>& array) {
    return Crossing<Tensor>::out(
        watch_values(Tensor::from(shape_of(array), std::span<const Real>(array.data(), array.size()))));
  });
  m.def("uniform", [](const Shape& shape, Real low, Real high, Random& random) {
    return Crossing<Tensor>::out(watch_values(Tensor::uniform(shape, low, high, random)));
  });
  m.def("normal", [](const Shape& shape, Real mean, Real deviation, Random& random) {
    return Crossing<Tensor>::out(watch_values(Tensor::normal(shape, mean, deviation, random)));
  });
  m.def("no_grad",
        [] { return nb::capsule(new NoGrad, [](void* p) noexcept { delete static_cast<NoGrad*>(p); }); });
  m.def("load_tensors", &load_tensors);
  if (sizeof(Real) == sizeof(float)) m.def("save_tensors", &save_tensors);
  if (sizeof(Real) == sizeof(double)) add_gradcheck(m);
}

}  // namespace

void add_networks(Operations& to) {
  function(to, "_record", &record);
  method(to, "_hook_backward", &hook_backward, nb::arg("hook"));
  function(to, "_is_finite", [](const Tensor& x) {
    return std::ranges::all_of(x.values(), [](Real value) { return std::isfinite(value); });
  });
  function(to, "_adam_update",
           [](const Tensor& values, const Tensor& gradient, const Tensor& first, const Tensor& second,
              Index step, double rate, double beta1, double beta2, double epsilon, double weight_decay) {
             nn::adam_update(
                 values, gradient.clone(), {first, second}, step, rate,
                 {.beta1 = beta1, .beta2 = beta2, .epsilon = epsilon, .weight_decay = weight_decay});
             values.values_changed();
           });
  add_creation(to.module.def_submodule(sizeof(Real) == sizeof(float) ? "_float32" : "_float64"));
}

}}  // namespace regard::python::REGARD_PRECISION
