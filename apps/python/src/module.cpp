// The module regard._core: what does not depend on the precision.
#include "apps/python/src/module.h"

#include <nanobind/stl/string_view.h>

#include "apps/python/src/casters.h"
#include "apps/translation/files/version.h"
#include "autograd/kernels/time_steps.h"
#include "autograd/machine/error.h"
#include "autograd/machine/memory.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/random.h"

namespace regard::python { namespace {

/// A message with Python's arguments in place of the program's options.
std::string in_python(std::string message) {
  using Words = std::pair<std::string_view, std::string_view>;
  for (const auto& [option, argument] :
       {Words("--overwrite", "overwrite=True"), Words("--set ", "overrides: ")})
    for (std::size_t at = 0; (at = message.find(option, at)) != std::string::npos; at += argument.size())
      message.replace(at, option.size(), argument);
  return message;
}

template <class Exception>
nb::object add_error(nb::module_& m, const char* name, nb::handle base, const char* documentation) {
  const std::string full_name = std::string("regard._core.") + name;
  nb::object type =
      nb::steal(PyErr_NewExceptionWithDoc(full_name.c_str(), documentation, base.ptr(), nullptr));
  m.attr(name) = type;
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* of_python) {
        try {
          std::rethrow_exception(thrown);
        } catch (const Exception& error) {
          PyErr_SetString(static_cast<PyObject*>(of_python), in_python(error.what()).c_str());
        }
      },
      type.ptr());
  return type;
}

/// A translator that is added later is asked earlier.
void add_errors(nb::module_& m) {
  const nb::object error =
      add_error<Error>(m, "Error", PyExc_RuntimeError,
                       "Every error that regard finds. Its text says what was wrong, where, and what to do.");
  add_error<OutOfMemory>(m, "OutOfMemory", error, "Memory ran out.");
  add_error<NotFinite>(m, "NotFinite", error, "The model produced NaN or infinity.");
}

void add_tensor_class(nb::module_& m) {
  using Binary = AnyTensor::Binary;
  nb::class_<AnyTensor> tensor(
      m, "Tensor", nb::sig("class Tensor(regard.methods.Methods)"),
      "An array of float32 or float64 that may take part in a computation whose gradient is wanted.\n\n"
      "regard.tensor makes one. +, -, * and / broadcast as in NumPy; @ is the matrix product. A Tensor is a "
      "handle:\n"
      "results of reshape, slice along axis 0, detach and numpy share memory with it.");
  tensor.attr("__array_ufunc__") = nb::none();  // so that array * tensor asks the tensor
  tensor.def_prop_ro("shape", &AnyTensor::shape, "The extents, outermost first.")
      .def_prop_ro(
          "ndim", [](const AnyTensor& self) { return self.shape().rank(); }, "The number of axes.")
      .def_prop_ro(
          "size", [](const AnyTensor& self) { return self.shape().size(); }, "The number of elements.")
      .def_prop_ro(
          "dtype",
          [](const AnyTensor& self) { return nb::module_::import_("numpy").attr("dtype")(self.dtype()); },
          nb::sig("def dtype(self) -> typing.Any"), "numpy.dtype float32 or float64.")
      .def_prop_rw(
          "requires_grad", &AnyTensor::requires_grad, &AnyTensor::set_requires_grad,
          "True if backward() computes a gradient for this tensor. Can be set unless an operation made it.")
      .def_prop_ro("is_leaf", &AnyTensor::is_leaf, "True if no recorded operation made this tensor.")
      .def_prop_rw(
          "grad", &AnyTensor::grad,
          [](const AnyTensor& self, const nb::object& value) {
            if (!value.is_none())
              throw nb::type_error("grad can only be set to None; write numbers to x.grad.numpy()");
            self.zero_grad();
          },
          nb::for_getter(nb::sig("def grad(self) -> Tensor | None")), nb::for_setter(nb::arg("value").none()),
          nb::for_setter(nb::sig("def grad(self, value: None) -> None")),
          "The gradient after backward(), or None. Shares memory.")
      .def("backward", &AnyTensor::backward, nb::arg("cotangent") = nb::none(),
           nb::arg("retain_graph") = false,
           "Adds the gradient of this tensor to each leaf that it depends on.\n\n"
           "cotangent is dL/d(self), of this shape; a scalar needs none. The graph is released on the way "
           "unless\n"
           "retain_graph says to keep it for another backward().")
      .def("retain_grad", &AnyTensor::retain_grad, "Keeps the gradient of an inner result in backward().")
      .def("zero_grad", &AnyTensor::zero_grad,
           "Discards the gradient: the next backward() does not add to it.")
      .def("detach", &AnyTensor::detach, nb::sig("def detach(self) -> Tensor"),
           "The same values without history. Shares memory.")
      .def("clone", &AnyTensor::clone, nb::sig("def clone(self) -> Tensor"), "A copy without history.")
      .def("_values_changed", &AnyTensor::values_changed)
      .def("item", &AnyTensor::item, "The value of a tensor of one element, as a Python float.")
      .def(
          "numpy", [](const AnyTensor& self) { return self.numpy(self.is_leaf()); },
          nb::sig("def numpy(self) -> typing.Any"),
          "A NumPy array over the same memory, which stays valid as long as the array lives.\n\n"
          "The array of an operation's result is read-only, because backward() may need its values.")
      .def("__float__", &AnyTensor::item)
      .def("__len__",
           [](const AnyTensor& self) {
             if (self.shape().rank() == 0) throw nb::type_error("a tensor without axes has no length");
             return self.shape()[0];
           })
      .def("__bool__",
           [](const AnyTensor&) -> bool {
             throw nb::type_error(
                 "a tensor is neither true nor false; ask for x.item(), len(x) or x is not None");
           })
      .def("__repr__", &AnyTensor::text)
      .def(
          "__neg__",
          [](const AnyTensor& self) { return self.binary(Binary::multiply, nb::float_(-1.0), false); },
          nb::sig("def __neg__(self) -> Tensor"))
      .def("__matmul__", &AnyTensor::matmul, nb::sig("def __matmul__(self, other: Tensor) -> Tensor"))
      .def("__pow__", &AnyTensor::power, nb::sig("def __pow__(self, exponent: float) -> Tensor"))
      .def(
          "__dlpack__",
          [](const AnyTensor& self, const nb::kwargs& options) {
            return self.numpy(true).attr("__dlpack__")(**options);
          },
          nb::sig("def __dlpack__(self, **options: typing.Any) -> typing.Any"))
      .def("__dlpack_device__", [](const AnyTensor&) { return std::pair(1, 0); });
  for (const auto& [name, op] : {std::pair{"add__", Binary::add},
                                 {"sub__", Binary::subtract},
                                 {"mul__", Binary::multiply},
                                 {"truediv__", Binary::divide}})
    for (const bool reversed : {false, true})
      tensor.def((std::string(reversed ? "__r" : "__") + name).c_str(),
                 [op = op, reversed](const AnyTensor& self, nb::handle other) {
                   return self.binary(op, other, reversed);
                 },
                 nb::arg("other").none(),
                 nb::sig(fmt::format("def {}{}(self, other: Tensor | float) -> Tensor",
                                     reversed ? "__r" : "__", name)
                             .c_str()));
}

void add_packing(nb::module_& m) {
  nb::class_<KeyRanges>(
      m, "KeyRanges",
      "The keys that each query of a packed batch looks at: consecutive rows. Made by all_keys,\n"
      "keys_up_to_query and keys_near. The scores of all pairs lie one after another, [pairs].")
      .def_prop_ro("queries", &KeyRanges::queries)
      .def_prop_ro("pairs", &KeyRanges::pairs)
      .def_ro("first", &KeyRanges::first, "The row of the first key, for each query.")
      .def_ro("offsets", &KeyRanges::offsets, "The pairs offsets[i] .. offsets[i + 1] are those of query i.");
  m.def("segments", &segments);
  m.def("all_keys", &all_keys, nb::arg("segments"), "Every query looks at all keys of its sentence.");
  m.def("keys_up_to_query", &keys_up_to_query, nb::arg("segments"),
        "Of n queries and m keys, query i looks at the keys 0 .. m-n+i of its sentence.");
  m.def(
      "keys_near",
      [](const Segments& segments, const std::vector<double>& centres, Index radius) {
        return keys_near(segments, centres, radius);
      },
      nb::arg("segments"), nb::arg("centres"), nb::arg("radius"),
      "Query i looks at the keys at most `radius` positions away from centres[i].");
  m.def("places", &places);
  nb::class_<TimeSteps>(m, "TimeSteps", "The order in which a recurrence reads the rows of a packed batch.")
      .def(
          "__init__",
          [](TimeSteps* self, const std::vector<Index>& offsets, bool backward) {
            new (self) TimeSteps(offsets, backward ? Direction::backward : Direction::forward);
          },
          nb::arg("offsets"), nb::arg("backward") = false,
          "Sentence i has the rows offsets[i] .. offsets[i + 1]; `backward` reads each from its end.")
      .def_prop_ro("sentences", &TimeSteps::sentences)
      .def_prop_ro("rows", &TimeSteps::rows)
      .def_prop_ro("last_rows", [](const TimeSteps& self) {
        return std::vector<std::int32_t>(self.last_rows().begin(), self.last_rows().end());
      });
}

void add_machine(nb::module_& m) {
  nb::class_<Random>(m, "Random",
                     "A sequence of random numbers: the same seed gives the same numbers everywhere.")
      .def(nb::init<std::uint64_t>(), nb::arg("seed"))
      .def("uniform", nb::overload_cast<>(&Random::uniform), "The next number in [0, 1).")
      .def("normal", &Random::normal, "The next standard normal number.");
  m.def("threads", &threads, "The number of threads that regard computes with.");
  m.def(
      "set_threads", [](int count) { set_threads(count); }, nb::arg("count"),
      "Sets the number of threads that regard computes with.");
  m.def(
      "memory_in_use", [] { return memory_statistics().in_use; },
      "The bytes that all tensors have at present.");
  m.attr("__version__") = translation::exact_version();
}

/// Calls the operation `name` in the precision of the tensors among the arguments, or in lists and tuples
/// there.
class Caller {
 public:
  Caller(nb::object float32, nb::object float64) : modules_{std::move(float32), std::move(float64)} {}

  nb::object operator()(const nb::str& name, const nb::args& arguments) const {
    const AnyTensor* first = nullptr;
    for (const nb::handle argument : arguments) {
      if (nb::isinstance<nb::tuple>(argument) || nb::isinstance<nb::list>(argument))
        for (const nb::handle item : argument) compare(name, first, item);
      else
        compare(name, first, argument);
    }
    if (first == nullptr) fail_arguments(name, arguments);
    const nb::object function = modules_[first->is_double() ? 1 : 0].attr(name);
    try {
      return function(*arguments);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_TypeError)) throw;
    }
    fail_arguments(name, arguments);
  }

 private:
  static void compare(const nb::str& name, const AnyTensor*& first, nb::handle argument) {
    const AnyTensor* const tensor = any_tensor(argument);
    if (tensor == nullptr) return;
    if (first == nullptr) first = tensor;
    if (first->is_double() != tensor->is_double())
      fail("{}: one tensor is {} and the other {}; make both of one dtype: regard.tensor(x, dtype=...)",
           name.c_str(), first->dtype(), tensor->dtype());
  }
  [[noreturn]] static void fail_arguments(const nb::str& name, const nb::args& arguments) {
    std::string types;
    for (const nb::handle argument : arguments)
      types += (types.empty() ? "" : ", ") + std::string(nb::inst_name(argument).c_str());
    throw nb::type_error(fmt::format("{0}: arguments of the types ({1}) do not fit; see help(regard.{0}). "
                                     "regard.tensor(array) makes a tensor",
                                     name.c_str(), types)
                             .c_str());
  }

  nb::object modules_[2];
};

}  // namespace
}  // namespace regard::python

NB_MODULE(_core, m) {
  using namespace regard::python;
  add_errors(m);
  add_tensor_class(m);
  add_packing(m);
  add_machine(m);
  nb::module_ float32 = m.def_submodule("_float32"), float64 = m.def_submodule("_float64");
  f32::add_operations(float32);
  f64::add_operations(float64);
  f32::add_networks(float32);
  f64::add_networks(float64);
  m.def("call", Caller(float32, float64),
        nb::sig("def call(name: str, *arguments: typing.Any) -> typing.Any"));
  add_models(m);
  add_training(m);
}
