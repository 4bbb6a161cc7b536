#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace regard::exchange {

/// A value that a pickle makes.
struct PickledValue {
  /// name: of a class or a function, "module name". call: of the function `text` with arguments. reference:
  /// to something outside of the pickle. mark: the beginning of a list of values.
  enum class Kind { mark, none, number, text, list, tuple, dictionary, name, call, reference };
  Kind kind;
  std::int64_t number = 0;
  std::string text = {};
  std::vector<const PickledValue*> items = {};  ///< of a dictionary: key, value, key, value, …
};

/// Pickles that torch.save writes for a state_dict (protocol 2), one after another. A pickle is a program for
/// a small machine, which may call any function of Python. This reader has no functions to call. It knows the
/// instructions that such a file needs and the names of what they build, and refuses every other instruction
/// and every other name.
class Pickles {
 public:
  /// Throws Error that names the file (`name`) if a pickle is damaged or has an instruction or a name that a
  /// state_dict does not need.
  Pickles(std::string_view bytes, const std::string& name, std::size_t count);
  Pickles(const Pickles&) = delete;
  Pickles& operator=(const Pickles&) = delete;

  const PickledValue& operator[](std::size_t number) const { return *results_[number]; }
  /// Bytes of all pickles.
  std::uint64_t size() const { return size_; }

  static constexpr const char* rebuild_tensor = "torch._utils _rebuild_tensor_v2";
  static constexpr const char* rebuild_parameter = "torch._utils _rebuild_parameter";
  static constexpr std::string_view torch = "torch ";  ///< "torch FloatStorage" names a storage

 private:
  std::deque<PickledValue> values_;  ///< never deleted one by one, so no depth of nesting is too deep
  std::vector<const PickledValue*> results_;
  std::uint64_t size_ = 0;
};

/// Throws Error: the file is no state_dict.
[[noreturn]] void refuse_pickle(const std::string& name, const std::string& reason);

}  // namespace regard::exchange
