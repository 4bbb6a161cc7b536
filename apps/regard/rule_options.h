#pragma once

#include <memory>
#include <vector>

#include "apps/regard/command_line.h"
#include "apps/translation/settings/settings.h"

namespace regard::program {

/// Options with which a room adds a rule to a search (SearchRule in translation/settings/search_rule.h). A
/// room names RULES in its CMakeLists.txt, after their options. The rule keep_words of --keep-words stands in
/// keep_words_rule.cpp, with std::shared_ptr<RuleOptions> keep_words_rule().
class RuleOptions {
 public:
  virtual ~RuleOptions() = default;
  /// Adds them to a command that searches. `evaluation` is regard evaluate, also without a model, for those
  /// that a measure of existing translations reads, too; null: the command is another one.
  virtual void add(const Command& search, const Command* evaluation) = 0;
  /// Puts what the command line gives into settings. Throws Error that names the option of a wrong value.
  virtual void put_into(translation::Settings& settings) const = 0;
};

/// Those of the rooms that are built; commands/CMakeLists.txt.
std::vector<std::shared_ptr<RuleOptions>> all_rules();

}  // namespace regard::program
