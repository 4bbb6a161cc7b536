#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "autograd/error.h"

namespace regard::translation {

/// Packs numbers and lists of numbers into bytes for other processes. They must have the same byte order.
class MessageWriter {
 public:
  template <class Number>
  requires std::is_arithmetic_v<Number>
  void add(Number number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void add(std::string_view text) {
    add(to_index(text.size()));
    bytes_ += text;
  }
  template <class Number>
  void add(const std::vector<Number>& numbers) {
    static_assert(std::is_arithmetic_v<Number>);
    add(std::string_view(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Unpacks them in the same order. The bytes must outlive the reader.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : rest_(bytes) {}

  template <class Number>
  Number number() {
    Number result;
    std::memcpy(&result, take(sizeof result).data(), sizeof result);
    return result;
  }
  std::string text() { return std::string(take(to_size(number<Index>()))); }
  template <class Number>
  std::vector<Number> list() {
    const std::string_view bytes = take(to_size(number<Index>()));
    std::vector<Number> result(bytes.size() / sizeof(Number));
    if (!bytes.empty()) std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) fail("a message from another process is too short");
    const std::string_view result = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return result;
  }
  std::string_view rest_;
};

/// Computes the results of tasks 0, 1, …, tasks - 1 with compute(task), and returns them in this order, as
/// bytes. Several processes divide the tasks, and each gets all results (deal_among, processes.h). So what a
/// caller sums up from the results does not depend on the number of processes.
using Compute = std::function<std::string(std::size_t task)>;
using DealOut = std::function<std::vector<std::string>(std::size_t tasks, const Compute& compute)>;

/// Computes all tasks in this process: at the same time, each on one thread, if there are enough of them for
/// all threads; otherwise one after another, each on all threads. The tasks may come in any order and record
/// no gradients. If some throw, the exception of the first of them is thrown when all have ended.
std::vector<std::string> compute_all(std::size_t tasks, const Compute& compute);

}  // namespace regard::translation
