#include <fmt/format.h>

#include "apps/exchange/export.h"
#include "apps/regard/command_line.h"
#include "apps/regard/options.h"
#include "apps/regard/streams.h"
#include "apps/translation/files/new_directory.h"
#include "apps/translation/model/translation_model.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

struct ExportCommand {
  std::string model, format, output;
  translation::LoadOptions loading{.precision = Precision::float32};
  std::string precision;  ///< empty: float32
};

exchange::WeightPrecision precision_of(const ExportCommand& settings) {
  if (settings.precision.empty() || settings.precision == "float32")
    return exchange::WeightPrecision::float32;
  if (settings.precision != "int8") fail("--precision {}: give float32 or int8", settings.precision);
  if (settings.format != "ctranslate2")
    fail("--precision int8 needs --format ctranslate2; the other formats hold float32");
  return exchange::WeightPrecision::int8;
}

int run(const ExportCommand& settings) {
  const auto is = [&](const char* format) { return settings.format == format; };
  if (!is("ctranslate2") && !is("huggingface") && !is("marian") && !is("pytorch"))
    fail("--format {}: give ctranslate2, huggingface, marian or pytorch", settings.format);
  const exchange::WeightPrecision precision = precision_of(settings);
  complete_before_stopping([&] {
    translation::NewDirectory directory(settings.output);
    auto model = translation::TranslationModel::load(settings.model, settings.loading);
    if (is("ctranslate2"))
      exchange::export_ctranslate2(model, precision, directory.temporary());
    else if (is("huggingface"))
      exchange::export_huggingface(model, directory.temporary());
    else if (is("marian"))
      exchange::export_marian(model, directory.temporary());
    else
      exchange::export_pytorch(model, directory.temporary());
    directory.finish();
  });
  report("{} in the format {}, written to {}\n", settings.model, settings.format, settings.output);
  return 0;
}

}  // namespace

void add_export(const Command& program) {
  const Command command = program.add("export", "Write a model in the format of another program");
  ExportCommand& settings = command.runs<ExportCommand>(run);
  command.option("MODEL_DIR", settings.model, "Directory that regard train wrote", required);
  command.option("--format", settings.format,
                 "ctranslate2: a directory for CTranslate2. huggingface: a directory of MarianMT for Hugging "
                 "Face's transformers. marian: a directory for marian-decoder. pytorch: a state_dict of "
                 "torch.nn.Transformer in safetensors",
                 required);
  command.option("--out", settings.output, "Directory to write; it must be new or empty", required);
  command.option(
      "--precision", settings.precision,
      "float32 or, with ctranslate2, int8: the weights take a quarter of the space; default: float32");
  settings.loading.make_model = command.own_model();
  add_weights(command, settings.loading.weights);
  command.footer(
      "A model that the format cannot express is refused; the message names the setting.\n"
      "Examples:\n"
      "  regard export build/model --format ctranslate2 --out build/ctranslate2\n"
      "  regard export build/model --format ctranslate2 --precision int8 --out build/ctranslate2-int8\n"
      "  regard export build/tuned --format huggingface --out build/huggingface\n"
      "  regard export build/tuned --format marian --out build/marian\n"
      "  regard export build/model --format pytorch --out build/pytorch");
}

}  // namespace regard::program
