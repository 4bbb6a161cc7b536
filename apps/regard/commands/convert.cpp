#include <fmt/format.h>
#include <memory>

#include "apps/regard/commands.h"
#include "apps/regard/options.h"
#include "apps/translation/files/files.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/model/weights.h"
#include "autograd/error.h"
#include "nn/quantise.h"
#include "nn/safetensors.h"

namespace regard::program {

namespace {

struct Convert {
  std::string model, weights, precision = "int8", output;
};

int run(const Convert& convert) {
  if (convert.precision != "int8")
    fail("--precision {}: models can be written in int8; bfloat16 is an option of regard translate",
         convert.precision);
  const translation::ModelDirectory output(convert.output);
  if (translation::path_exists(convert.output) &&
      output.content() != translation::ModelDirectory::Content::nothing)
    fail("--out {}: there is a model or a training already; give another directory", convert.output);
  translation::TranslationModel model = translation::TranslationModel::load(
      convert.model, {.weights = convert.weights, .precision = Precision::float32});
  const std::vector<nn::NamedParameter> parameters = nn::quantised_parameters(model.model);
  const translation::Weights origin{.identity = identity_of(model.settings, model.vocabularies),
                                    .sources = model.sources};
  translation::make_directories(convert.output);
  output.save_vocabularies(model.settings, model.vocabularies);
  nn::save_safetensors(output.weights(), parameters, origin.metadata());
  output.save_config(model.settings);  // last: without it, the directory is no model
  const Index before = translation::file_size(translation::ModelDirectory(convert.model).weights());
  const Index after = translation::file_size(output.weights());
  fmt::print("weights of {:.1f} MB, written to {} with {:.1f} MB\n", static_cast<double>(before) / 1e6,
             convert.output, static_cast<double>(after) / 1e6);
  return 0;
}

}  // namespace

void add_convert(const Command& program) {
  const auto convert = std::make_shared<Convert>();
  const Command command =
      program.add("convert", "Write a small copy of a model, in 8 bits, that can translate but not learn");
  command.option("MODEL_DIR", convert->model, "Directory that regard train wrote", required);
  add_weights(command, convert->weights);
  command.option("--precision", convert->precision, "Precision of the copy: int8", show_default);
  command.option("--out", convert->output, "Directory to write; it must hold no model", required);
  command.footer(
      "Example:\n"
      "  regard convert build/model --precision int8 --out build/small\n"
      "  regard translate build/small < source.txt");
  command.action([convert] { return run(*convert); });
}

}  // namespace regard::program
