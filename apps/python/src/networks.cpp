// What networks need besides operations: functions of Python in the graph, optimisers, files of tensors. This
// file is compiled once for each precision.
#include <memory>
#include <nanobind/ndarray.h>

#include "apps/python/src/casters.h"
#include "apps/python/src/locks.h"
#include "apps/python/src/module.h"
#include "autograd/autograd.h"
#include "nn/optimisers.h"
#include "nn/safetensors.h"

namespace regard::python::inline REGARD_PRECISION {

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
  std::vector<Index> sizes;
  for (const Tensor& input : inputs) sizes.push_back(input.size());
  const auto differentiate = [kept = kept_by_graph(function), sizes,
                              shape = value.shape()](BackwardContext& context) {
    const nb::gil_scoped_acquire acquire;
    const Tensor gradient = Tensor::from(shape, {context.output_grad(), to_size(shape.size())});
    const auto gradients = nb::cast<std::vector<Tensor>>((*kept)(gradient));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      GradSlot slot = context.input_grad(i);
      if (slot && !gradients[i]) slot.start_with_zeros(sizes[i]);
      if (slot && gradients[i])
        for (Index j = 0; j < sizes[i]; ++j) slot.put(j, gradients[i].data()[j]);
    }
  };
  // The graph needs the name for ever. Python has one interned string of each name, which stays from now on.
  PyObject* interned = name.inc_ref().ptr();
  PyUnicode_InternInPlace(&interned);
  return Operation(PyUnicode_AsUTF8(interned)).record(value.detach(), inputs, differentiate);
}

/// The tensors of a file that have this precision. Those of half precision become float32.
std::vector<std::pair<std::string, Tensor>> load_tensors(const std::string& path) {
  const nn::SafetensorsFile file(path);
  std::vector<std::pair<std::string, Tensor>> tensors;
  for (const auto& [name, shape] : file.shapes())
    if ((file.type(name) == "F64") == (sizeof(Real) == sizeof(double)))
      tensors.emplace_back(name, file.read(name).watch_values());
  return tensors;
}

/// Arrays of float32 and float64.
void save_tensors(const std::string& path, const std::vector<std::pair<std::string, nb::object>>& arrays) {
  std::vector<nb::ndarray<nb::c_contig, nb::device::cpu>> kept;
  std::vector<nn::StoredTensor> tensors;
  for (const auto& [name, array] : arrays) {
    const auto& numbers = kept.emplace_back(nb::cast<nb::ndarray<nb::c_contig, nb::device::cpu>>(array));
    std::vector<Index> extents;
    for (std::size_t axis = 0; axis < numbers.ndim(); ++axis)
      extents.push_back(to_index(numbers.shape(axis)));
    tensors.push_back({.name = name,
                       .type = numbers.dtype() == nb::dtype<double>() ? "F64" : "F32",
                       .shape = Shape(std::move(extents)),
                       .bytes = {static_cast<const char*>(numbers.data()), numbers.nbytes()}});
  }
  nn::save_stored_tensors(path, tensors, {});
}

}  // namespace

void add_networks(nb::module_& m) {
  m.def("record", &record);
  m.def(
      "adam_update",
      [](const Tensor& values, const Tensor& gradient, const Tensor& first, const Tensor& second, Index step,
         double rate, double beta1, double beta2, double epsilon, double weight_decay) {
        nn::adam_update(values, gradient.clone(), {first, second}, step, rate,
                        {.beta1 = beta1, .beta2 = beta2, .epsilon = epsilon, .weight_decay = weight_decay});
        values.values_changed();
      },
      NoLock());
  m.def("load_tensors", &load_tensors);
  if (sizeof(Real) == sizeof(float)) m.def("save_tensors", &save_tensors);
}

}  // namespace regard::python::REGARD_PRECISION
