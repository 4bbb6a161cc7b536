// A line that is unlike all sources of the training is recognised.
#include "apps/translation/corpus/trained_sources.h"

#include "tests/catch.h"

using namespace regard;
using namespace regard::translation;

TEST_CASE("sentences of a line are counted by their ends before further text") {
  CHECK(count_sentences("") == 1);
  CHECK(count_sentences("a man sleeps") == 1);
  CHECK(count_sentences("A man sleeps. ") == 1);
  CHECK(count_sentences("He said \"no.\" ...") == 1);
  CHECK(count_sentences("version 1.2 costs 3.50") == 1);
  CHECK(count_sentences("A man sleeps. A dog runs! Who sees it?") == 3);
  CHECK(count_sentences("a man sleeps . a dog runs .") == 2);
  CHECK(count_sentences("男が眠る。犬が走る。") == 2);
}

TEST_CASE("a line that is longer or has more sentences than all sources of the training differs from them") {
  const ParallelText text{.source = {"a b c.", "dropped", "a. b"}, .target = {"x", "", "y"}, .name = "text"};
  const ParallelCorpus corpus{
      .source = {{4, 5, 6}, {4, 5}}, .target = {{7}, {8}}, .lines = {0, 2}, .lines_read = 3, .dropped = {}};
  const TrainedSources sources = TrainedSources::of(text, corpus, SourceKind::sentences);
  CHECK(sources.longest == 3);
  CHECK(sources.sentences == 2);
  CHECK(sources.difference("a b c", 3).empty());
  CHECK(sources.difference("a. b", 2).empty());
  CHECK(sources.difference("a b c d", 4) == "it has 4 tokens, but the longest line of the training had 3");
  CHECK(sources.difference("a. b. c", 3) ==
        "it has 3 sentences, but the lines of the training had at most 2");

  std::map<std::string, std::string> metadata;
  sources.add_to(metadata);
  CHECK(TrainedSources::of(metadata).difference("a b c d", 4) == sources.difference("a b c d", 4));
  // Weights of before and sources that are images tell nothing.
  CHECK(TrainedSources::of(std::map<std::string, std::string>()).difference("a. b. c", 100).empty());
  CHECK(TrainedSources::of(text, corpus, SourceKind::image_paths).difference("a. b. c", 100).empty());
}
