// Corpora of sentence pairs, and lines that are unlike all sources of the training.
#include "apps/translation/corpus/corpus.h"

#include <string>
#include <vector>

#include "apps/translation/corpus/trained_sources.h"
#include "tests/apps/support.h"
#include "tests/catch.h"
#include "tests/gzip.h"

using namespace regard::translation;
using regard::Index;
using regard::tests::gzip;
using regard::tests::TemporaryDirectory;
using namespace regard;

namespace {

using Lines = std::vector<std::string>;
using Sentences = std::vector<std::vector<std::int32_t>>;

/// A vocabulary in which the words have the numbers 4, 5, ...
Vocabulary vocabulary_of(const std::vector<std::string>& words) {
  TokenCounts counts;
  counts.add(words);
  return Vocabulary::from_counts(counts);
}

}  // namespace

TEST_CASE("two files make a parallel text", "[corpus]") {
  const TemporaryDirectory directory;
  const std::string source = directory.file("x.en", "a b\n\nc");
  const std::string target = directory.file("x.de",
                                            "\xEF\xBB\xBF"
                                            "A B\r\nzwei\r\n\xC3\x84\r\n");
  const ParallelText text = read_parallel_files(source, target);
  CHECK(text.source == Lines{"a b", "", "c"});
  CHECK(text.target == Lines{"A B", "zwei", "Ä"});
}

TEST_CASE("one TSV file makes a parallel text", "[corpus]") {
  const TemporaryDirectory directory;
  const ParallelText text = read_parallel_tsv(directory.file("x.tsv", "a b\tA B\r\n\tzwei\nc\t\n"));
  CHECK(text.source == Lines{"a b", "", "c"});
  CHECK(text.target == Lines{"A B", "zwei", ""});
}

TEST_CASE("corpora that cannot be used are refused", "[corpus]") {
  const TemporaryDirectory directory;
  const std::string two = directory.file("two", "a\nb\n"), three = directory.file("three", "a\nb\nc\n");
  const std::string empty = directory.file("empty", ""), missing = directory / "missing";
  const std::string invalid = directory.file("invalid", "a\n\xE4\n");

  read_parallel_files(two, two);  // no error: the line counts are equal
  CHECK_ERROR(read_parallel_files(missing, two), missing + ": No such file or directory");
  CHECK_ERROR(read_parallel_files(two, missing), missing + ": No such file or directory");
  CHECK_ERROR(read_parallel_files(empty, two), empty + ": the file is empty");
  CHECK_ERROR(read_parallel_files(two, empty), empty + ": the file is empty");
  CHECK_ERROR(read_parallel_files(invalid, two), invalid + ", line 2: not UTF-8");
  CHECK_ERROR(read_parallel_files(two, invalid), invalid + ", line 2: not UTF-8");
  CHECK_ERROR(read_parallel_files(two, three),
              two + " has 2 lines, " + three + " has 3 lines, so " + three + " is longer by 1");
  CHECK_ERROR(read_parallel_files(three, two),
              three + " has 3 lines, " + two + " has 2 lines, so " + three + " is longer by 1");

  CHECK_ERROR(read_parallel_tsv(missing), missing + ": No such file or directory");
  CHECK_ERROR(read_parallel_tsv(empty), empty + ": the file is empty");
  CHECK_ERROR(read_parallel_tsv(directory.file("t1", "a\tb\nc\n")),
              "t1, line 2: expected a source sentence, one tab");
  CHECK_ERROR(read_parallel_tsv(directory.file("t1", "a\tb\nc\n")), "found 0 tabs");
  CHECK_ERROR(read_parallel_tsv(directory.file("t2", "a\tb\tc\n")), "t2, line 1");
  CHECK_ERROR(read_parallel_tsv(directory.file("t2", "a\tb\tc\n")), "found 2 tabs");
  CHECK_ERROR(read_parallel_tsv(directory.file("t3", "a\tb\nc\t\xC3\n")), "t3, line 2: not UTF-8 (byte 3");
}

TEST_CASE("several files are one text, and errors name the file and its own line", "[corpus]") {
  const TemporaryDirectory directory;
  const std::string one = directory.file("one", "a\nb"), two = directory.file("two", gzip("c\n"));
  const Paths both = std::vector<std::string>{one, two}, other = std::vector<std::string>{two, one};
  const ParallelText text = read_parallel_files(both, both);
  CHECK(text.source == Lines{"a", "b", "c"});
  CHECK(text.target == Lines{"a", "b", "c"});
  // Three lines on either side are not enough: file i belongs to file i.
  CHECK_ERROR(read_parallel_files(both, other), one + " has 2 lines, " + two + " has 1 lines");
  CHECK_ERROR(read_parallel_files(both, one), "there are 2 source files, but 1 target files");
  const std::string bad = directory.file("bad", "a\n\xE4\n");
  CHECK_ERROR(read_parallel_files(std::vector<std::string>{one, bad}, std::vector<std::string>{one, bad}),
              bad + ", line 2: not UTF-8");

  const std::string pairs = directory.file("pairs", "a\tA\nb\tB\n"),
                    no_tab = directory.file("no", "c\tC\nd\n");
  CHECK(read_parallel_tsv(std::vector<std::string>{pairs, pairs}).target == Lines{"A", "B", "A", "B"});
  CHECK_ERROR(read_parallel_tsv(std::vector<std::string>{pairs, no_tab}), no_tab + ", line 2: expected");
}

TEST_CASE("tokens are counted over all lines, one text after the other", "[corpus]") {
  const auto tokeniser = make_tokeniser("word");
  TokenCounts counts;
  count_tokens(counts, {"b a", "b"}, *tokeniser);
  count_tokens(counts, {"c a"}, *tokeniser);
  using Entry = TokenCounts::Entry;
  CHECK(counts.entries() == std::vector<Entry>{{"b", 2}, {"a", 2}, {"c", 1}});
}

TEST_CASE("pairs become numbers without special tokens", "[corpus]") {
  const auto tokeniser = make_tokeniser("word");
  const Vocabulary english = vocabulary_of({"a", "b", "c"}), german = vocabulary_of({"C", "B", "A"});
  const ParallelText text{.source = {"a b", "c x"}, .target = {"A", "C B A </s>"}, .name = "text"};
  const ParallelCorpus corpus =
      encode(text, {.tokeniser = *tokeniser, .source_vocabulary = english, .target_vocabulary = german});
  CHECK(corpus.source == Sentences{{4, 5}, {6, 3}});
  CHECK(corpus.target == Sentences{{6}, {4, 5, 6, 3}});
  CHECK(corpus.lines == std::vector<Index>{0, 1});
  CHECK(corpus.lines_read == 2);
  CHECK(corpus.dropped.total() == 0);
}

TEST_CASE("unknown words are counted", "[corpus]") {
  const UnknownWords words =
      count_unknown({{4, special::unknown, 5}, {}, {special::unknown, special::unknown}});
  CHECK(words.unknown == 3);
  CHECK(words.tokens == 5);
  CHECK(count_unknown({{4, 5}}).unknown == 0);
}

TEST_CASE("pairs with an empty or too long side are dropped and counted", "[corpus]") {
  const auto tokeniser = make_tokeniser("word");
  const Vocabulary words = vocabulary_of({"a"});
  const ParallelText text{.source = {"a", "", "a a a", "a a a a", "a", " ", "a a a a", "a a"},
                          .target = {"a", "a", "a a a", "a", "a a a a", "  ", "", "a"},
                          .name = "text"};
  Encoding encoding{
      .tokeniser = *tokeniser, .source_vocabulary = words, .target_vocabulary = words, .max_length = 3};
  const ParallelCorpus corpus = encode(text, encoding);
  CHECK(corpus.lines == std::vector<Index>{0, 2, 7});
  CHECK(corpus.source == Sentences{{4}, {4, 4, 4}, {4, 4}});
  CHECK(corpus.target == Sentences{{4}, {4, 4, 4}, {4}});
  CHECK(corpus.dropped.empty == 3);
  CHECK(corpus.dropped.too_long == 2);
  CHECK(corpus.lines_read == 8);
  CHECK(corpus.lines_read == corpus.pairs() + corpus.dropped.total());

  encoding.max_length = 4;  // now no sentence is too long
  CHECK(encode(text, encoding).dropped.too_long == 0);
  CHECK(encode(text, encoding).pairs() == 5);
}

TEST_CASE("a corpus without a remaining pair is refused", "[corpus]") {
  const auto tokeniser = make_tokeniser("char");
  const Vocabulary words = vocabulary_of({"a"});
  const ParallelText text{.source = {"", "abc"}, .target = {"a", "a"}, .name = "x.en and x.de"};
  const Encoding encoding{
      .tokeniser = *tokeniser, .source_vocabulary = words, .target_vocabulary = words, .max_length = 2};
  CHECK_ERROR(encode(text, encoding), "x.en and x.de: no sentence pair is left");
  CHECK_ERROR(encode(text, encoding),
              "2 pairs were read, 1 have an empty side and 1 have a side of more than 2 tokens");
}

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
  const TrainedSources sources = TrainedSources::of(text, corpus, nullptr);
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
  // Weights of before tell nothing.
  CHECK(TrainedSources::of(std::map<std::string, std::string>()).difference("a. b. c", 100).empty());
}
