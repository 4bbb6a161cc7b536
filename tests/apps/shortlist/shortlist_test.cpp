// Shortlists as data: what they allow, and their file.
#include "apps/shortlist/shortlist.h"

#include <string>

#include "apps/translation/files/files.h"
#include "nn/safetensors.h"
#include "tests/apps/training/small_training.h"

using namespace regard::translation;
using namespace regard::tests;

namespace {

using Ids = std::vector<std::int32_t>;

const Vocabularies& vocabularies() {
  static const Vocabularies both{numbered_words(3), numbered_words(8)};
  return both;
}

Shortlist some_list() { return {{7, 5}, {{}, {}, {}, {}, {9, 8}, {8, 4, 4}, {}}}; }

}  // namespace

TEST_CASE("a sentence may have the tokens of its list, special tokens and those of its tokens",
          "[shortlist]") {
  const Shortlist list = some_list();
  CHECK(list.tokens({}) == Ids{0, 1, 2, 3, 5, 7});
  CHECK(list.tokens(Ids{6}) == Ids{0, 1, 2, 3, 5, 7});
  CHECK(list.tokens(Ids{5, 4}) == Ids{0, 1, 2, 3, 4, 5, 7, 8, 9});
  CHECK(list.tokens(Ids{5, 5}) == Ids{0, 1, 2, 3, 4, 5, 7, 8});
  CHECK(list.least() == 6);
}

TEST_CASE("a shortlist survives its file, which belongs to its vocabularies", "[shortlist]") {
  const TemporaryDirectory directory;
  const std::string path = directory / "shortlist.safetensors";
  some_list().save(path, vocabularies());
  const Shortlist list = Shortlist::load(path, vocabularies());
  for (const Ids& source : {Ids{}, Ids{4}, Ids{5}, Ids{6}, Ids{4, 5, 6}})
    CHECK(list.tokens(source) == some_list().tokens(source));
  CHECK_ERROR(Shortlist::load(path, {vocabularies().target, vocabularies().target}),
              path + " was made for other vocabularies than those beside it; make it anew");
  CHECK_ERROR(Shortlist::load(directory / "none", vocabularies()),
              "none is missing; regard shortlist makes it");

  std::string bytes = content(path);
  bytes[bytes.size() - 5] = static_cast<char>(bytes[bytes.size() - 5] ^ 1);
  write_file(directory / "damaged", bytes);
  CHECK_ERROR(Shortlist::load(directory / "damaged", vocabularies()), "do not fit its checksum");
  write_file(directory / "short", bytes.substr(0, bytes.size() / 2));
  CHECK_ERROR(Shortlist::load(directory / "short", vocabularies()), "cannot be read as safetensors");
  regard::nn::save_safetensors(directory / "weights", {}, {{"model.vocabulary", "00000000"}});
  CHECK_ERROR(Shortlist::load(directory / "weights", vocabularies()), "weights is not a shortlist");
  // Numbers that no program of ours writes, under a checksum that is right.
  Shortlist({}, {{}, {}, {}, {}, {}, {}}).save(directory / "few", vocabularies());
  CHECK_ERROR(Shortlist::load(directory / "few", vocabularies()), "few is damaged: its numbers do not fit");
  Shortlist({12}, {{}, {}, {}, {}, {}, {}, {}}).save(directory / "outside", vocabularies());
  CHECK_ERROR(Shortlist::load(directory / "outside", vocabularies()), "outside is damaged");
}
