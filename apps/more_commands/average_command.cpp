#include <fmt/format.h>
#include <vector>

#include "apps/regard/command_line.h"
#include "apps/regard/streams.h"
#include "apps/translation/model/weights.h"
#include "apps/translation/text/counted.h"
#include "nn/safetensors.h"

namespace regard::program {

namespace {

struct Average {
  std::vector<std::string> weights;  ///< files
  std::string output;
};

int run(const Average& average) {
  const OutputFiles output({{"--output", average.output}}, average.weights);
  const translation::Weights mean = translation::average_weights(average.weights);
  std::vector<nn::NamedParameter> tensors;
  for (const auto& [name, tensor] : mean.tensors) tensors.push_back({name, tensor});
  output.write([&] { nn::save_safetensors(average.output, tensors, mean.metadata()); });
  report("the mean of {}, written to {}\n", translation::counted(to_index(average.weights.size()), "file"),
         average.output);
  return 0;
}

}  // namespace

void add_average(const Command& program) {
  const Command command = program.add("average", "Write the mean of the weights in several files");
  Average& average = command.runs<Average>(run);
  command.option("WEIGHTS", average.weights, "Files of one model, such as MODEL_DIR/checkpoints/*", required);
  command.option("--output", average.output, "File to write the mean to", required);
  command.footer(
      "Example:\n"
      "  regard average build/model/checkpoints/*.safetensors --output mean.safetensors\n"
      "  regard evaluate build/model --weights mean.safetensors --source test.source --reference "
      "test.target");
}

}  // namespace regard::program
