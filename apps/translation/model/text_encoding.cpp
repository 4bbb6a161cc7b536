#include "apps/translation/model/text_encoding.h"

#include <algorithm>
#include <utility>

#include "apps/translation/files/files.h"
#include "apps/translation/settings/doors.h"
#include "autograd/machine/error.h"

namespace regard::translation {

namespace {

TextFiles files_of(const std::string& directory, const DataSettings& settings) {
  TextFiles files{.vocabularies = {directory + "/vocabulary.json"}};
  if (!settings.joint_vocabulary)
    files.vocabularies = {directory + "/vocabulary.source.json", directory + "/vocabulary.target.json"};
  for (const std::string& name : tokeniser_of(settings).files)
    files.subwords.push_back(directory + "/" + name);
  return files;
}

}  // namespace

std::vector<std::string> text_encoding_files(const std::string& directory) {
  std::vector<std::string> all;
  for (const char* name : {"/vocabulary.json", "/vocabulary.source.json", "/vocabulary.target.json"})
    all.push_back(directory + name);
  for (const TokeniserKind& kind : doors().tokenisers)
    for (const std::string& name : kind.files) all.push_back(directory + "/" + name);
  return all;
}

bool has_text_encoding(const std::string& directory, const DataSettings& settings) {
  const TextFiles files = files_of(directory, settings);
  return std::ranges::all_of(files.vocabularies, path_exists) &&
         std::ranges::all_of(files.subwords, path_exists);
}

TextEncoding load_text_encoding(const std::string& directory, const DataSettings& settings) {
  const TextFiles files = files_of(directory, settings);
  const auto load = [&](const std::string& file) { return Vocabulary::load(present(directory, file)); };
  Vocabularies vocabularies{load(files.vocabularies.front()), load(files.vocabularies.back())};
  std::string* const bytes[]{&vocabularies.subwords, &vocabularies.target_subwords};
  for (std::size_t i = 0; i < files.subwords.size(); ++i)
    *bytes[i] = read_file(present(directory, files.subwords[i]));
  auto tokeniser = with_text_form(tokeniser_of(settings).make(vocabularies, files), settings);
  return {std::move(vocabularies), std::move(tokeniser)};
}

void save_vocabularies(const std::string& directory, const DataSettings& settings,
                       const Vocabularies& vocabularies) {
  const TextFiles files = files_of(directory, settings);
  vocabularies.source.save(files.vocabularies.front());
  if (files.vocabularies.size() > 1) vocabularies.target.save(files.vocabularies.back());
  const std::string* const bytes[]{&vocabularies.subwords, &vocabularies.target_subwords};
  for (std::size_t i = 0; i < files.subwords.size(); ++i)
    if (!bytes[i]->empty()) write_file(files.subwords[i], *bytes[i]);
}

const std::string& present(const std::string& directory, const std::string& file) {
  if (!path_exists(file))
    fail("{} is not a complete model: {} is missing; train it with regard train", directory, file);
  return file;
}

}  // namespace regard::translation
