#pragma once

#include <string>
#include <vector>

#include "autograd/real.h"
#include "nn/module.h"

namespace regard::translation {

/// Excludes parameters from the training: the parameters with one of these names, and the parameters of a
/// module with one of these names ("encoder" freezes every "encoder.…"). A matrix that several modules share
/// has several names, and each of them freezes it. Throws Error for a name that no parameter and no module
/// has.
void freeze(nn::Module& model, const std::vector<std::string>& names);

/// Neighbouring parameters that are all frozen or all trained.
struct ParameterGroup {
  std::string name;  ///< of the largest module that holds no other parameters; or of one parameter
  Index numbers = 0;
  bool frozen = false;
};

/// Divides all parameters into as few groups as possible. A shared matrix is a group alone, with all its
/// names.
std::vector<ParameterGroup> parameter_groups(nn::Module& model);

}  // namespace regard::translation
