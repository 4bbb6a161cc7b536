#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

#include "autograd/machine/real.h"
#include "autograd/tensor.h"

// Modules: what a layer of your own derives from, and how its parameters are found.

namespace regard { inline namespace REGARD_PRECISION { namespace nn {

class Dropout;
class Module;

/// Uniform in ±sqrt(6 / (in + out)) for weight[out, in], so that neither values nor gradients grow from layer
/// to layer (Glorot and Bengio 2010, eq. 16).
Tensor xavier_uniform(Index out, Index in, Random& random);

/// Makes a tensor a parameter: something that training changes.
Tensor parameter(Tensor value);

struct NamedParameter {
  std::string name;  ///< as in PyTorch: "encoder.layers.0.self_attn.in_proj_weight"
  Tensor tensor;
};

/// Each tensor once, under its first name: two modules may share one.
std::vector<NamedParameter> distinct(const std::vector<NamedParameter>& parameters);

/// Walks through a module and everything inside it. The name of a parameter is the path to it.
class Visitor {
 public:
  virtual ~Visitor() = default;
  virtual void parameter(const std::string& /*name*/, Tensor& /*tensor*/) {}  ///< called for each parameter
  virtual void dropout(Dropout& /*layer*/) {}                                 ///< called for each dropout
  /// Called for each module inside, before its parts. `path` is as in "encoder.layers.0.self_attn".
  virtual void module(const std::string& /*path*/, Module& /*inner*/) {}

  // A module calls these in visit().
  void operator()(const std::string& name, Tensor& tensor) { parameter(path_ + name, tensor); }
  void operator()(const std::string& name, Module& inner);
  void operator()(Dropout& layer) { dropout(layer); }
  /// A list of modules: layer i is `name`.i, as in torch.nn.ModuleList.
  template <std::derived_from<Module> Layer>
  void operator()(const std::string& name, std::vector<Layer>& layers) {
    for (std::size_t i = 0; i < layers.size(); ++i) (*this)(name + "." + std::to_string(i), layers[i]);
  }

 private:
  std::string path_;
};

/// A part of a network: holds parameters, dropouts and other modules, and shows them to visitors. A module of
/// your own derives from this, names what it has in visit(), and computes in a function of its choice.
class Module {
 public:
  Module() = default;
  Module(const Module&) = default;
  Module(Module&&) = default;
  Module& operator=(const Module&) = default;
  Module& operator=(Module&&) = default;
  virtual ~Module() = default;

  /// Shows parameters, dropouts and modules inside to the visitor, each by its name: visitor("weight",
  /// weight).
  virtual void visit(Visitor& visitor) = 0;

  /// All parameters in order of declaration; one that is used in several places appears once, under its
  /// first name.
  std::vector<NamedParameter> parameters();
  Index parameter_count();  ///< the number of values in parameters()

  /// The dropouts in the order of visit(). They are parts of the module: it must stay where it is.
  std::vector<Dropout*> dropouts();

  /// Training mode switches the dropouts on, evaluation mode off. A new module is in training mode.
  void train();
  void eval();  ///< evaluation mode: see train()

  /// Chooses the random numbers of the dropouts. `part` is the number of a part of the step's batch, for
  /// batches that are computed in parts. Before the first call, the seed is default_seed() and the step 0.
  void set_random(std::uint64_t seed, std::uint32_t step, std::uint32_t part = 0);
};

}}}  // namespace regard::REGARD_PRECISION::nn
