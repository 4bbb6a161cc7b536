// `regard translate --ensemble`
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "apps/ensembles/ensemble.h"
#include "apps/regard/options.h"
#include "apps/regard/ways_to_translate.h"
#include "apps/translation/files/utf8.h"
#include "apps/translation/settings/settings_json.h"
#include "autograd/machine/error.h"

namespace regard::program {

namespace {

using translation::printable;
using translation::TranslationModel;
using translation::Translator;
using translation::Vocabulary;

/// Throws Error that names the first differing word. `side` is "source" or "target", `name` the model.
void check_same(const Vocabulary& first, const Vocabulary& other, const char* side, const std::string& name) {
  const auto word = [&](const Vocabulary& vocabulary, Index id) {
    return id < vocabulary.size() ? "\"" + printable(vocabulary.token(id)) + "\"" : std::string("none");
  };
  for (Index id = 0; id < std::max(first.size(), other.size()); ++id)
    if (word(first, id) != word(other, id))
      fail(
          "--ensemble: {} has another {} vocabulary than MODEL_DIR: word {} is {} there and {} here; train "
          "the models with the same corpus and the same settings of data",
          name, side, id, word(other, id), word(first, id));
}

/// Throws Error if one of the two reads text in a form of its own, such as without capitals or with notes: if
/// a setting of `data` beside those of the corpus has its default in one of them only.
void check_same_form(const TranslationModel& first, const TranslationModel& other, const std::string& name) {
  const std::set<std::string> of_corpus{"source",
                                        "target",
                                        "tsv",
                                        "shares",
                                        "temperature",
                                        "validation_source",
                                        "validation_target",
                                        "validation_tsv",
                                        "validation_share",
                                        "max_length",
                                        "joint_vocabulary",
                                        "vocabulary_size",
                                        "minimum_frequency"};
  const auto data_of = [](const translation::Settings& settings) { return to_json(settings).at("data"); };
  const translation::Json here = data_of(first.settings), there = data_of(other.settings),
                          usual = data_of({});
  for (const auto& [key, value] : here.items())
    if (!of_corpus.contains(key) && !value.is_object() &&
        (value == usual.at(key)) != (there.at(key) == usual.at(key)))
      fail(
          "--ensemble: {} has data.{} {}, but MODEL_DIR has {}; train the models with the same settings of "
          "data",
          name, key, there.at(key).dump(), value.dump());
}

/// Throws Error if the two do not read and write the same tokens.
void check_fits(const TranslationModel& first, const TranslationModel& other, const std::string& name) {
  const translation::DataSettings &here = first.settings.data, &there = other.settings.data;
  if (first.settings.model.reads_files() || other.settings.model.reads_files())
    fail("--ensemble is for models that read text; MODEL_DIR or {} reads other files", name);
  if (here.tokeniser != there.tokeniser)
    fail("--ensemble: {} has the tokeniser {}, but MODEL_DIR has {}", name, there.tokeniser, here.tokeniser);
  if (!here.source.empty() && here.source.files == there.target.files &&
      here.target.files == there.source.files)
    fail("--ensemble: {} translates in the other direction: it was trained from {} to {}", name,
         there.source.files.front(), there.target.files.front());
  check_same(first.vocabularies.source, other.vocabularies.source, "source", name);
  check_same(first.vocabularies.target, other.vocabularies.target, "target", name);
  if (first.vocabularies.subwords != other.vocabularies.subwords ||
      first.vocabularies.target_subwords != other.vocabularies.target_subwords)
    fail("--ensemble: {} cuts words into other subwords than MODEL_DIR", name);
  check_same_form(first, other, name);
}

class EnsembleWay : public TranslateWay {
 public:
  /// What shows or changes one model alone excludes --ensemble.
  void add_options(const Command& command) override {
    own_model_ = command.own_model();
    command.group("Ensembles")
        .option(
            "--ensemble", directories_,
            "Translate with MODEL_DIR and these models together: the mean of their probabilities decides. "
            "They need the vocabularies of MODEL_DIR, which gives the settings of the search and the "
            "links of --alignments",
            {.several = true,
             .alternative = true,
             .excludes = {"--precision", "--weights", "--attention", "--attention-images",
                          "--attention-json"}});
  }
  std::string example() const override {
    return "  regard translate build/seed1 --ensemble build/seed2 build/seed3 < source.txt\n";
  }

  bool searches() const override { return !directories_.empty(); }

  /// Also reads the other models. No sentence may be too long for any of them.
  void check(const transformer::SearchOptions& options, TranslationModel& model) const override {
    check_search(options, model);
    if (model.selection) fail("--ensemble translates without a shortlist; leave that option out");
    for (const std::string& directory : directories_) {
      others_.push_back(TranslationModel::load(directory, {.make_model = own_model_}));
      check_fits(model, others_.back(), directory);
      Index& most = model.settings.data.max_length;
      most = std::min(most, others_.back().settings.data.max_length);
    }
  }

  Results search(const TranslateRun& run, Sources sources) const override {
    std::vector<transformer::EncoderDecoder*> models{&run.translator.model().model};
    for (TranslationModel& other : others_) {
      if (!agreed_) run.processes.agree_on(other);
      models.push_back(&other.model);
    }
    agreed_ = true;
    transformer::EncoderDecoder ensemble = transformer::ensemble_of(models);
    return run.translator.translate_with(
        std::move(sources), run.options,
        [&](const Translator::Ids& ids, const std::vector<Translator::Result*>&) {
          return translation::search_all(ensemble, ids, run.options, run.translator.batch_tokens(),
                                         run.processes, run.prefix);
        });
  }

 private:
  std::vector<std::string> directories_;
  translation::MakeModel own_model_;
  mutable std::vector<TranslationModel> others_;
  mutable bool agreed_ = false;  ///< all processes have the same models
};

}  // namespace

std::shared_ptr<TranslateWay> ensemble_way() { return std::make_shared<EnsembleWay>(); }

}  // namespace regard::program
