#pragma once

#include <span>
#include <string>
#include <string_view>

namespace regard::translation {

/// A setting of JoeyNMT, fairseq, OpenNMT, Marian or CTranslate2.
struct OtherName {
  std::string_view there;  ///< its key, with _ for -
  std::string_view here;   ///< the setting here; or a sentence, if there is none
  bool exists = true;      ///< there is such a setting here
};
std::span<const OtherName> other_names();

/// Returns a sentence about the setting of another program. Returns an empty text for a name that is not in
/// the list. `key` is the last part of the place; - and _ are equal.
std::string about_other_name(std::string_view key);

}  // namespace regard::translation
