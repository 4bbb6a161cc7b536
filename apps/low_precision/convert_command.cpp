#include <fmt/format.h>

#include "apps/regard/command_line.h"
#include "apps/regard/options.h"
#include "apps/regard/streams.h"
#include "apps/translation/files/files.h"
#include "apps/translation/files/new_directory.h"
#include "apps/translation/model/model_directory.h"
#include "apps/translation/model/translation_model.h"
#include "apps/translation/model/weights.h"
#include "apps/translation/settings/doors.h"
#include "autograd/machine/error.h"
#include "nn/low_precision/quantise.h"

namespace regard::program {

namespace {

struct Convert {
  std::string model, precision = "int8", output;
  translation::LoadOptions loading{.precision = Precision::float32};
};

int run(const Convert& convert) {
  if (convert.precision != "int8")
    fail("--precision {}: models can be written in int8; bfloat16 is an option of regard translate",
         convert.precision);
  translation::NewDirectory::check(convert.output);
  translation::LoadOptions loading = convert.loading;
  std::string file;  // of a selection of the vocabulary, which the copy has, too
  for (const translation::SearchRule& rule : translation::doors().rules)
    if (rule.load && translation::path_exists(convert.model + "/" + rule.file))
      loading.selection = rule.name, file = "/" + rule.file;
  translation::TranslationModel model = translation::TranslationModel::load(convert.model, loading);
  const translation::Weights origin{.identity = identity_of(model.settings, model.vocabularies),
                                    .sources = model.sources};
  complete_before_stopping([&] {
    translation::NewDirectory directory(convert.output);
    const translation::ModelDirectory output(directory.temporary());
    save_vocabularies(output.path(), model.settings.data, model.vocabularies);
    nn::save_quantised(output.weights(), model.model, origin.metadata());
    save_config(output.path(), model.settings);
    if (!file.empty()) translation::write_file(output.path() + file, read_file(convert.model + file));
    directory.finish();
  });
  const Index before = translation::file_size(translation::ModelDirectory(convert.model).weights());
  const Index after = translation::file_size(translation::ModelDirectory(convert.output).weights());
  report("weights of {:.1f} MB, written to {} with {:.1f} MB\n", static_cast<double>(before) / 1e6,
         convert.output, static_cast<double>(after) / 1e6);
  return 0;
}

}  // namespace

void add_convert(const Command& program) {
  const Command command =
      program.add("convert", "Write a small copy of a model, in 8 bits, that can translate but not learn");
  Convert& convert = command.runs<Convert>(run);
  command.option("MODEL_DIR", convert.model, "Directory that regard train wrote", required);
  convert.loading.make_model = command.own_model();
  add_weights(command, convert.loading.weights);
  command.option("--precision", convert.precision, "Precision of the copy: int8", show_default);
  command.option("--out", convert.output, "Directory to write; it must be new or empty", required);
  command.footer(
      "Example:\n"
      "  regard convert build/model --precision int8 --out build/small\n"
      "  regard translate build/small < source.txt");
}

}  // namespace regard::program
