// The sections data.subwords and data.marian of the settings.
#include "apps/subwords/subword_settings.h"

#include <filesystem>
#include <iterator>

#include "apps/subwords/subwords.h"
#include "apps/translation/settings/doors.h"
#include "apps/translation/settings/settings_description.h"
#include "autograd/machine/error.h"

namespace regard::translation {

void describe_subwords(const Section& data, SubwordSettings& settings) {
  const Need sentencepiece{{{"data.tokeniser", "sentencepiece"}}};
  const Section subwords =
      data.section("subwords", "Subwords, for tokeniser sentencepiece (Kudo and Richardson 2018).",
                   {.inheritance = Inheritance::learnt, .need = sentencepiece});
  // A given model, or that of the initial weights, has properties of its own.
  const Rules of_model{.replaced_by = {{{"data.subwords.model", ""}}, {{"training.initial_weights", ""}}}};
  subwords.add(
      "type", settings.type, subword_types,
      "bpe: byte-pair encoding (Sennrich et al. 2016). unigram: a unigram language model (Kudo 2018).",
      of_model);
  subwords.add("size", settings.size, whole(subword_sizes.least, subword_sizes.most),
               "Entries of the vocabulary, with the 4 special tokens.", of_model);
  subwords.add(
      "model", settings.model, text("a path, or \"\" for none"),
      "A model from regard vocabulary or SentencePiece; its type, size, normalisation, keep_blanks and "
      "byte_fallback replace these settings. \"\": learn a model from both sides together.",
      {.may_change = always, .inheritance = Inheritance::none});
  subwords.add("character_coverage", settings.character_coverage,
               from_to(character_coverages.least, character_coverages.most),
               "Share of the corpus' characters that the model knows; the rarest characters become <unk>.");
  subwords.add(
      "normalisation", settings.normalisation,
      text(in_quotes(std::vector<std::string>(std::begin(normalisations), std::end(normalisations)))),
      "How the text is changed before it is cut. nfkc: Unicode's NFKC (… becomes three full stops). "
      "nmt_nfkc: this, and other blanks become spaces, and control characters are left out. _cf: and "
      "capitals become small letters. none: not at all.",
      of_model);
  subwords.add("keep_blanks", settings.keep_blanks, flag(),
               "true: keep blanks at both ends of a sentence and several in a row. false: leave them out.",
               of_model);
  subwords.add("symbols", settings.symbols, list_of_texts(),
               "Texts that are never cut, such as placeholders and tags: each is one piece.");
  subwords.add(
      "symbol_patterns", settings.symbol_patterns, list_of_texts("a list of regular expressions"),
      "Each text of the training corpus that one of these regular expressions (RE2) matches is a symbol, "
      "if it is frequent enough.");
  const Section free = subwords.with({.may_change = always, .inheritance = Inheritance::free});
  free.add("symbol_frequency", settings.symbol_frequency, whole(1),
           "A match of symbol_patterns that occurs less often is cut like other text.");
  subwords.add("byte_fallback", settings.byte_fallback, flag(),
               "true: a character that the model does not know becomes the pieces of its UTF-8 bytes, so "
               "nothing is <unk>. Takes 256 entries.",
               of_model);
  free.add("sample_lines", settings.sample_lines, whole(0),
           "Learn from so many lines of the corpus, chosen at random; 0: from all.");
  subwords.add(
      "sampling", settings.sampling, from_to(0, 100),
      "Cuts the words differently in each epoch. bpe: probability of skipping a merge (BPE-dropout, "
      "Provilkov et al. 2020). unigram: alpha of Kudo 2018, which draws by P^alpha. 0: always the same cut.",
      {.inheritance = Inheritance::free});
  subwords.add("sampling_n_best", settings.sampling_n_best, whole(-1, 512),
               "unigram: number of best segmentations that sampling draws from; -1: all.",
               {.inheritance = Inheritance::free});
}

void describe_marian(const Section& data, MarianSettings& settings) {
  const Section marian = data.section(
      "marian",
      "What the files of an imported model say and regard does not use: regard export writes it again.",
      {.inheritance = Inheritance::free, .need = Need{{{"data.tokeniser", "marian"}}}});
  marian.add("source_lang", settings.source_lang, text(),
             "Of tokenizer_config.json: the language of the source; \"\": it is not said.");
  marian.add("target_lang", settings.target_lang, text(), "The language of the target.");
  marian.add("renormalize_logits", settings.renormalize_logits, flag(),
             "Of generation_config.json: transformers leaves forbidden tokens out of the scores.");
}

void check_subwords(const Settings& settings) {
  const DataSettings& data = settings.data;
  const auto& subwords = data.parts.of<SubwordSettings>();
  if (!data.joint_vocabulary)
    fail(
        "data.tokeniser \"sentencepiece\" has one vocabulary for both sides; set data.joint_vocabulary to "
        "true");
  if (data.vocabulary_size != 0 || data.minimum_frequency != 1)
    fail(
        "data.vocabulary_size and data.minimum_frequency cannot be set with data.tokeniser "
        "\"sentencepiece\"; its vocabulary has data.subwords.size entries");
  if (subwords.sampling_n_best == 0 || subwords.sampling_n_best == 1)
    fail("data.subwords.sampling_n_best {} leaves no choice; set it to -1 or at least 2",
         subwords.sampling_n_best);
  if (subwords.sampling > 0 && settings.model.reads_files())
    fail(
        "data.subwords.sampling cuts sentences on both sides, so it cannot be set with a model that reads "
        "{}s",
        encoder_of(settings.model).words->name);
  // Subwords from a file, or from the model of the initial weights, have their own type.
  const std::string& initial = settings.training.initial_weights;
  std::error_code ignored;
  const bool given =
      !subwords.model.empty() || (!initial.empty() && !std::filesystem::is_regular_file(initial, ignored));
  if (!subwords.model.empty() && !(subwords.symbols.empty() && subwords.symbol_patterns.empty() &&
                                   subwords.symbol_frequency == SubwordSettings().symbol_frequency))
    fail(
        "data.subwords.model has symbols of its own; leave out data.subwords.symbols, symbol_patterns and "
        "symbol_frequency, or learn a new model with them");
  if (!given) check_learnable(subwords);
  if (given || subwords.type != SubwordType::bpe) return;
  if (subwords.sampling > 1)
    fail(
        "with data.subwords.type \"bpe\", data.subwords.sampling is a probability, but it is {}; give at "
        "most 1",
        subwords.sampling);
  if (subwords.sampling_n_best != -1)
    fail("data.subwords.sampling_n_best can only be set with data.subwords.type \"unigram\"");
}

}  // namespace regard::translation
