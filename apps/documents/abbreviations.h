#pragma once

#include <string_view>

namespace regard::documents {

/// The abbreviations of a language. Each list has words with blanks between them, without the full stop at
/// their end. In a text they may have more capital letters.
struct Abbreviations {
  std::string_view language;  ///< code, such as "en"
  /// No sentence ends after them: "Dr. Meier".
  std::u32string_view always = {};
  /// No sentence ends between them and a number or a letter: "Fig. 2", "App. B". "-str": also "Parkstr. 2".
  std::u32string_view before_numbers = {};
  /// A sentence ends after them only if a starter follows: "Acme Inc. shares", "Acme Inc. He left."
  std::u32string_view unless_starter = {};
  /// Words that often begin a sentence, as they are written there.
  std::u32string_view starters = {};
};

/// The abbreviations of a language; empty lists if there are none for it.
const Abbreviations& abbreviations_of(std::string_view language);

/// True if a language writes ordinal numbers with a full stop: "am 3. Mai".
bool has_ordinals_with_full_stop(std::string_view language);

}  // namespace regard::documents
