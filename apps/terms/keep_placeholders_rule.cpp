// --keep-placeholders and --placeholders.
#include <memory>
#include <optional>

#include "apps/regard/rule_options.h"
#include "apps/terms/placeholders_option.h"
#include "apps/terms/term_rule.h"
#include "apps/translation/settings/settings.h"
#include "apps/translation/text/patterns.h"

namespace regard::program {

void add_placeholders(const Command& command, std::vector<std::string>& patterns) {
  command.option(
      "--placeholders", patterns,
      "A further pattern of placeholders, a regular expression of RE2 such as '@[a-z]+@'; may be given "
      "several times",
      {.value_name = "PATTERN"});
}

void check_placeholders(const std::vector<std::string>& patterns) {
  translation::check_patterns(patterns, "--placeholders");
}

namespace {

class KeepPlaceholders : public RuleOptions {
 public:
  void add(const Command& search, const Command* evaluation) override {
    search.option("--keep-placeholders", keep_,
                  "If a source has placeholders or tags (%s, {0}, <b>), its translation has each of them "
                  "exactly as often");
    add_placeholders(evaluation ? *evaluation : search.only_with("--keep-placeholders"), patterns_);
  }

  void put_into(translation::Settings& settings) const override {
    auto& terms = settings.rules.of<translation::TermSettings>();
    if (keep_) terms.keep_placeholders = *keep_;
    if (patterns_.empty()) return;
    check_placeholders(patterns_);
    terms.placeholders = patterns_;
  }

 private:
  std::optional<bool> keep_;
  std::vector<std::string> patterns_;
};

}  // namespace

std::shared_ptr<RuleOptions> keep_placeholders_rule() { return std::make_shared<KeepPlaceholders>(); }

}  // namespace regard::program
