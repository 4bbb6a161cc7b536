#include <fmt/format.h>
#include <string_view>

#include "apps/exchange/import.h"
#include "apps/regard/command_line.h"
#include "apps/regard/streams.h"
#include "apps/translation/files/new_directory.h"
#include "apps/translation/text/counted.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

struct Import {
  std::string from;
  std::string out;
  translation::Direction direction;
};

/// Also errors of the model itself, such as a dropout of 2, name the directory.
exchange::ImportedModel read(const Import& import) {
  try {
    return exchange::read_model(import.from, import.direction);
  } catch (const Error& error) {
    if (std::string_view(error.what()).find(import.from) != std::string_view::npos) throw;
    fail("{}: {}", import.from, error.what());
  }
}

int run(const Import& import) {
  translation::NewDirectory::check(import.out);
  exchange::ImportedModel imported = read(import);
  translation::TranslationModel& model = imported.model;
  complete_before_stopping([&] { exchange::write_model(model, import.out); });
  Index numbers = 0;
  for (const nn::NamedParameter& parameter : model.model.parameters()) numbers += parameter.tensor.size();
  const translation::Settings& settings = model.settings;
  const transformer::Config& shape = settings.model.config;
  report(
      "{}: {}+{} layers, d_model {}, {}, d_ff {}, {} source and {} target tokens{}; {} parameters, written "
      "to {}\n",
      imported.program, shape.encoder_layers, shape.decoder_layers, shape.d_model,
      translation::counted(shape.heads, "head"), shape.d_ff, model.vocabularies.source.size(),
      model.vocabularies.target.size(), settings.data.joint_vocabulary ? ", joint" : "", numbers, import.out);
  return 0;
}

}  // namespace

void add_import(const Command& program) {
  const Command command = program.add("import", "Make a model directory from a model of another program");
  Import& import = command.runs<Import>(run);
  command.option(
      "DIR", import.from,
      "Directory of Hugging Face's MarianMT, such as an OPUS-MT model: config.json, "
      "model.safetensors or pytorch_model.bin, vocab.json, source.spm, target.spm; of its NLLB models "
      "(dense ones): the same without these three, but with sentencepiece.bpe.model; or of Marian: one "
      "file .npz, and its vocabularies",
      required);
  command.option("--source-language", import.direction.source,
                 "Of an NLLB model: the language of the sentences to translate, such as eng_Latn",
                 {.value_name = "CODE"});
  command.option("--target-language", import.direction.target,
                 "Of an NLLB model: the language of the translations, such as fra_Latn",
                 {.value_name = "CODE"});
  command.option("--out", import.out, "Directory to write; it must be new or empty", required);
  command.footer(
      "Examples:\n"
      "  regard import opus-mt-en-de --out build/en-de\n"
      "  regard translate build/en-de < sentences.txt\n"
      "  regard import nllb-200-distilled-600M --source-language eng_Latn --target-language fra_Latn "
      "--out build/en-fr");
}

}  // namespace regard::program
