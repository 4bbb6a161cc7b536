#pragma once

#include <any>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/python/src/crossing.h"

// An operation is bound where it is named, with its arguments and its documentation:
//   both(to, "exp", &exp, "x"_a, "e^x of each element.");
// Files with such lines are compiled once for each precision. Double precision comes first, and leaves its
// functions in Operations::doubles. Single precision makes one function of Python of both: it looks at the
// tensors among the arguments, and calls the one or the other. The way of a call:
//   x of Python -> In<T> -> which precision? -> Crossing<T>::in -> without_lock(f) -> Crossing<T>::out ->
//   Python

namespace regard::python {

struct Operations {
  nb::module_ module;
  nb::class_<AnyTensor> tensor;
  std::map<std::string, std::any> doubles = {};
};

/// The name of a function, the name that messages use, and the function among several of this name.
struct Name {
  Name(const char* name) : Name(name, name) {}  // NOLINT: mostly the same
  Name(const char* in_python, const char* in_messages, const char* which = "")
      : python(in_python), message(in_messages), key(std::string(in_python) + which) {}
  const char *python, *message;
  std::string key;
};

/// Notes a tensor among the arguments of `op`; all must have the same precision.
inline void note(const char* op, const AnyTensor*& first, nb::handle object) {
  const AnyTensor* const tensor = any_tensor(object);
  if (tensor == nullptr) return;
  if (first == nullptr) first = tensor;
  if (first->is_double() != tensor->is_double())
    fail(
        "{}: one tensor is {} and the other {}; make both of one dtype: x.float() or x.double() converts a "
        "tensor, model.double() a model",
        op, first->dtype(), tensor->dtype());
}
template <class Argument>
void look(const char* op, const AnyTensor*& first, const Argument& argument) {
  if constexpr (std::is_same_v<Argument, GivenColumns>) {
    const bool is_tuple = PyTuple_Check(argument.object.ptr()) && PyTuple_Size(argument.object.ptr()) > 0;
    note(op, first, is_tuple ? PyTuple_GetItem(argument.object.ptr(), 0) : argument.object.ptr());
  } else if constexpr (std::derived_from<Argument, Given>) {
    note(op, first, argument.object);
  } else if constexpr (std::is_same_v<Argument, std::vector<GivenTensor>>) {
    for (const GivenTensor& each : argument) note(op, first, each.object);
  }
}

inline namespace REGARD_PRECISION {

/// The type of an argument T on Python's side. A reference that is not const stays what it is.
template <class T>
using In = std::conditional_t<std::is_lvalue_reference_v<T> && !std::is_const_v<std::remove_reference_t<T>>,
                              T, const typename Crossing<std::remove_cvref_t<T>>::Given&>;

template <class T>
decltype(auto) in(In<T> given, const char* op) {
  if constexpr (std::is_same_v<T, In<T>> && !std::is_const_v<std::remove_reference_t<T>>)
    return (given);
  else
    return Crossing<std::remove_cvref_t<T>>::in(given, op);
}

/// Python runs one thread at a time. A function that computes gives the interpreter's lock to others.
template <class Function, class... Arguments>
auto without_lock(const Function& function, Arguments&&... arguments) {
  const nb::gil_scoped_release release;
  return function(std::forward<Arguments>(arguments)...);
}

enum class Lock { released, kept };

/// The function with the types that Python's side has. One that makes its result for Python keeps the lock.
template <Lock lock, class Result, class... Arguments>
auto cross(std::function<Result(Arguments...)> function, const char* op) {
  using Out = typename Crossing<std::remove_cvref_t<Result>>::Given;
  return std::function<Out(In<Arguments>...)>([=](In<Arguments>... given) -> Out {
    const auto call = [&] {
      if constexpr (lock == Lock::kept || std::derived_from<Result, Given>)
        return function(in<Arguments>(given, op)...);
      else
        return without_lock(function, in<Arguments>(given, op)...);
    };
    if constexpr (std::is_void_v<Result>)
      call();
    else
      return Crossing<std::remove_cvref_t<Result>>::out(call());
  });
}

template <class Result, class... Given>
auto either(const char* op, std::function<Result(Given...)> single, std::function<Result(Given...)> twice) {
  return [=](Given... given) -> Result {
    const AnyTensor* first = nullptr;
    (look(op, first, given), ...);
    return (first != nullptr && first->is_double() ? twice : single)(given...);
  };
}

/// Calls bind() with the function for both precisions.
template <Lock lock = Lock::released, class Function, class Bind>
void join(Operations& to, const Name& name, const Function& function, const Bind& bind) {
  auto crossed = cross<lock>(std::function(function), name.message);
  if constexpr (sizeof(Real) == sizeof(double))
    to.doubles[name.key] = std::move(crossed);
  else
    bind(either(name.message, crossed, std::any_cast<decltype(crossed)>(to.doubles.at(name.key))));
}

/// Binds a function of the module.
template <class Function, class... Extra>
void function(Operations& to, const Name& name, const Function& f, const Extra&... extra) {
  join(to, name, f, [&](const auto& joined) { to.module.def(name.python, joined, extra...); });
}
/// Binds a method of Tensor.
template <class Function, class... Extra>
void method(Operations& to, const Name& name, const Function& f, const Extra&... extra) {
  join(to, name, f, [&](const auto& joined) { to.tensor.def(name.python, joined, extra...); });
}
template <class Function>
struct Setter {
  explicit Setter(Function f) : function(f) {}
  Function function;
};
/// Binds a property of Tensor, which is found too quickly to release the lock for it.
template <class Function, class... Extra>
void property(Operations& to, const Name& name, const Function& get, const Extra&... extra) {
  join<Lock::kept>(to, name, get,
                   [&](const auto& joined) { to.tensor.def_prop_ro(name.python, joined, extra...); });
}
/// Binds a property that may be set.
template <class Get, class Set, class... Extra>
void property(Operations& to, const Name& name, const Get& get, Setter<Set> set, const Extra&... extra) {
  const Name setter(name.python, name.message, "=");
  join<Lock::kept>(to, name, get, [&](const auto& read) {
    join(to, setter, set.function, [&](const auto& joined) {
      to.tensor.def_prop_rw(name.python, read, joined, nb::for_setter(nb::arg("value").none()), extra...);
    });
  });
  if constexpr (sizeof(Real) == sizeof(double)) join(to, setter, set.function, [](const auto&) {});
}
/// Binds a function of the module that is a method of its first argument, too.
template <class Function, class... Extra>
void both(Operations& to, const Name& name, const Function& f, const nb::arg& self, const Extra&... extra) {
  function(to, name, f, self, extra...);
  method(to, name, f, extra...);
}

/// Everything that has a precision: the members of Tensor (tensors.cpp), and these, each in a file of its
/// own.
void add_precision(Operations& to);
void add_operations(Operations& to);
void add_choices(Operations& to);
void add_shapes(Operations& to);
void add_layers(Operations& to);
void add_sequences(Operations& to);
void add_recurrences(Operations& to);
void add_images(Operations& to);
void add_networks(Operations& to);

}  // namespace REGARD_PRECISION
}  // namespace regard::python
