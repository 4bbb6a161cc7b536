// Weights that do not fit into a module: what is wrong is said, and nothing is changed.
#include <filesystem>

#include "autograd/machine/error.h"
#include "nn/layers.h"
#include "nn/safetensors.h"
#include "tests/catch.h"
#include "tests/gzip.h"
#include "tests/nn/safetensors_file.h"
#include "tests/nn/support.h"
#include "tests/temporary_directory.h"

using namespace regard;
using namespace regard::tests;

namespace {

struct TwoLayers : nn::Module {
  TwoLayers() : random(1), first(3, 4, random), second(4, 2, random) {}
  void visit(nn::Visitor& visitor) override {
    visitor("first", first);
    visitor("second", second);
  }
  Random random;
  nn::Linear first, second;
};

/// What load_parameters says to a file of these tensors; it must leave the model alone.
std::string misfit(const std::vector<nn::NamedParameter>& tensors) {
  const TemporaryDirectory directory;
  nn::save_safetensors(directory / "weights", tensors);
  TwoLayers model;
  const std::vector<Tensor> before = snapshot(model);
  const std::string message = MESSAGE_OF(nn::load_parameters(model, directory / "weights"));
  CHECK(same_bits(snapshot(model), before));
  CHECK_CONTAINS(message, (directory / "weights") + " does not fit the model: ");
  return message;
}

std::vector<nn::NamedParameter> ones() {
  return {{"first.weight", Tensor::full({4, 3}, 1)},
          {"first.bias", Tensor::full({4}, 1)},
          {"second.weight", Tensor::full({2, 4}, 1)},
          {"second.bias", Tensor::full({2}, 1)}};
}

}  // namespace

TEST_CASE("parameters that are missing, left over or of another shape, and then nothing changes") {
  auto tensors = ones();
  tensors.pop_back();
  CHECK_CONTAINS(misfit(tensors), "second.bias is missing");

  tensors = ones();
  tensors.push_back({"third.bias", Tensor::full({2}, 1)});
  CHECK_CONTAINS(misfit(tensors), "third.bias is not part of this model");
  tensors.back().name = "\x1B[31mred";  // what a terminal would obey is not shown
  CHECK_CONTAINS(misfit(tensors), ": \\u001b[31mred is not part of this model");

  tensors = ones();
  tensors[2].tensor = Tensor::full({4, 2}, 1);
  CHECK_CONTAINS(misfit(tensors), "second.weight has shape [4, 2] instead of [2, 4]");

  tensors = ones();
  tensors[1].name = "first.bais";
  CHECK_CONTAINS(misfit(tensors), "first.bias is missing; first.bais is not part of this model");
}

TEST_CASE("of many misfits the first are named and the others counted") {
  std::vector<nn::NamedParameter> tensors;
  for (int i = 0; i < 4; ++i) tensors.push_back({fmt::format("other{}", i), Tensor::full({1}, 1)});
  CHECK_THAT(misfit(tensors), ContainsSubstring("first.weight is missing; ") &&
                                  ContainsSubstring("other0 is not part of this model; and 3 more"));
}

TEST_CASE("a broken file changes no parameter") {
  const TemporaryDirectory directory;
  nn::save_safetensors(directory / "weights", ones());
  const std::string whole = content(directory / "weights");
  TwoLayers model;
  const std::vector<Tensor> before = snapshot(model);
  const std::string path = directory.file("short", whole.substr(0, whole.size() - 8));
  CHECK_ERROR(nn::load_parameters(model, path), "truncated");
  CHECK(same_bits(snapshot(model), before));
  nn::load_parameters(model, directory / "weights");
  CHECK_FALSE(same_bits(snapshot(model), before));
}
