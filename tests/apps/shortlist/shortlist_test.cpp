// Shortlists as data: what they allow, their file, and how they are made.
#include "apps/translation/shortlist/shortlist.h"

#include <algorithm>
#include <map>

#include "apps/translation/files/files.h"
#include "apps/translation/translator/alignment.h"
#include "apps/translation/translator/make_shortlist.h"
#include "nn/safetensors.h"
#include "tests/apps/training/small_training.h"

using namespace regard::translation;
using namespace regard::tests;
using regard::Index;
using regard::to_index;
using regard::to_size;

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
  ParallelCorpus corpus;
  corpus.source = {{6}, {4, 6}};
  corpus.target = {{5, 4, 7}, {9, 9, 10}};
  const ShortlistRecall found = recall(list, corpus);
  CHECK(found.held == 4);  // not 4 and 10
  CHECK(found.tokens == 6);
  CHECK(found.mean_list() == 7);  // 6 and 8
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

TEST_CASE("a shortlist has the tokens that the attention links most often", "[shortlist]") {
  const SmallTraining training;
  regard::transformer::EncoderDecoder model = training.model();
  model.eval();
  ParallelCorpus corpus = numbered_corpus(200, 6, SmallTraining::words, 3);
  const Index first = 2, best = 2;
  const Shortlist list = make_shortlist(model, training.data.vocabularies, corpus, {first, best});

  // Counted again, pair by pair, in another way.
  std::map<std::int32_t, Index> of_all;
  std::map<std::int32_t, std::map<std::int32_t, Index>> of_source;
  const std::vector<Alignment> alignments = align_all(model, corpus);
  for (std::size_t i = 0; i < alignments.size(); ++i) {
    for (const std::int32_t token : corpus.target[i]) ++of_all[token];
    for (const auto& [source, target] : alignments[i])
      ++of_source[corpus.source[i][to_size(source)]][corpus.target[i][to_size(target)]];
  }
  const auto is_among = [](const std::map<std::int32_t, Index>& counts, std::int32_t token, Index most) {
    const auto found = counts.find(token);
    if (found == counts.end()) return false;
    const auto before = std::ranges::count_if(counts, [&](const auto& other) {
      return other.second > found->second || (other.second == found->second && other.first < token);
    });
    return before < most;
  };
  for (std::int32_t source = 4; source < 4 + SmallTraining::words; ++source) {
    Ids expected{0, 1, 2, 3};
    for (std::int32_t token = 4; token < 4 + SmallTraining::words; ++token)
      if (token == source || is_among(of_all, token, first) || is_among(of_source[source], token, best))
        expected.push_back(token);
    CHECK(list.tokens(Ids{source}) == expected);
    CHECK(expected.size() < 4 + to_size(SmallTraining::words));
  }
  CHECK(make_shortlist(model, training.data.vocabularies, corpus, {0, 0}).tokens(Ids{5}) ==
        Ids{0, 1, 2, 3, 5});  // the token that is equal to the source's
  CHECK_ERROR(make_shortlist(model, training.data.vocabularies, corpus, {-1, 0}), "give at least 0");
}
