#pragma once

#include <nanobind/nanobind.h>

// The parts of the module regard._core, each in its own file.

namespace regard::python {

/// A result of this name (regard/results.py) with its fields.
template <class... Fields>
nanobind::object result(const char* name, const Fields&... fields) {
  return nanobind::module_::import_("regard.results").attr(name)(fields...);
}

/// Trained models (models.cpp).
void add_models(nanobind::module_& module);
/// Trainings (training.cpp).
void add_training(nanobind::module_& module);

}  // namespace regard::python
