#include "apps/translation/training/freeze.h"

#include <algorithm>
#include <fmt/ranges.h>

#include "autograd/error.h"

namespace regard::translation {

namespace {

/// A parameter with all its names.
struct Parameter {
  std::vector<std::string> names;
  Tensor tensor;

  bool frozen() const { return !tensor.requires_grad(); }
};

class Collector : public nn::Visitor {
 public:
  void parameter(const std::string& name, Tensor& tensor) override {
    for (Parameter& known : found)
      if (known.tensor.is(tensor)) return known.names.push_back(name);
    found.push_back({{name}, tensor});
  }
  std::vector<Parameter> found;
};

std::vector<Parameter> parameters_of(nn::Module& model) {
  Collector collector;
  model.visit(collector);
  return std::move(collector.found);
}

/// True if this is the name of the parameter or of a module around it.
bool names_it(const std::string& name, const std::string& parameter) {
  return parameter == name || parameter.starts_with(name + ".");
}

/// Returns the name of the largest module around a parameter in which all parameters are frozen or all are
/// trained.
std::string group_of(const Parameter& parameter, const std::vector<Parameter>& all) {
  const std::string& name = parameter.names.front();
  if (parameter.names.size() > 1)
    return fmt::format("{} (shared: {})", name,
                       fmt::join(parameter.names.begin() + 1, parameter.names.end(), ", "));
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    const std::string module = name.substr(0, dot);
    const bool uniform = std::ranges::all_of(all, [&](const Parameter& other) {
      return !names_it(module, other.names.front()) || other.frozen() == parameter.frozen();
    });
    if (uniform) return module;
  }
  return name;
}

}  // namespace

void freeze(nn::Module& model, const std::vector<std::string>& names) {
  std::vector<Parameter> parameters = parameters_of(model);
  for (const std::string& name : names) {
    bool found = false;
    for (Parameter& parameter : parameters) {
      if (std::ranges::none_of(parameter.names, [&](const auto& its) { return names_it(name, its); }))
        continue;
      parameter.tensor.set_requires_grad(false);
      found = true;
    }
    if (!found)
      fail(
          "training.freeze: there is no parameter \"{0}\", and no name of a parameter begins with \"{0}.\"; "
          "regard inspect shows the names",
          name);
  }
}

std::vector<ParameterGroup> parameter_groups(nn::Module& model) {
  const std::vector<Parameter> parameters = parameters_of(model);
  std::vector<ParameterGroup> groups;
  for (const Parameter& parameter : parameters) {
    const std::string name = group_of(parameter, parameters);
    if (groups.empty() || groups.back().name != name)
      groups.push_back({.name = name, .frozen = parameter.frozen()});
    groups.back().numbers += parameter.tensor.size();
  }
  return groups;
}

}  // namespace regard::translation
