#pragma once

#include <string>
#include <vector>

#include "autograd/machine/real.h"

// The settings of subwords (SentencePiece), and of imported tokenisers.

namespace regard::translation {

class Section;
struct Settings;

/// How a SentencePiece model cuts text.
enum class SubwordType { bpe, unigram, word, character };

/// What each means stands in subword_settings.cpp.
struct SubwordSettings {
  SubwordType type = SubwordType::bpe;
  Index size = 8000;
  std::string model = {};
  double character_coverage = 1;
  std::string normalisation = "nmt_nfkc";
  bool keep_blanks = false;
  std::vector<std::string> symbols = {}, symbol_patterns = {};
  Index symbol_frequency = 10;
  bool byte_fallback = false;
  Index sample_lines = 1'000'000;
  double sampling = 0;
  Index sampling_n_best = -1;
};

/// What the files of a MarianMT say and regard only hands on, from import to export.
struct MarianSettings {
  std::string source_lang = {}, target_lang = {};
  bool renormalize_logits = false;
};

/// Adds the section `marian` to the section `data`.
void describe_marian(const Section& data, MarianSettings& settings);

/// Adds the section `subwords` to the section `data`.
void describe_subwords(const Section& data, SubwordSettings& settings);

/// With tokeniser sentencepiece: throws Error if these settings contradict each other or others.
void check_subwords(const Settings& settings);

/// What a model of subwords is and does. The file of the model says it.
struct SubwordProperties {
  SubwordType type = SubwordType::bpe;
  std::string normalisation = "none";  ///< the name of its rules
  bool keep_blanks = false;
  Index symbols = 0;  ///< pieces that are never cut
  bool byte_fallback = false;
  bool blank_before = true;  ///< the text begins with a ▁, as each word after a space
};

}  // namespace regard::translation
