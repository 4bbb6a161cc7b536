#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "autograd/real.h"
#include "autograd/shape.h"
#include "nn/stored_numbers.h"

namespace regard::translation {

/// A tensor as torch.save describes it. Its numbers are in a storage, which several tensors may share.
struct PickledTensor {
  std::string storage;                 ///< its key
  std::string type;                    ///< the class of the storage, such as "HalfStorage"
  std::optional<nn::StoredType> read;  ///< the type of the numbers; nothing if it cannot be read
  std::uint64_t storage_size = 0;      ///< numbers in the storage
  std::uint64_t first = 0;             ///< the number in the storage with which the tensor begins
  Shape shape = {};
  std::vector<std::uint64_t> strides = {};  ///< numbers from one index to the next, of each axis
};

/// Reads pickles that torch.save writes for a state_dict: names and tensors (protocol 2). A pickle is a
/// program for a small machine, which may call any function of Python. This reader has no functions to call.
/// It knows the instructions that such a file needs and the names of what they build: dictionaries, storages
/// and tensors. It refuses every other instruction and every other name.
class PickleReader {
 public:
  /// `name` is for messages: the file.
  PickleReader(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}
  PickleReader(const PickleReader&) = delete;
  PickleReader& operator=(const PickleReader&) = delete;

  // Each of these reads one pickle. They throw Error that names the file if it is damaged, has an instruction
  // or a name that a state_dict does not need, or if it does not hold what it should.

  std::map<std::string, PickledTensor> state_dict();
  std::vector<std::string> texts();
  /// Reads a pickle of any value.
  void skip() { load(); }

  /// Bytes of the pickles that were read.
  std::uint64_t position() const { return position_; }

 private:
  enum class Kind { mark, none, number, text, list, tuple, dictionary, name, storage, tensor };
  /// A value of the machine. Values are never deleted one by one, so no depth of nesting is too deep.
  struct Value {
    Kind kind;
    std::int64_t number = 0;
    std::string text = {};
    std::vector<Value*> items = {};  ///< of a dictionary: key, value, key, value, …
    PickledTensor tensor = {};
  };

  [[noreturn]] void refuse(const std::string& reason) const;
  std::string_view take(std::uint64_t bytes);
  std::uint64_t whole_number(std::uint64_t bytes);
  std::string line();
  Value* make(Value value);
  Value* pop();
  Value*& top();
  std::vector<Value*> pop_to_mark();
  void push(Value value) { stack_.push_back(make(std::move(value))); }
  void push_tuple(std::vector<Value*> items) { push({.kind = Kind::tuple, .items = std::move(items)}); }

  Value* load();
  bool execute(unsigned char instruction);  ///< false at the end of the pickle
  void push_name();
  void push_long();
  void push_storage();
  void append(std::vector<Value*> items, Kind kind);
  void call();
  void add_state();
  void remember(std::uint64_t place);
  void recall(std::uint64_t place);
  Value rebuilt_tensor(const std::vector<Value*>& arguments) const;
  std::uint64_t size_in(const Value& value) const;

  std::string_view bytes_;
  std::string name_;
  std::uint64_t position_ = 0;
  std::deque<Value> values_;
  std::vector<Value*> stack_;
  std::map<std::uint64_t, Value*> memory_;
};

}  // namespace regard::translation
