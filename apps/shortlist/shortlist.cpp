#include "apps/shortlist/shortlist.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "apps/shortlist/stored_lists.h"
#include "apps/translation/corpus/checksum.h"
#include "apps/translation/files/files.h"
#include "apps/translation/settings/doors.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

// The file has the lists of StoredLists: the tokens that may always come, and then those of each source
// token.
constexpr const char* lists_name = "shortlist";
constexpr const char* vocabularies_name = "shortlist.vocabularies";  // a checksum in the metadata

std::string checksum_of(const Vocabularies& vocabularies) {
  Checksum sum;
  sum.add(vocabularies.source);
  sum.add(vocabularies.target);
  return sum.text();
}

}  // namespace

void sort_once(std::vector<std::int32_t>& tokens) {
  std::ranges::sort(tokens);
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
}

Shortlist::Shortlist(std::vector<std::int32_t> always, std::vector<std::vector<std::int32_t>> of_source)
    : always_(std::move(always)), of_source_(std::move(of_source)) {
  for (std::int32_t token = 0; token < special::count; ++token) always_.push_back(token);
  sort_once(always_);
}

Shortlist Shortlist::load(const std::string& path, const Vocabularies& vocabularies) {
  if (!path_exists(path))
    fail("{} is missing; regard shortlist makes it from the corpus of the training", path);
  const nn::SafetensorsFile file(path);
  const auto stored_sum = file.metadata().find(vocabularies_name);
  if (stored_sum == file.metadata().end()) fail("{} is not a shortlist; make it with regard shortlist", path);
  if (stored_sum->second != checksum_of(vocabularies))
    fail("{} was made for other vocabularies than those beside it; make it anew with regard shortlist", path);
  std::vector<std::vector<std::int32_t>> lists = StoredLists::read(file, lists_name);
  const auto fits = [&](const std::vector<std::int32_t>& list) {
    return std::ranges::all_of(list, [&](auto id) { return id >= 0 && id < vocabularies.target.size(); });
  };
  if (to_index(lists.size()) != vocabularies.source.size() + 1 || !std::ranges::all_of(lists, fits))
    fail("{} is damaged: its numbers do not fit the vocabularies; make it anew with regard shortlist", path);
  std::vector<std::int32_t> always = std::move(lists.front());
  lists.erase(lists.begin());
  return {std::move(always), std::move(lists)};
}

void Shortlist::save(const std::string& path, const Vocabularies& vocabularies) const {
  std::vector<std::vector<std::int32_t>> lists = of_source_;
  lists.insert(lists.begin(), always_);
  const StoredLists stored(lists);
  std::vector<nn::StoredTensor> tensors;
  stored.add_to(tensors, lists_name);
  nn::save_stored_tensors(path, tensors, {{vocabularies_name, checksum_of(vocabularies)}});
}

void Shortlist::check_beam(const char* name, Index beam) const {
  if (beam > least())
    fail("{} is {}, but the shortlist of a sentence may have only {} tokens; give a beam of at most {}", name,
         beam, least(), least());
}

std::string Shortlist::about_scores() const {
  return "the scores are over the shortlist of each sentence, so they are a little greater than those of the "
         "whole vocabulary";
}

std::vector<std::int32_t> Shortlist::tokens(std::span<const std::int32_t> source) const {
  std::vector<std::int32_t> all = always_;
  for (const std::int32_t token : source)
    all.insert(all.end(), of_source_.at(to_size(token)).begin(), of_source_.at(to_size(token)).end());
  sort_once(all);
  return all;
}

void open_shortlist(Doors& doors) {
  doors.rules.push_back(
      {.name = "shortlist",
       .about = "Faster: a translation has only tokens of its sentence's list, which regard shortlist made; "
                "log-probabilities are then over these tokens",
       .file = shortlist_file,
       .load = [](const std::string& path,
                  const Vocabularies& vocabularies) -> std::shared_ptr<const VocabularySelection> {
         return std::make_shared<const Shortlist>(Shortlist::load(path, vocabularies));
       }});
}

}  // namespace regard::translation
