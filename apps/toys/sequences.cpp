#include <algorithm>
#include <string>

#include "apps/toys/toy.h"

namespace regard::toys {
namespace {

constexpr std::uint64_t letters = 26;
constexpr std::size_t longest = 12;

enum class Order { same, reversed };

std::string join(const std::string& symbols) {
  std::string line;
  for (const char symbol : symbols) {
    if (!line.empty()) line += ' ';
    line += symbol;
  }
  return line;
}

/// Sequences of 1 to 12 letters, copied or reversed. All lengths have the same probability.
class Sequences : public Toy {
 public:
  Sequences(Order order, ToyDescription description) : order_(order), description_(std::move(description)) {}

  ToyDescription description() const override { return description_; }

  // 26 + 26² + … + 26¹²
  std::uint64_t distinct_sources() const override {
    std::uint64_t sum = 0;
    for (std::size_t length = 0; length < longest; ++length) sum = (sum + 1) * letters;
    return sum;
  }

  SentencePair sample(Random& random) const override {
    std::string symbols(1 + random.below(longest), ' ');
    for (char& symbol : symbols) symbol = static_cast<char>('a' + random.below(letters));
    std::string target = symbols;
    if (order_ == Order::reversed) std::reverse(target.begin(), target.end());
    return {join(symbols), join(target)};
  }

 private:
  Order order_;
  ToyDescription description_;
};

}  // namespace

std::unique_ptr<Toy> make_copy() {
  return std::make_unique<Sequences>(
      Order::same,
      ToyDescription{"copy", "letters copied: \"c a b\" -> \"c a b\"", "word", {10000, 500, 500}});
}

std::unique_ptr<Toy> make_reverse() {
  return std::make_unique<Sequences>(
      Order::reversed,
      ToyDescription{"reverse", "letters turned round: \"c a b\" -> \"b a c\"", "word", {10000, 500, 500}});
}

}  // namespace regard::toys
