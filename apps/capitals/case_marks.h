#pragma once

#include <string>
#include <string_view>

#include "apps/translation/text/text_form.h"

namespace regard::translation {

/// Inline casing (Berard et al. 2019, "Naver Labs Europe's Systems for the WMT19 Machine Translation
/// Robustness Task", section 3): a text in lower case, in which a mark stands before each word that had
/// capitals. So a model has one token for "the", "The" and "THE".
///
///   The NATO summit, iPhone   ->   ⇧ the ⇪ nato summit, iPhone
///
/// A word is what stands between blanks (is_blank in utf8.h; ▁ is one). ⇧ makes the first letter of the next
/// word a capital, ⇪ all its letters (SS for ß). A word that neither of them gives back stays as it is,
/// without a mark: iPhone, McDonald, STRAẞE, İzmir. So nothing is lost, also if the tokeniser reads the text
/// in Unicode's form NFKC. A mark that is in the text itself is written twice.
class CaseMarks : public TextForm {
 public:
  /// Which words the text has: `pieces` of subword-nmt ("Fahr@@ rad") make up one word, which has no marks
  /// of pieces on the way back.
  enum class Words { between_blanks, pieces };
  explicit CaseMarks(Words words) : words_(words) {}

  std::string to(std::string_view text) const override;
  /// Marks without a word behind them are left out.
  std::string from(std::string_view text) const override;
  void check_given(const Vocabulary& vocabulary, const std::string& file) const override;

 private:
  Words words_;
};

}  // namespace regard::translation
