#include "apps/exchange/pickle.h"

#include <algorithm>
#include <map>
#include <utility>

#include "apps/translation/files/utf8.h"
#include "autograd/machine/error.h"

namespace regard::exchange {

void refuse_pickle(const std::string& name, const std::string& reason) {
  fail("{} cannot be read as a state_dict of PyTorch: {}", name, reason);
}

namespace {

using Value = PickledValue;
using Kind = Value::Kind;

constexpr const char* ordered_dictionary = "collections OrderedDict";

class Machine {
 public:
  Machine(std::string_view bytes, const std::string& name, std::deque<Value>& values)
      : bytes_(bytes), name_(name), values_(values) {}

  /// Reads one pickle.
  const Value* run() {
    stack_.clear();
    memory_.clear();
    constexpr char stop = '.';
    for (char instruction = take(1).front(); instruction != stop; instruction = take(1).front())
      execute(static_cast<unsigned char>(instruction));
    const Value* const result = pop();
    if (!stack_.empty()) refuse("values are left over at its end; it is damaged");
    return result;
  }

  std::uint64_t position() const { return position_; }

 private:
  [[noreturn]] void refuse(const std::string& reason) const { refuse_pickle(name_, reason); }

  std::string_view take(std::uint64_t bytes) {
    if (bytes > bytes_.size() - position_) refuse("it ends early; it may be truncated");
    const std::string_view taken = bytes_.substr(position_, bytes);
    position_ += bytes;
    return taken;
  }

  /// The lowest byte comes first.
  std::uint64_t whole_number(std::uint64_t bytes) {
    std::uint64_t value = 0;
    int shift = 0;
    for (const char byte : take(bytes)) {
      value |= std::uint64_t{static_cast<unsigned char>(byte)} << shift;
      shift += 8;
    }
    return value;
  }

  std::string line() {
    const std::size_t end = bytes_.find('\n', position_);
    constexpr std::size_t longest = 200;
    if (end == std::string_view::npos || end - position_ > longest) refuse("a name in it does not end");
    const std::string text(take(end - position_));
    take(1);
    return text;
  }

  void push(Value value) {
    constexpr std::size_t most = 200'000;  // a state_dict of a thousand tensors makes 20,000 values
    if (values_.size() == most) refuse("it makes too many values");
    stack_.push_back(&values_.emplace_back(std::move(value)));
  }
  void push_number(std::uint64_t number) {
    push({.kind = Kind::number, .number = static_cast<std::int64_t>(number)});
  }
  void push_tuple(std::vector<const Value*> items) { push({.kind = Kind::tuple, .items = std::move(items)}); }

  Value* top() {
    if (stack_.empty() || stack_.back()->kind == Kind::mark)
      refuse("an instruction lacks a value; it is damaged");
    return stack_.back();
  }
  Value* pop() {
    Value* const value = top();
    stack_.pop_back();
    return value;
  }
  std::vector<const Value*> pop(std::size_t count) {
    std::vector<const Value*> items(count);
    for (auto item = items.rbegin(); item != items.rend(); ++item) *item = pop();
    return items;
  }
  std::vector<const Value*> pop_to_mark() {
    const auto mark = std::find_if(stack_.rbegin(), stack_.rend(),
                                   [](const Value* value) { return value->kind == Kind::mark; });
    if (mark == stack_.rend()) refuse("an instruction lacks its beginning; it is damaged");
    std::vector<const Value*> items(mark.base(), stack_.end());
    stack_.erase(mark.base() - 1, stack_.end());
    return items;
  }

  void check_protocol() {
    if (const std::uint64_t protocol = whole_number(1); protocol != 2)
      refuse(fmt::format("it is a pickle of protocol {}, but torch.save writes protocol 2", protocol));
  }

  void push_long() {
    const std::uint64_t bytes = whole_number(1);
    if (bytes > 8) {  // the number that marks a file of PyTorch before 1.6 is the only such one
      take(bytes);
      return push({.kind = Kind::none});
    }
    std::uint64_t value = whole_number(bytes);
    if (bytes > 0 && bytes < 8 && value >> (8 * bytes - 1) != 0) value -= std::uint64_t{1} << (8 * bytes);
    push_number(value);
  }

  void push_name() {
    const std::string module = line(), name = module + " " + line();
    const bool storage = name.starts_with(Pickles::torch) && name.ends_with("Storage");
    if (!storage && name != Pickles::rebuild_tensor && name != Pickles::rebuild_parameter &&
        name != ordered_dictionary)
      refuse(fmt::format(
          "it asks for {}, which a file of weights does not need and which could run any program; "
          "nothing of it was run",
          translation::printable(name)));
    push({.kind = Kind::name, .text = name});
  }

  void append(const std::vector<const Value*>& items, Kind kind) {
    Value* const to = top();
    if (to->kind != kind || (kind == Kind::dictionary && items.size() % 2 != 0))
      refuse("an instruction adds to a value of another kind; it is damaged");
    to->items.insert(to->items.end(), items.begin(), items.end());
  }

  void call() {
    const Value *const arguments = pop(), *const function = pop();
    if (function->kind != Kind::name || arguments->kind != Kind::tuple)
      refuse("it calls a value that is no function; it is damaged");
    const std::string& name = function->text;
    if (name == ordered_dictionary && arguments->items.empty())
      push({.kind = Kind::dictionary});
    else if (name == Pickles::rebuild_tensor || name == Pickles::rebuild_parameter)
      push({.kind = Kind::call, .text = name, .items = arguments->items});
    else
      refuse(fmt::format("it calls {} with other arguments than torch.save", name));
  }

  void push_reference() {
    const Value* const place = pop();
    if (place->kind != Kind::tuple) refuse("a storage in it is not described as torch.save describes it");
    push({.kind = Kind::reference, .items = place->items});
  }

  /// An OrderedDict may have attributes, such as the versions of its modules. Nobody needs them.
  void ignore_state() {
    pop();
    if (top()->kind != Kind::dictionary) refuse("it gives attributes to a value that is no dictionary");
  }

  void recall(std::uint64_t place) {
    const auto found = memory_.find(place);
    if (found == memory_.end()) refuse("it uses a value that it has not made; it is damaged");
    stack_.push_back(found->second);
  }

  /// The instructions are those of pickletools.py. The letters are their codes.
  void execute(unsigned char instruction) {
    static const std::map<unsigned char, void (*)(Machine&)> instructions{
        {0x80, [](Machine& m) { m.check_protocol(); }},                          // PROTO
        {'(', [](Machine& m) { m.push({.kind = Kind::mark}); }},                 // MARK
        {'N', [](Machine& m) { m.push({.kind = Kind::none}); }},                 // NONE
        {0x88, [](Machine& m) { m.push_number(1); }},                            // NEWTRUE
        {0x89, [](Machine& m) { m.push_number(0); }},                            // NEWFALSE
        {'K', [](Machine& m) { m.push_number(m.whole_number(1)); }},             // BININT1
        {'M', [](Machine& m) { m.push_number(m.whole_number(2)); }},             // BININT2
        {'J', [](Machine& m) { m.push_number(with_sign(m.whole_number(4))); }},  // BININT
        {0x8A, [](Machine& m) { m.push_long(); }},                               // LONG1
        {'X', [](Machine& m) { m.push_text(m.whole_number(4)); }},               // BINUNICODE
        {')', [](Machine& m) { m.push_tuple({}); }},                             // EMPTY_TUPLE
        {'t', [](Machine& m) { m.push_tuple(m.pop_to_mark()); }},                // TUPLE
        {0x85, [](Machine& m) { m.push_tuple(m.pop(1)); }},                      // TUPLE1
        {0x86, [](Machine& m) { m.push_tuple(m.pop(2)); }},                      // TUPLE2
        {0x87, [](Machine& m) { m.push_tuple(m.pop(3)); }},                      // TUPLE3
        {']', [](Machine& m) { m.push({.kind = Kind::list}); }},                 // EMPTY_LIST
        {'}', [](Machine& m) { m.push({.kind = Kind::dictionary}); }},           // EMPTY_DICT
        {'a', [](Machine& m) { m.append(m.pop(1), Kind::list); }},               // APPEND
        {'e', [](Machine& m) { m.append(m.pop_to_mark(), Kind::list); }},        // APPENDS
        {'s', [](Machine& m) { m.append(m.pop(2), Kind::dictionary); }},         // SETITEM
        {'u', [](Machine& m) { m.append(m.pop_to_mark(), Kind::dictionary); }},  // SETITEMS
        {'q', [](Machine& m) { m.memory_[m.whole_number(1)] = m.top(); }},       // BINPUT
        {'r', [](Machine& m) { m.memory_[m.whole_number(4)] = m.top(); }},       // LONG_BINPUT
        {'h', [](Machine& m) { m.recall(m.whole_number(1)); }},                  // BINGET
        {'j', [](Machine& m) { m.recall(m.whole_number(4)); }},                  // LONG_BINGET
        {'c', [](Machine& m) { m.push_name(); }},                                // GLOBAL
        {'Q', [](Machine& m) { m.push_reference(); }},                           // BINPERSID
        {'R', [](Machine& m) { m.call(); }},                                     // REDUCE
        {'b', [](Machine& m) { m.ignore_state(); }}};                            // BUILD
    const auto found = instructions.find(instruction);
    if (found == instructions.end())
      refuse(
          fmt::format("byte {} is the instruction 0x{:02x}, which no state_dict needs; it is damaged, or "
                      "not a file of weights",
                      position_ - 1, instruction));
    found->second(*this);
  }

  static std::uint64_t with_sign(std::uint64_t four_bytes) {
    return static_cast<std::uint64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(four_bytes)));
  }
  void push_text(std::uint64_t bytes) { push({.kind = Kind::text, .text = std::string(take(bytes))}); }

  std::string_view bytes_;
  const std::string& name_;
  std::uint64_t position_ = 0;
  std::deque<Value>& values_;
  std::vector<Value*> stack_;
  std::map<std::uint64_t, Value*> memory_;
};

}  // namespace

Pickles::Pickles(std::string_view bytes, const std::string& name, std::size_t count) {
  Machine machine(bytes, name, values_);
  while (results_.size() < count) results_.push_back(machine.run());
  size_ = machine.position();
}

}  // namespace regard::exchange
