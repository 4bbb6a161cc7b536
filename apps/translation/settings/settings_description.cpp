#include "apps/translation/settings/settings_description.h"

#include <algorithm>
#include <functional>

#include "apps/translation/files/choices.h"
#include "apps/translation/settings/doors.h"

namespace regard::translation {
namespace {

void describe_data(const Section& all, DataSettings& data) {
  const Section table = all.section("data", "The corpora. Relative paths begin at the current directory.");
  const Section corpora = table.with({.may_change = always}),
                vocabulary = table.with({.inheritance = Inheritance::equal});
  corpora.add("source", data.source, files(),
              "Training corpus, source side: one sentence per line, UTF-8, plain or gzip. Several files are "
              "read one after the other.");
  corpora.add("target", data.target, files(),
              "Training corpus, target side: line i translates line i of source, in as many files.");
  corpora.add("tsv", data.tsv, files(),
              "Files with lines 'source TAB target'. They replace source and target. For a model that reads "
              "files, such as images, a source is a path, relative to the directory of the file.");
  table.add(
      "shares", data.shares, list_of(from_to(0.001, 1000)),
      "For each file of source (or tsv): how often its pairs come per epoch. 2: twice. 0.5: every second "
      "epoch, half of them in each. []: once.");
  table.add(
      "temperature", data.temperature, from_to(1, 100),
      "T: an epoch has as many pairs as the files, and each file a part proportional to (its pairs)^(1/T), "
      "so small files, such as rare languages, come more often (Arivazhagan et al. 2019); 1: all once.");
  corpora.add("validation_source", data.validation_source, files(), "Validation corpus, source side.");
  corpora.add("validation_target", data.validation_target, files(), "Validation corpus, target side.");
  corpora.add("validation_tsv", data.validation_tsv, files(),
              "Files with both sides. They replace validation_source and validation_target.");
  table.add(
      "validation_share", data.validation_share, from_to(0, 0.5),
      "Without a validation corpus: the share of the training corpus that is held out as one. Pairs with "
      "equal sources (but for case and blanks) are held out together; 0: none.");
  std::vector<std::string> tokenisers;
  std::string about;
  for (const TokeniserKind& kind : doors().tokenisers) {
    tokenisers.push_back(kind.name);
    about += fmt::format("{}{}: {}", about.empty() ? "" : " ", kind.name, kind.about);
  }
  vocabulary.add("tokeniser", data.tokeniser, one_of(tokenisers), about);
  table.add("max_length", data.max_length, whole(1),
            "Most tokens of a sentence, without </s>. Longer pairs are left out of the training.",
            {.inheritance = Inheritance::free});
  vocabulary.add("joint_vocabulary", data.joint_vocabulary, flag(), "One vocabulary for both languages.");
  const Section learnt = table.with({.inheritance = Inheritance::learnt});
  learnt.add("vocabulary_size", data.vocabulary_size, whole(0),
             "Most entries of a vocabulary, with the 4 special tokens; 0: all tokens.");
  learnt.add("minimum_frequency", data.minimum_frequency, whole(1),
             "Tokens that occur less often than this in the training corpus are unknown words.");
  data.parts.describe(table);
}

void describe_decoding(const Section& all, transformer::SearchOptions& decoding, Parts& rules) {
  const Section table = all.section("decoding", "How the model translates.",
                                    {.may_change = unless_searched, .inheritance = Inheritance::free});
  table.add("beam", decoding.beam, whole(1), "Hypotheses kept at each step of a search; 1: greedy.",
            {.may_change = always});
  table.add("length_penalty", decoding.length_penalty, length_penalties,
            "wu: a log-probability is divided by ((5 + n)/6)^alpha (Wu et al. 2016). power: by n^alpha. n is "
            "the number of tokens, with </s>.");
  table.add("alpha", decoding.alpha, from_to(-transformer::greatest_alpha, transformer::greatest_alpha),
            "Exponent of the length penalty; 0: none.");
  table.add("patience", decoding.patience, at_least(0),
            "The search of a sentence ends when patience * beam translations are finished and no unfinished "
            "one is better; 0: when no unfinished one can become better.");
  table.add(
      "max_length_ratio", decoding.max_length_ratio, at_least(0),
      "A translation ends after max_length_ratio * (source tokens) + max_length_constant tokens. Both 0: "
      "no such limit.");
  table.add("max_length_constant", decoding.max_length_constant, whole(0),
            "The constant in the limit of max_length_ratio.");
  table.add("min_length", decoding.min_length, whole(0, transformer::longest_translation),
            "Fewest tokens of a translation, without </s>.");
  table.add("max_length", decoding.max_length, whole(0),
            "Most tokens of a translation; max_length_ratio cannot raise it. 0: no such limit.");
  table.add("no_repeat_ngram", decoding.no_repeat_ngram, whole(0),
            "A translation never repeats an n-gram of this length. 0 allows repetition.");
  table.add("repetition_penalty", decoding.repetition_penalty,
            from_to(transformer::least_repetition_penalty, transformer::greatest_repetition_penalty),
            "Makes tokens of the translation so far less likely (Keskar et al. 2019); 1: off.");
  table.add("generate_unk", decoding.generate_unk, flag(), "Translations may contain <unk>.");
  rules.describe(table);
}

}  // namespace

Section Section::section(const std::string& name, const std::string& documentation, const Rules& rules,
                         bool takes_number) const {
  KnownSetting added = entry(name, documentation, rules);
  added.section = true;
  added.takes_number = takes_number;
  return {table_, table_.emplace_back(added)};
}

Section Section::with(const Rules& rules) const {
  KnownSetting same = entry("", "", rules);
  same.place = entry_.place;
  return {table_, same};
}

void Section::add(const std::string& name, const Kind& kind, std::function<void(const Json&)> read,
                  std::function<Json()> write, const std::string& documentation, const Rules& rules) const {
  KnownSetting added = entry(name, fmt::format("{} [{}]", documentation, kind.allowed), rules);
  added.kind = kind;
  added.read = std::move(read);
  added.write = std::move(write);
  table_.push_back(std::move(added));
}

KnownSetting Section::entry(const std::string& name, const std::string& documentation,
                            const Rules& rules) const {
  return {.place = entry_.place.empty() ? name : entry_.place + "." + name,
          .documentation = documentation,
          .may_change = rules.may_change ? rules.may_change : entry_.may_change,
          .inheritance = rules.inheritance.value_or(entry_.inheritance),
          .need = rules.need.value_or(entry_.need),
          .replaced_by = rules.replaced_by,
          .identity = rules.identity};
}

std::vector<KnownSetting> describe(Settings& settings) {
  std::vector<KnownSetting> table;
  const Section all(table, {});
  describe_data(all, settings.data);
  describe_model(all, settings.model);
  describe_training(all, settings.training);
  describe_validation(all, settings.validation);
  describe_checkpoints(all, settings.checkpoints);
  describe_decoding(all, settings.decoding, settings.rules);
  return table;
}

const std::vector<KnownSetting>& known_settings() {
  static Settings defaults;
  static const std::vector<KnownSetting> all = describe(defaults);
  return all;
}

}  // namespace regard::translation
