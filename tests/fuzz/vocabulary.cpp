// Vocabularies: numbers and tokens belong together one to one, and a token is a part of a line.
#include "apps/translation/text/vocabulary.h"

#include "tests/fuzz/fuzz.h"

using namespace regard;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string path = fuzz::file_with(fuzz::text_of(data, size), "vocabulary");
  fuzz::allow_errors([&] {
    const translation::Vocabulary vocabulary = translation::Vocabulary::load(path);
    for (Index id = translation::special::count; id < vocabulary.size(); ++id) {
      const std::string& token = vocabulary.token(id);
      fuzz::require(vocabulary.id(token) == id);
      fuzz::require(!token.empty() && token.find('\n') == token.npos && token.find('\r') == token.npos);
    }
    vocabulary.save(path);
    fuzz::require(translation::Vocabulary::load(path).size() == vocabulary.size());
  });
  std::remove(path.c_str());
  return 0;
}
