// The module regard._core: what does not depend on the precision.
#include "apps/python/src/module.h"

#include <nanobind/stl/string_view.h>

#include "apps/python/src/bind.h"
#include "apps/translation/files/version.h"
#include "autograd/machine/error.h"
#include "autograd/machine/memory.h"
#include "autograd/machine/parallel.h"
#include "autograd/machine/random.h"
#include "nn/convolution/sliding_window.h"
#include "nn/general_attention/pairs.h"
#include "nn/optimisers.h"
#include "nn/recurrent/time_steps.h"

namespace regard::python {
namespace f64 {
void add_precision(Operations& to);
}

namespace {

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
                       R"(Every error that regard finds. Its text says what was wrong, where, and what to do.

PyTorch: RuntimeError, from which it is derived.

>>> try: regard.ones(2) + regard.ones(3)
... except regard.Error as error: print(error)
add: shapes [2] and [3] do not match at axis -1 (2 against 3); extents must be equal or 1)");
  add_error<OutOfMemory>(m, "OutOfMemory", error, R"(Memory ran out.

PyTorch: torch.OutOfMemoryError.

>>> issubclass(regard.OutOfMemory, regard.Error)
True)");
  add_error<NotFinite>(m, "NotFinite", error, R"(A model, a gradient or a file has NaN or infinity.

Source: regard's own; PyTorch computes on.

>>> try: regard.tensor([np.nan]).argmax()
... except regard.NotFinite: print("no largest value")
no largest value)");
}

nb::class_<AnyTensor> add_tensor_class(nb::module_& m) {
  nb::class_<AnyTensor> tensor(
      m, "Tensor", nb::sig("class Tensor(regard.methods.Methods)"),
      R"(An array of float32 or float64 that may take part in a computation whose gradient is wanted.

regard.tensor makes one; to call Tensor is a TypeError. +, -, * and / broadcast as in NumPy; @ is the matrix product. A
Tensor is a handle: results of reshape, slice along axis 0, detach and numpy share memory with it. PyTorch:
torch.Tensor.

>>> x = regard.tensor([1.0, 2.0], requires_grad=True)
>>> (x ** 2).sum().backward(); x.grad
Tensor[2] [2., 4.])");
  tensor.def("__init__", [](AnyTensor*, const nb::args&, const nb::kwargs&) {
    throw nb::type_error("regard.Tensor is the type of tensors; regard.tensor(data) makes one");
  });
  return tensor.def_prop_ro(
      "dtype",
      [](const AnyTensor& self) { return nb::module_::import_("numpy").attr("dtype")(self.dtype()); },
      nb::sig("def dtype(self) -> typing.Any"), "numpy.dtype float32 or float64.");
}

Segments segments_of(const GivenSegments& given) {
  return Crossing<Sentences>::in(given, "key ranges").segments.value();
}

void add_packing(nb::module_& m) {
  nb::class_<KeyRanges>(m, "KeyRanges",
                        R"(The keys that each query of a packed batch looks at: consecutive rows.

Made by all_keys, keys_up_to_query and keys_near. The scores of all pairs lie one after another, [pairs]. Source:
regard's own.

>>> list(regard.keys_up_to_query([0, 3]).offsets)
[0, 1, 3, 6])")
      .def_prop_ro("queries", &KeyRanges::queries)
      .def_prop_ro("pairs", &KeyRanges::pairs)
      .def_ro("first", &KeyRanges::first, "The row of the first key, for each query.")
      .def_ro("offsets", &KeyRanges::offsets, "The pairs offsets[i] .. offsets[i + 1] are those of query i.");
  m.def(
      "segments",
      [](const std::vector<Index>& query_offsets, const std::optional<std::vector<Index>>& key_offsets) {
        return segments(from_zero(query_offsets), from_zero(key_offsets.value_or(query_offsets)));
      },
      nb::arg("query_offsets"), nb::arg("key_offsets").none() = nb::none(),
      R"(A tuple (query_begin, query_end, key_begin, key_end) for each sentence of a packed batch: its queries look at these
keys.

Sentence i has the rows offsets[i] .. offsets[i + 1]. Without key_offsets, each sentence looks at itself. Error unless
offsets begin with 0 and rise. Source: regard's own; PyTorch has nested tensors.

>>> regard.segments([0, 3, 5])
[(0, 3, 0, 3), (3, 5, 3, 5)])");
  m.def(
      "all_keys", [](const GivenSegments& given) { return all_keys(segments_of(given)); },
      nb::arg("segments"),
      R"(The KeyRanges in which every query looks at all keys of its sentence.

segments: those of regard.segments(), or the offsets of sentences that look at themselves. Error if they do not follow
one another. Source: Bahdanau et al. 2015.

>>> regard.all_keys([0, 3, 5]).pairs
13)");
  m.def(
      "keys_up_to_query", [](const GivenSegments& given) { return keys_up_to_query(segments_of(given)); },
      nb::arg("segments"),
      R"(The KeyRanges in which, of n queries and m keys, query i looks at the keys 0 .. m-n+i of its
sentence.

segments and errors as in all_keys. Source: Vaswani et al. 2017, section 3.2.3.

>>> regard.keys_up_to_query([0, 3, 5]).pairs
9)");
  m.def(
      "keys_near",
      [](const GivenSegments& given, const std::vector<double>& centres, Index radius) {
        return keys_near(segments_of(given), centres, radius);
      },
      nb::arg("segments"), nb::arg("centres"), nb::arg("radius"),
      R"(The KeyRanges in which query i looks at the keys at most `radius` positions away from centres[i].

segments and errors as in all_keys. Source: Luong et al. 2015, section 3.2 (local attention).

>>> regard.keys_near([0, 4], [0, 1, 2, 3], 1).pairs
10)");
  m.def(
      "places",
      [](const Planes& planes, Index size, Index stride, Index padding) {
        return places(planes, {size, stride, padding});
      },
      nb::arg("planes"), nb::arg("size"), nb::arg("stride") = 1, nb::arg("padding") = 0,
      R"(The planes of the places of a window: (extent + 2 padding - size) / stride + 1, rounded down, on both axes.

Error if a window does not fit. PyTorch: the shapes of torch.nn.Conv2d.

>>> regard.places([(4, 5)], 3, padding=1)
[(4, 5)])");
  nb::class_<TimeSteps>(
      m, "TimeSteps",
      R"(TimeSteps(offsets, backward=False): the order in which a recurrence reads the rows of a packed batch.

Sentence i has the rows offsets[i] .. offsets[i + 1]; `backward` reads each from its end. Error unless offsets begin
with 0 and rise. PyTorch: torch.nn.utils.rnn.PackedSequence.

>>> regard.TimeSteps([0, 3, 5]).last_rows
[2, 4])")
      .def(
          "__init__",
          [](TimeSteps* self, const std::vector<Index>& offsets, bool backward) {
            new (self) TimeSteps(from_zero(offsets), backward ? Direction::backward : Direction::forward);
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
  nb::class_<Random>(
      m, "Random",
      R"(Random(seed): a sequence of random numbers. The same seed gives the same numbers everywhere.

TypeError unless the seed is a whole number of at least 0. PyTorch: torch.Generator.

>>> regard.Random(1).uniform() == regard.Random(1).uniform()
True)")
      .def(nb::init<std::uint64_t>(), nb::arg("seed"))
      .def("uniform", nb::overload_cast<>(&Random::uniform), "The next number in [0, 1).")
      .def("normal", &Random::normal, "The next standard normal number.");
  m.def("threads", &threads, R"(The number of threads that regard computes with.

PyTorch: torch.get_num_threads.

>>> regard.threads() >= 1
True)");
  m.def(
      "set_threads", [](int count) { set_threads(count); }, nb::arg("count"),
      R"(Sets the number of threads that regard computes with. It changes no bit.

Error if it is below 1. PyTorch: torch.set_num_threads.

>>> regard.set_threads(1); regard.threads()
1)");
  m.def(
      "memory_in_use", [] { return memory_statistics().in_use; },
      R"(The bytes that all tensors have at present.

PyTorch: torch.cuda.memory_allocated, for the CPU.

>>> before = regard.memory_in_use(); x = regard.zeros(1000)
>>> regard.memory_in_use() - before >= 4000
True)");
  m.def("_learning_rate",
        [](int schedule, Index step, double peak, Index warmup, Index d_model, Index steps, double minimum) {
          return nn::learning_rate({.schedule = static_cast<nn::Schedule>(schedule),
                                    .learning_rate = peak,
                                    .warmup_steps = warmup,
                                    .d_model = d_model,
                                    .steps = steps,
                                    .minimum = minimum},
                                   step);
        });
  m.attr("__version__") = translation::exact_version();
}

}  // namespace
}  // namespace regard::python

NB_MODULE(_core, m) {
  using namespace regard::python;
  add_errors(m);
  add_packing(m);
  add_machine(m);
  Operations operations{m, add_tensor_class(m)};
  f64::add_precision(operations);
  f32::add_precision(operations);
  add_models(m);
  add_training(m);
  nb::list names;
  for (const auto& [name, value] : nb::cast<nb::dict>(m.attr("__dict__")))
    if (!nb::cast<std::string>(name).starts_with("_")) names.append(name);
  m.attr("__all__") = names;
}
