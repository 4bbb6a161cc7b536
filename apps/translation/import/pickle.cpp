#include "apps/translation/import/pickle.h"

#include <algorithm>
#include <array>
#include <utility>

#include "apps/translation/text/utf8.h"
#include "autograd/error.h"

namespace regard::translation {

namespace {

constexpr const char* rebuild_tensor = "torch._utils _rebuild_tensor_v2";
constexpr const char* rebuild_parameter = "torch._utils _rebuild_parameter";
constexpr const char* ordered_dictionary = "collections OrderedDict";

struct Storage {
  const char* name;
  std::optional<nn::StoredType> type;
};
/// The classes of storages (torch/storage.py). The last ones occur in files, but no model needs their
/// numbers.
constexpr std::array<Storage, 10> storages{{{"FloatStorage", nn::StoredType::float32},
                                            {"HalfStorage", nn::StoredType::float16},
                                            {"BFloat16Storage", nn::StoredType::bfloat16},
                                            {"DoubleStorage", nn::StoredType::float64},
                                            {"LongStorage", {}},
                                            {"IntStorage", {}},
                                            {"ShortStorage", {}},
                                            {"CharStorage", {}},
                                            {"ByteStorage", {}},
                                            {"BoolStorage", {}}}};

constexpr std::string_view of_torch = "torch ";

bool is_storage(std::string_view name) {
  return name.starts_with(of_torch) && std::ranges::any_of(storages, [&](const Storage& storage) {
           return name.substr(of_torch.size()) == storage.name;
         });
}

/// Limits for the memory that a pickle may need. A state_dict of a thousand tensors makes 20,000 values.
constexpr std::size_t most_values = 200'000, longest_key = 100, greatest_rank = 8;

}  // namespace

void PickleReader::refuse(const std::string& reason) const {
  fail("{} cannot be read as a state_dict of PyTorch: {}", name_, reason);
}

std::string_view PickleReader::take(std::uint64_t bytes) {
  if (bytes > bytes_.size() - position_) refuse("it ends early; it may be truncated");
  const std::string_view taken = bytes_.substr(position_, bytes);
  position_ += bytes;
  return taken;
}

/// The lowest byte comes first.
std::uint64_t PickleReader::whole_number(std::uint64_t bytes) {
  std::uint64_t value = 0;
  int shift = 0;
  for (const char byte : take(bytes)) {
    value |= std::uint64_t{static_cast<unsigned char>(byte)} << shift;
    shift += 8;
  }
  return value;
}

std::string PickleReader::line() {
  const std::size_t end = bytes_.find('\n', position_);
  constexpr std::size_t longest = 200;
  if (end == std::string_view::npos || end - position_ > longest) refuse("a name in it does not end");
  const std::string text(take(end - position_));
  take(1);
  return text;
}

PickleReader::Value* PickleReader::make(Value value) {
  if (values_.size() == most_values) refuse("it makes too many values");
  return &values_.emplace_back(std::move(value));
}

PickleReader::Value*& PickleReader::top() {
  if (stack_.empty() || stack_.back()->kind == Kind::mark)
    refuse("an instruction lacks a value; it is damaged");
  return stack_.back();
}

PickleReader::Value* PickleReader::pop() {
  Value* const value = top();
  stack_.pop_back();
  return value;
}

std::vector<PickleReader::Value*> PickleReader::pop_to_mark() {
  const auto mark = std::find_if(stack_.rbegin(), stack_.rend(),
                                 [](const Value* value) { return value->kind == Kind::mark; });
  if (mark == stack_.rend()) refuse("an instruction lacks its beginning; it is damaged");
  std::vector<Value*> items(mark.base(), stack_.end());
  stack_.erase(mark.base() - 1, stack_.end());
  return items;
}

PickleReader::Value* PickleReader::load() {
  stack_.clear();
  memory_.clear();
  while (execute(static_cast<unsigned char>(take(1).front()))) {
  }
  Value* const result = pop();
  if (!stack_.empty()) refuse("values are left over at its end; it is damaged");
  return result;
}

// The instructions are those of pickletools.py. The letters are their codes.
bool PickleReader::execute(unsigned char instruction) {
  switch (instruction) {
    case 0x80:  // PROTO
      if (const std::uint64_t protocol = whole_number(1); protocol != 2)
        refuse(fmt::format("it is a pickle of protocol {}, but torch.save writes protocol 2", protocol));
      return true;
    case '.':  // STOP
      return false;
    case '(':  // MARK
      push({.kind = Kind::mark});
      return true;
    case 'N':  // NONE
      push({.kind = Kind::none});
      return true;
    case 0x88:  // NEWTRUE
    case 0x89:  // NEWFALSE
      push({.kind = Kind::number, .number = instruction == 0x88});
      return true;
    case 'K':  // BININT1
      push({.kind = Kind::number, .number = static_cast<std::int64_t>(whole_number(1))});
      return true;
    case 'M':  // BININT2
      push({.kind = Kind::number, .number = static_cast<std::int64_t>(whole_number(2))});
      return true;
    case 'J':  // BININT, with a sign
      push({.kind = Kind::number,
            .number = static_cast<std::int32_t>(static_cast<std::uint32_t>(whole_number(4)))});
      return true;
    case 0x8A:  // LONG1
      push_long();
      return true;
    case 'X':  // BINUNICODE
      push({.kind = Kind::text, .text = std::string(take(whole_number(4)))});
      return true;
    case ')':  // EMPTY_TUPLE
      push_tuple({});
      return true;
    case 't':  // TUPLE
      push_tuple(pop_to_mark());
      return true;
    case 0x85:  // TUPLE1, TUPLE2, TUPLE3
    case 0x86:
    case 0x87: {
      std::vector<Value*> items(instruction - 0x84);
      for (auto item = items.rbegin(); item != items.rend(); ++item) *item = pop();
      push_tuple(std::move(items));
      return true;
    }
    case ']':  // EMPTY_LIST
      push({.kind = Kind::list});
      return true;
    case '}':  // EMPTY_DICT
      push({.kind = Kind::dictionary});
      return true;
    case 'a':  // APPEND
      append({pop()}, Kind::list);
      return true;
    case 'e':  // APPENDS
      append(pop_to_mark(), Kind::list);
      return true;
    case 's': {  // SETITEM
      Value* const value = pop();
      append({pop(), value}, Kind::dictionary);
      return true;
    }
    case 'u':  // SETITEMS
      append(pop_to_mark(), Kind::dictionary);
      return true;
    case 'q':  // BINPUT
      remember(whole_number(1));
      return true;
    case 'r':  // LONG_BINPUT
      remember(whole_number(4));
      return true;
    case 'h':  // BINGET
      recall(whole_number(1));
      return true;
    case 'j':  // LONG_BINGET
      recall(whole_number(4));
      return true;
    case 'c':  // GLOBAL
      push_name();
      return true;
    case 'Q':  // BINPERSID
      push_storage();
      return true;
    case 'R':  // REDUCE
      call();
      return true;
    case 'b':  // BUILD
      add_state();
      return true;
    default:
      refuse(
          fmt::format("byte {} is the instruction 0x{:02x}, which no state_dict needs; it is damaged, or "
                      "not a file of weights",
                      position_ - 1, instruction));
  }
}

void PickleReader::push_name() {
  const std::string module = line(), name = module + " " + line();
  if (name != rebuild_tensor && name != rebuild_parameter && name != ordered_dictionary && !is_storage(name))
    refuse(
        fmt::format("it asks for {}, which a file of weights does not need and which could run any program; "
                    "nothing of it was run",
                    printable(name)));
  push({.kind = Kind::name, .text = name});
}

void PickleReader::push_long() {
  const std::uint64_t bytes = whole_number(1);
  if (bytes > 8) {  // the number that marks a file of PyTorch before 1.6 is the only such one
    take(bytes);
    push({.kind = Kind::none});
    return;
  }
  std::uint64_t value = whole_number(bytes);
  if (bytes > 0 && bytes < 8 && value >> (8 * bytes - 1) != 0) value -= std::uint64_t{1} << (8 * bytes);
  push({.kind = Kind::number, .number = static_cast<std::int64_t>(value)});
}

std::uint64_t PickleReader::size_in(const Value& value) const {
  if (value.kind != Kind::number || value.number < 0)
    refuse("a size in it is not a whole number of at least 0; it is damaged");
  return static_cast<std::uint64_t>(value.number);
}

/// The name of a storage: ("storage", class, key, device, numbers), and in files before PyTorch 1.6 None.
void PickleReader::push_storage() {
  const Value* const place = pop();
  const std::vector<Value*>& items = place->items;
  const bool fits = place->kind == Kind::tuple && (items.size() == 5 || items.size() == 6) &&
                    items[0]->kind == Kind::text && items[0]->text == "storage" &&
                    items[1]->kind == Kind::name && is_storage(items[1]->text) &&
                    items[2]->kind == Kind::text && items[2]->text.size() <= longest_key &&
                    (items.size() == 5 || items[5]->kind == Kind::none);
  if (!fits) refuse("a storage in it is not described as torch.save describes it");
  const std::string type = items[1]->text.substr(of_torch.size());
  const auto* const known =
      std::ranges::find_if(storages, [&](const Storage& storage) { return type == storage.name; });
  push({.kind = Kind::storage,
        .tensor = {.storage = items[2]->text,
                   .type = type,
                   .read = known->type,
                   .storage_size = size_in(*items[4])}});
}

void PickleReader::append(std::vector<Value*> items, Kind kind) {
  Value* const to = top();
  if (to->kind != kind || (kind == Kind::dictionary && items.size() % 2 != 0))
    refuse("an instruction adds to a value of another kind; it is damaged");
  to->items.insert(to->items.end(), items.begin(), items.end());
}

void PickleReader::call() {
  const Value* const arguments = pop();
  const Value* const function = pop();
  if (function->kind != Kind::name || arguments->kind != Kind::tuple)
    refuse("it calls a value that is no function; it is damaged");
  const std::vector<Value*>& items = arguments->items;
  if (function->text == ordered_dictionary && items.empty())
    push({.kind = Kind::dictionary});
  else if (function->text == rebuild_tensor)
    push(rebuilt_tensor(items));
  else if (function->text == rebuild_parameter && !items.empty() && items[0]->kind == Kind::tensor)
    push(*items[0]);
  else
    refuse(fmt::format("it calls {} with other arguments than torch.save", function->text));
}

/// Arguments: storage, first number, shape, strides, and what a training needs.
PickleReader::Value PickleReader::rebuilt_tensor(const std::vector<Value*>& arguments) const {
  if (arguments.size() < 4 || arguments[0]->kind != Kind::storage || arguments[2]->kind != Kind::tuple ||
      arguments[3]->kind != Kind::tuple || arguments[2]->items.size() != arguments[3]->items.size() ||
      arguments[2]->items.size() > greatest_rank)
    refuse("a tensor in it is not described as torch.save describes it");
  Value tensor{.kind = Kind::tensor, .tensor = arguments[0]->tensor};
  tensor.tensor.first = size_in(*arguments[1]);
  std::vector<Index> extents;
  for (std::size_t axis = 0; axis < arguments[2]->items.size(); ++axis) {
    extents.push_back(static_cast<Index>(size_in(*arguments[2]->items[axis])));
    tensor.tensor.strides.push_back(size_in(*arguments[3]->items[axis]));
  }
  tensor.tensor.shape = Shape(std::move(extents));
  return tensor;
}

/// An OrderedDict may have attributes, such as the versions of its modules. Nobody needs them.
void PickleReader::add_state() {
  pop();
  if (top()->kind != Kind::dictionary) refuse("it gives attributes to a value that is no dictionary");
}

void PickleReader::remember(std::uint64_t place) { memory_[place] = top(); }

void PickleReader::recall(std::uint64_t place) {
  const auto found = memory_.find(place);
  if (found == memory_.end()) refuse("it uses a value that it has not made; it is damaged");
  stack_.push_back(found->second);
}

std::map<std::string, PickledTensor> PickleReader::state_dict() {
  const Value* const dictionary = load();
  if (dictionary->kind != Kind::dictionary)
    refuse("it holds no dictionary of tensors; save model.state_dict()");
  std::map<std::string, PickledTensor> tensors;
  for (std::size_t i = 0; i < dictionary->items.size(); i += 2) {
    const Value& key = *dictionary->items[i];
    const Value& value = *dictionary->items[i + 1];
    if (key.kind != Kind::text) refuse("the name of a tensor is no text");
    if (value.kind != Kind::tensor)
      refuse(fmt::format("{} is no tensor; save model.state_dict()", printable(key.text)));
    if (!tensors.emplace(key.text, value.tensor).second)
      refuse(fmt::format("{} occurs twice", printable(key.text)));
  }
  return tensors;
}

std::vector<std::string> PickleReader::texts() {
  const Value* const list = load();
  std::vector<std::string> result;
  if (list->kind != Kind::list) refuse("it has no list of storages");
  for (const Value* const item : list->items) {
    if (item->kind != Kind::text) refuse("the key of a storage is no text");
    result.push_back(item->text);
  }
  return result;
}

}  // namespace regard::translation
